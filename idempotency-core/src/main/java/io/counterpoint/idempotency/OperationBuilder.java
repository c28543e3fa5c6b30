package io.counterpoint.idempotency;

import java.time.Duration;
import java.util.function.Function;
import java.util.function.Predicate;

/**
 * The settings shared by both kinds of operations. Every value has a default; each is checked when it is set.
 *
 * @param <S> the builder
 */
public abstract sealed class OperationBuilder<S extends OperationBuilder<S>>
        permits TransactionalBuilder, ExternalBuilder, ProviderOperation.Builder, OperationDefaults {

    private final CommonOptions options;

    OperationBuilder(CommonOptions options) {
        this.options = options;
    }

    abstract S self();

    /**
     * Describes what is stored, and returned to every retry, when the work throws. By default there is no message. The
     * code is the simple name of the exception's class. A database exception has a code that is the same for every
     * database, such as {@link Failure#CONSTRAINT}.
     *
     * @param describe creates the failure; it must not reveal anything that a holder of the key may not see
     * @return this
     */
    public S describeFailure(Function<? super Throwable, Failure> describe) {
        options.describe = describe;
        return self();
    }

    /**
     * Lets followers wait for a running leader. Default: not at all; in a single transaction 1 second. They hold no
     * connection while they wait, except in a single transaction behind a leader in another process. Each occupies its
     * thread, so {@link #maxWaiting} limits how many wait.
     *
     * @param wait the longest wait; at most 1 hour, or 1 minute in a single transaction
     * @return this
     * @throws IllegalArgumentException if not positive or too long
     */
    public S waitAtMost(Duration wait) {
        options.wait = options.positive("the longest wait", wait, Duration.ofHours(1));
        options.waitSet = true;
        return self();
    }

    /**
     * Sets how many callers of this operation may wait for leaders at once, in one process and over all keys.
     * Regardless of this setting, at most 100 calls per key are admitted, including the leader. Any other caller does
     * not wait: it gets the recorded outcome, or {@link Outcome.InProgress}, and {@link IdempotencyEvent.WaitRefused}
     * is reported. Default: 100.
     *
     * <p>If several operations with the same name are built on one {@link Idempotency}, each limit counts the callers
     * of all of them. Not limited are calls that wait for a connection, the waits of a {@link Batch} and, in a single
     * transaction, the one caller per key that waits in the database for a leader in another process.
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
     * Sets how long a record is kept before {@link Idempotency#purgeExpired} may delete it. Default: 1 day. Must be
     * longer than any client retries: an expired key counts as new.
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
     * @param bound the longest time
     * @return this
     * @throws IllegalArgumentException if not positive or longer than 1 hour
     */
    public S settleWithin(Duration bound) {
        options.settle = options.positive("the time to settle a commit", bound, Duration.ofHours(1));
        return self();
    }

    /**
     * Sets the maximum size of an encoded result. In a transaction, a larger one is rejected before anything is
     * committed. For an external effect, a larger plan is rejected before anything starts; a larger result is returned
     * but not stored, and retries get it from the lookup. Default: 64 KiB.
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
     * Sets how often a transaction runs again after it was rolled back for a transient reason: a serialization failure, a
     * deadlock, a lock timeout, a lost connection. For an external operation, this applies to the {@linkplain
     * ExternalOperation.Builder#then follow-up}; external work never runs again. Default: 3.
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
     * Also runs a transaction again on additional exceptions, such as a framework's own for a serialization failure.
     * Each run begins after the previous one was rolled back. A predicate that throws is ignored.
     *
     * @param thrown true for these exceptions
     * @return this
     */
    public S retryOn(Predicate<? super Throwable> thrown) {
        options.retryOn = CommonOptions.either(options.retryOn, thrown);
        return self();
    }
}
