package io.counterpoint.idempotency;

import io.counterpoint.idempotency.Idempotency.CheckReturnValue;
import io.counterpoint.idempotency.engine.OperationSettings;
import io.counterpoint.idempotency.function.CheckedFunction;

/**
 * A named use case in the store's own database whose effect happens at most once per key. Immutable and thread-safe.
 *
 * <p>Guarantees: at most one effect per key; a committed effect is found by every later call with that key, within the
 * retention; {@code Failed} means no effect; a superseded leader cannot commit. Conditions: the work does everything
 * through the handle it is given, and leaves the transaction to this library. Not guaranteed: that a failed key can be
 * used again (see {@link Builder#releaseOn}), or anything after the retention has passed. {@link Batch}: many at once.
 * If the result is known before the work, use a {@link PlannedOperation}.
 *
 * @param <C> the handle that the work gets
 * @param <R> the type of the result
 */
public final class Operation<C, R> {

    final OperationSettings<C, R> settings;

    private Operation(OperationSettings<C, R> settings) {
        this.settings = settings;
    }

    /**
     * Executes an attempt, or returns the outcome of an earlier call with the same key.
     *
     * <p>The work runs in one transaction and may run several times, each after the earlier run was rolled back; so it
     * must act only through its handle, and must not modify variables outside. An exception that it throws is rethrown
     * as the same object, once the failure of the attempt is durable. For two kinds of checked exceptions, Java infers
     * {@code Exception}.
     *
     * @param <X> what the work throws
     * @param attempt the caller's scope, its key and its request
     * @param work the domain's part of the transaction: takes the handle, which refuses to end the transaction, and
     *     returns the result, not null; {@link Done#DONE} if there is none. If it throws, everything it did through the
     *     handle is rolled back
     * @return the outcome of the attempt
     * @throws X what the work threw, if this call ran it and no other call had already succeeded
     * @throws IdempotencyException if the store is unreachable, the outcome of a commit is unknown, or a result cannot
     *     be stored or read
     * @throws AttemptAlreadyUsedException if this operation has already returned its result for this attempt, for which
     *     it returns only one
     * @throws IllegalStateException if called inside another call, or inside an open transaction
     */
    @CheckReturnValue
    public <X extends Exception> Outcome<R> execute(Attempt attempt, CheckedFunction<C, R, X> work) throws X {
        return attempt.call(settings, null, (handle, key, plan) -> work.apply(handle.get()));
    }

    /**
     * The full key of an attempt.
     *
     * @param attempt the attempt
     * @return its key for this operation
     */
    public IdempotencyKey keyOf(Attempt attempt) {
        return attempt.keyFor(settings.name());
    }

    @Override
    public String toString() {
        return "Operation" + settings;
    }

    /**
     * Builds an operation. Every value has a default; each is checked when it is set.
     *
     * @param <C> the handle
     * @param <R> the result
     */
    public static final class Builder<C, R> extends TransactionalBuilder<Builder<C, R>, C, R> {

        Builder(OperationOptions<C, R> options) {
            super(options);
        }

        @Override
        Builder<C, R> self() {
            return this;
        }

        /**
         * Continues as a builder for an operation whose attempts have plans, that is, results that are known before the
         * work.
         *
         * @return a builder initialized with the values of this one
         */
        public PlannedOperation.Builder<C, R> planned() {
            return new PlannedOperation.Builder<>(options.copy());
        }

        /**
         * Builds the operation. The builder can be used again.
         *
         * @return the operation
         * @throws IllegalArgumentException if values contradict each other
         */
        public Operation<C, R> build() {
            return new Operation<>(settings());
        }
    }

    /** How the key is claimed, and when the record is written. */
    public enum Protocol {
        /** The claim is committed before the work begins, so duplicates see the leader at once. */
        CLAIM_FIRST,
        /**
         * Claim, work and mark are one transaction. Fastest with a plan, and a dead leader leaves nothing behind. Followers
         * of a running leader wait for it, up to {@link Builder#waitAtMost} (default 1 s), with a connection if it is
         * in another process.
         */
        SINGLE_TRANSACTION,
        /**
         * The work comes first, and the finished record is inserted together with the COMMIT. The record's primary key
         * decides which of several callers commits. On PostgreSQL the protection costs no round trip. For short work with
         * rare duplicates. An existing record is replayed as under the other protocols.
         *
         * <p>Compared with them, it gives up the following:
         * <ul>
         *   <li>The work of one key can run in several processes at once, even for a different request under that key.
         *       One of them commits; the others are rolled back and follow its record.
         *   <li>A duplicate waits for as long as the work holds its locks, so set a {@code lock_timeout}. It is {@code
         *       InProgress} only after its own work, if another call's COMMIT takes longer than 1 second. That limit
         *       also applies to deferred constraints of the domain. In one process it waits for its turn first, up to
         *       {@link Builder#waitAtMost} (default 1 s), and is then {@code InProgress} without its work.
         *   <li>SQL text of the work that ends the transaction can leave an effect without a record. H2, MariaDB and
         *       MySQL always reveal that, so that the outcome is unknown; PostgreSQL's driver reveals most cases.
         *   <li>Work that always encounters locks, conflicts or lost connections never becomes {@code Failed}: the call
         *       throws {@link NotStartedException} after its last run.
         *   <li>A failed key cannot be released.
         *   <li>After a COMMIT whose reply was lost, the key is claimed first. A caller that dies then leaves a {@code
         *       Pending} record: {@link Builder#whenAbandoned} decides about it.
         * </ul>
         *
         * <p>The retention must be longer than the longest call. {@link Builder#build} rejects it with a lookup, with
         * {@link Builder#releaseOn}, and for a store that does not {@linkplain
         * io.counterpoint.idempotency.spi.IdempotencyStore#keepsEveryInsert keep every insert}. With the JDBC store,
         * qualify the table with its schema, and call {@code checkTable()} first.
         */
        RECORD_LAST
    }

    /** What a follower does with an attempt whose leader has made no change for the grace period and holds no lock. */
    public enum Abandoned {
        /** It proves that nothing is committed, and writes {@code Failed} with the code {@link Failure#ABANDONED}. */
        FAIL,
        /** It proves that nothing is committed, and runs its own work under a fresh token, with the stored plan. */
        TAKE_OVER,
        /** It leaves the record {@code Pending} forever, unless a lookup resolves it. */
        LEAVE
    }
}
