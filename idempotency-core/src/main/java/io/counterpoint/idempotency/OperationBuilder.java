package io.counterpoint.idempotency;

import java.time.Duration;
import java.util.function.Function;
import java.util.function.Predicate;

/**
 * The options shared by both kinds of operations. Every option has a default and is validated when it is set.
 *
 * @param <S> the builder
 */
public abstract sealed class OperationBuilder<S extends OperationBuilder<S>>
        permits TransactionalBuilder, ExternalBuilder, ProviderOperation.Builder, OperationDefaults {

    private final CommonOptions options;

    OperationBuilder(CommonOptions options) {
        this.options = options;
    }

    @SuppressWarnings("unchecked") // S is the type of this
    final S self() {
        return (S) this;
    }

    /**
     * Describes what is stored and returned to every retry when the work throws. By default, the message is empty and
     * the code is the simple name of the exception's class; database exceptions get codes that are the same for every
     * database, such as {@link Failure#CONSTRAINT}.
     *
     * @param describe creates the failure, which must not reveal anything that a holder of the key may not see
     * @return this
     */
    public S describeFailure(Function<? super Throwable, Failure> describe) {
        options.describe = describe;
        return self();
    }

    /**
     * Lets followers wait for a running leader. Default: no waiting; 1 second in a single transaction. Waiting
     * followers hold no connection, except in a single transaction behind a leader in another process. Each one blocks
     * its thread, so {@link #maxWaiting} limits how many may wait.
     *
     * @param wait the maximum wait; at most 1 hour, or 1 minute in a single transaction
     * @return this
     * @throws IllegalArgumentException if not positive or too long
     */
    public S waitAtMost(Duration wait) {
        options.wait = options.positive("the longest wait", wait, Duration.ofHours(1));
        options.waitSet = true;
        return self();
    }

    /**
     * Sets how many callers of this operation may wait for leaders at once, in one process and across all keys.
     * Regardless of this setting, at most 100 calls are admitted per key, including the leader. Any other caller does
     * not wait: it gets the outcome from the record, or {@link Outcome.InProgress}, and {@link
     * IdempotencyEvent.WaitRefused} is reported. Default: 100.
     *
     * <p>If operations with the same name are built several times on one {@link Idempotency}, each limit counts the
     * callers of all of them. The limit does not cover calls that wait for a connection, the waits of a {@link Batch}
     * or, in a single transaction, the one caller per key that waits in the database for a leader in another process.
     *
     * @param callers from 1 to 1,000,000
     * @return this
     * @throws IllegalArgumentException if out of range
     */
    public S maxWaiting(int callers) {
        options.maxWaiting = options.between("the number of waiting callers", 1, 1_000_000, callers);
        return self();
    }

    /**
     * Sets how long a record is kept before {@link Idempotency#purgeExpired} may delete it. Default: 1 day. It must be
     * longer than any client keeps retrying, because an expired key counts as new.
     *
     * @param retention the retention
     * @return this
     * @throws IllegalArgumentException if not positive or longer than 3650 days
     */
    public S retention(Duration retention) {
        options.retention = options.positive("the retention", retention, CommonOptions.LONGEST);
        return self();
    }

    /**
     * Sets how long a call tries to resolve a commit whose reply was lost before it throws {@link
     * OutcomeUnknownException}. After its first failure, the follow-up of an external effect is retried within the same
     * bound. Make it longer than your database's failover. Default: 5 seconds. One step that waits for a connection, a
     * lock or a synchronous standby can exceed it.
     *
     * @param bound the maximum time
     * @return this
     * @throws IllegalArgumentException if not positive or longer than 1 hour
     */
    public S settleWithin(Duration bound) {
        options.settle = options.positive("the time to settle a commit", bound, Duration.ofHours(1));
        return self();
    }

    /**
     * Sets the maximum size of an encoded result. In a transaction, a larger result is rejected before anything is
     * committed. For an external effect, a larger plan is rejected before anything starts; a larger result of completed
     * work is returned but not stored, and retries get it from the lookup. Default: 64 KiB.
     *
     * @param bytes from 1 to 16 MiB
     * @return this
     * @throws IllegalArgumentException if out of range
     */
    public S maxResultBytes(int bytes) {
        options.maxResultBytes = options.between("the largest result", 1, 16 << 20, bytes);
        return self();
    }

    /**
     * Sets how often a transaction runs again after it was rolled back for a transient reason: a serialization failure,
     * a deadlock, a lock timeout, a lost connection. For an external operation, this applies to the transaction of the
     * {@linkplain ExternalOperation.Builder#then follow-up}; external work never runs again. Default: 3.
     *
     * @param retries from 0 to 100
     * @return this
     * @throws IllegalArgumentException if out of range
     */
    public S maxRetries(int retries) {
        options.retries = options.between("the number of retries", 0, 100, retries);
        return self();
    }

    /**
     * Also runs a transaction again after additional exceptions, such as a framework's own exception for a
     * serialization failure. Each run begins after the previous one was rolled back. A predicate that throws is
     * ignored.
     *
     * @param thrown true for these exceptions
     * @return this
     */
    public S retryOn(Predicate<? super Throwable> thrown) {
        options.retryOn = CommonOptions.either(options.retryOn, thrown);
        return self();
    }
}
