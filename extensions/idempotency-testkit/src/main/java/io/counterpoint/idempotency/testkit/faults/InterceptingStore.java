package io.counterpoint.idempotency.testkit.faults;

import io.counterpoint.idempotency.IdempotencyKey;
import io.counterpoint.idempotency.spi.Durability;
import io.counterpoint.idempotency.spi.ForwardingStore;
import io.counterpoint.idempotency.spi.IdempotencyRecord;
import io.counterpoint.idempotency.spi.IdempotencyRecord.Pending;
import io.counterpoint.idempotency.spi.IdempotencyStore;
import io.counterpoint.idempotency.spi.RecordSteps;
import io.counterpoint.idempotency.spi.Session;
import io.counterpoint.idempotency.spi.WorkScope;
import java.time.Duration;
import java.util.Optional;
import java.util.function.BiFunction;
import java.util.function.Function;

/**
 * A store that passes each single step through its subclass, even if the other store would combine several in one round
 * trip. Subclasses observe steps or break them on purpose, because a test that a broken store passes is useless.
 *
 * @param <C> the handle of the store
 */
public class InterceptingStore<C> extends ForwardingStore<C> {

    /**
     * Creates a store that forwards to another one.
     *
     * @param store the store that does the work
     */
    public InterceptingStore(IdempotencyStore<C> store) {
        super(store);
    }

    /**
     * Returns the steps that callers of this store get in one transaction. By default, the real ones.
     *
     * @param real the steps of the other store
     * @param session the session of the other store
     * @return what callers get, such as {@link ForwardingSteps}
     */
    protected RecordSteps steps(RecordSteps real, Session<C> session) {
        return real;
    }

    @Override
    protected Session<C> decorate(Session<C> session) {
        return new InterceptingSession(session);
    }

    @Override
    public Session<C> openForClaim(IdempotencyKey key, Duration maxWait) {
        return open(key);
    }

    @Override
    public Optional<IdempotencyRecord> read(IdempotencyKey key) {
        try (Session<C> session = open(key)) {
            return session.autoCommit(steps -> steps.read(key));
        }
    }

    /** Forwards everything, with {@link #steps} in between. */
    protected class InterceptingSession extends ForwardingSession<C> {

        /**
         * Creates a session that forwards to another one.
         *
         * @param session the session that does the work
         */
        public InterceptingSession(Session<C> session) {
            super(session);
        }

        @Override
        public boolean probablyClaimed() {
            return false;
        }

        @Override
        public <T> T autoCommit(Function<? super RecordSteps, ? extends T> step) {
            return session.autoCommit(real -> step.apply(steps(real, session)));
        }

        @Override
        public Optional<IdempotencyRecord> claimAndLock(
                Pending pending, Duration retention, Duration lockWait, Durability durability) {
            return autoCommit(steps -> steps.claim(pending, retention, lockWait, durability));
        }

        @Override
        public <T> T inTransaction(BiFunction<? super RecordSteps, ? super WorkScope<C>, ? extends T> body) {
            return session.inTransaction((real, scope) -> body.apply(steps(real, session), scope));
        }
    }
}
