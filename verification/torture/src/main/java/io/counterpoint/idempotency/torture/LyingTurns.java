package io.counterpoint.idempotency.torture;

import io.counterpoint.idempotency.IdempotencyKey;
import io.counterpoint.idempotency.spi.ForwardingRecordSteps;
import io.counterpoint.idempotency.spi.ForwardingStore;
import io.counterpoint.idempotency.spi.IdempotencyStore;
import io.counterpoint.idempotency.spi.RecordSteps;
import io.counterpoint.idempotency.spi.Session;
import io.counterpoint.idempotency.spi.WorkScope;
import java.util.concurrent.ThreadLocalRandom;
import java.util.function.BiFunction;

/**
 * Grants some turns twice and others to nobody, as can happen after a failover or if two keys have the same number. A
 * turn decides who works, so neither may break a promise.
 */
final class LyingTurns<C> extends ForwardingStore<C> {

    /** One answer in this many is wrong. */
    private static final int LIES = 8;

    LyingTurns(IdempotencyStore<C> store) {
        super(store);
    }

    @Override
    protected Session<C> decorate(Session<C> real) {
        return new ForwardingSession<>(real) {
            @Override
            public <T> T inTransaction(BiFunction<? super RecordSteps, ? super WorkScope<C>, ? extends T> body) {
                return super.<T>inTransaction((steps, scope) -> body.apply(new Lying(steps), scope));
            }
        };
    }

    private static final class Lying extends ForwardingRecordSteps {
        Lying(RecordSteps real) {
            super(real);
        }

        @Override
        public boolean takeTurn(IdempotencyKey key) {
            boolean lies = ThreadLocalRandom.current().nextInt(LIES) == 0;
            return super.takeTurn(key) != lies;
        }
    }
}
