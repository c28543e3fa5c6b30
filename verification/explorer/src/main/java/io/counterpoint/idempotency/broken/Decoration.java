package io.counterpoint.idempotency.broken;

import io.counterpoint.idempotency.spi.IdempotencyStore;
import io.counterpoint.idempotency.spi.RecordSteps;
import io.counterpoint.idempotency.spi.Session;
import io.counterpoint.idempotency.testkit.faults.InterceptingStore;
import java.util.function.UnaryOperator;

/** Puts one wrong behaviour in front of a store, whatever its handle. */
interface Decoration {

    <C> IdempotencyStore<C> over(IdempotencyStore<C> store);

    /** The store's steps are wrong, and nothing else. */
    static Decoration ofSteps(UnaryOperator<RecordSteps> wrong) {
        return new OfSteps(wrong);
    }

    /**
     * For steps that need to know no more than the steps that do the work.
     *
     * @param wrong makes steps wrong
     */
    record OfSteps(UnaryOperator<RecordSteps> wrong) implements Decoration {
        @Override
        public <C> IdempotencyStore<C> over(IdempotencyStore<C> store) {
            return new InterceptingStore<>(store) {
                @Override
                protected RecordSteps steps(RecordSteps real, Session<C> session) {
                    return wrong.apply(real);
                }
            };
        }
    }
}
