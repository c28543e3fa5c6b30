package io.counterpoint.idempotency.inbox;

import io.counterpoint.idempotency.Failure;
import io.counterpoint.idempotency.IdempotencyKey;
import io.counterpoint.idempotency.internal.Rethrow;
import io.counterpoint.idempotency.spi.ForwardingStore;
import io.counterpoint.idempotency.spi.IdempotencyStore;
import io.counterpoint.idempotency.spi.RecordSteps;
import io.counterpoint.idempotency.spi.Session;
import io.counterpoint.idempotency.spi.WorkScope;
import java.time.Duration;
import java.util.function.BiFunction;
import java.util.function.Function;

/**
 * A store that writes {@code Failed} only together with a dead letter, and records which fates are committed.
 *
 * @param <C> the handle of the transaction
 */
final class DeadLetterStore<C> extends ForwardingStore<C> {

    /** How the store queries and reports on the messages of the current call. */
    interface Messages {
        /** Called when a transaction begins. Whatever an earlier one did without a commit was undone. */
        void beginTransaction();

        /** Returns whether a message may now fail. */
        boolean mayFail(IdempotencyKey key);

        /** Returns the letter of a message that is about to fail. */
        DeadLetter letter(IdempotencyKey key, Failure failure);

        /** Called when the fate of a message is committed. */
        void record(IdempotencyKey key);
    }

    private final DeadLetters<C> deadLetters;
    private final Messages messages;

    DeadLetterStore(IdempotencyStore<C> store, DeadLetters<C> deadLetters, Messages messages) {
        super(store);
        this.deadLetters = deadLetters;
        this.messages = messages;
    }

    @Override
    public Session<C> open(IdempotencyKey key) {
        return new LetterSession(super.open(key), messages.mayFail(key));
    }

    @Override
    public Session<C> openForClaim(IdempotencyKey key, Duration maxWait) {
        return new LetterSession(super.openForClaim(key, maxWait), messages.mayFail(key));
    }

    private final class LetterSession extends ForwardingSession<C> {
        private final boolean mayFail;

        LetterSession(Session<C> session, boolean mayFail) {
            super(session);
            this.mayFail = mayFail;
        }

        /** A step that may write {@code Failed} needs a transaction with a handle. */
        @Override
        public <T> T autoCommit(Function<? super RecordSteps, ? extends T> step) {
            if (mayFail) {
                return inTransaction((steps, scope) -> step.apply(steps));
            }
            LetterSteps[] noted = new LetterSteps[1];
            T result = super.autoCommit(steps -> {
                noted[0] = new LetterSteps(steps, (key, failure) -> {
                    throw new IllegalStateException(key + ": a message failed before it was handled.");
                });
                return step.apply(noted[0]);
            });
            noted[0].recorded().forEach(messages::record);
            return result;
        }

        @Override
        public <T> T inTransaction(BiFunction<? super RecordSteps, ? super WorkScope<C>, ? extends T> body) {
            LetterSteps[] noted = new LetterSteps[1];
            T result = super.inTransaction((steps, scope) -> {
                messages.beginTransaction();
                noted[0] = new LetterSteps(steps, (key, failure) -> store(scope.handle(), key, failure));
                return body.apply(noted[0], scope);
            });
            noted[0].recorded().forEach(messages::record);
            return result;
        }
    }

    private void store(C handle, IdempotencyKey key, Failure failure) {
        try {
            deadLetters.store(handle, messages.letter(key, failure));
        } catch (Exception thrown) {
            throw Rethrow.unchanged(thrown);
        }
    }
}
