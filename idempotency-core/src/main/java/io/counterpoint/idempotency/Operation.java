package io.counterpoint.idempotency;

import io.counterpoint.idempotency.Idempotency.CheckReturnValue;
import io.counterpoint.idempotency.engine.OperationSettings;
import io.counterpoint.idempotency.function.CheckedFunction;

/**
 * A named use case in the store's own database whose effect happens at most once per key. Immutable and thread-safe.
 *
 * <p>Promised: at most one effect per key; every later call with that key finds a committed effect, within the
 * retention period; {@code Failed} means no effect; a superseded leader cannot commit. Conditions: the work acts only
 * through the handle it is given and leaves the transaction to this library. Not promised: that a failed key can be
 * used again (see {@link Builder#releaseOn}), or anything after the retention period. To execute many attempts at once,
 * see {@link Batch}; if the result is known before the work, see {@link PlannedOperation}.
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
     * <p>The work runs in one transaction and may run several times, each time after the previous run was rolled back,
     * so it must act only on its handle and must not assign variables outside. Its exceptions are rethrown as is once
     * it is durable that the attempt has failed. If the work throws two types of checked exceptions, Java infers {@code
     * Exception}.
     *
     * @param <X> the type of exception that the work throws
     * @param attempt the attempt: scope, key and request
     * @param work the domain's part of the transaction: takes the handle, which cannot be used to end the transaction,
     *     and returns the result, not null; {@link Done#DONE} where there is none. If it throws, everything it did
     *     through the handle is rolled back
     * @return the outcome of the attempt
     * @throws X the work's exception, if this call ran it and no other outcome is final
     * @throws IdempotencyException if the store could not be queried, the outcome of a commit could not be determined,
     *     or a result cannot be stored or read
     * @throws AttemptAlreadyUsedException if this operation has already returned a result for this attempt and may
     *     return only one
     * @throws IllegalStateException if called inside another call, or inside an open transaction
     */
    @CheckReturnValue
    public <X extends Exception> Outcome<R> execute(Attempt attempt, CheckedFunction<C, R, X> work) throws X {
        return attempt.call(settings, null, (handle, key, plan) -> work.apply(handle.get()));
    }

    /**
     * Returns the full key of an attempt.
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
     * Builds an operation. Every option has a default and is validated when it is set.
     *
     * @param <C> the handle
     * @param <R> the result
     */
    public static final class Builder<C, R> extends TransactionalBuilder<Builder<C, R>, C, R> {

        Builder(OperationOptions<C, R> options) {
            super(options);
        }

        /**
         * Continues with an operation whose attempts have plans: results that are known before the work.
         *
         * @return a builder with the settings of this one
         */
        public PlannedOperation.Builder<C, R> planned() {
            return new PlannedOperation.Builder<>(options.copy());
        }

        /**
         * Builds the operation. The builder can be reused.
         *
         * @return the operation
         * @throws IllegalArgumentException if options contradict each other
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
         * Claim, work and mark share one transaction. This is fastest with a plan, and a dead leader leaves nothing
         * behind. Followers of a running leader wait for it, up to {@link Builder#waitAtMost} (default 1 s), and hold a
         * connection meanwhile if the leader is in another process.
         */
        SINGLE_TRANSACTION,
        /**
         * The work runs first, and the finished record is inserted together with the COMMIT. The record's primary key
         * decides which of several callers commits. On PostgreSQL the protection costs no extra round trip. Use it for
         * short work with rare duplicates. An existing record is replayed as under the other protocols.
         *
         * <p>Compared with the other protocols:
         * <ul>
         *   <li>The work of one key can run in several processes at once, even for different requests under that key.
         *       One of them commits; the others are rolled back and follow its record.
         *   <li>A duplicate waits as long as the work's own locks do, so set a {@code lock_timeout}. It becomes {@code
         *       InProgress} only after its work, if another caller's COMMIT takes longer than 1 second. That bound also
         *       applies to deferred constraints of the domain. Within one process, a duplicate first waits for its
         *       turn, up to {@link Builder#waitAtMost} (default 1 s), and is then {@code InProgress} without running
         *       its work.
         *   <li>If the work ends the transaction by SQL text, an effect can be left without a record. H2, MariaDB and
         *       MySQL always reveal this, so the outcome is reported as unknown; PostgreSQL's driver reveals most such
         *       cases.
         *   <li>Work that always encounters locks, conflicts or lost connections never becomes {@code Failed}: the call
         *       throws {@link NotStartedException} after its last run.
         *   <li>A failed key cannot be released.
         *   <li>When the reply to a COMMIT is lost, the key is claimed before the next run. A caller that dies at that
         *       point leaves a {@code Pending} record, which {@link Builder#whenAbandoned} governs.
         * </ul>
         *
         * <p>The retention must be longer than the longest call. {@link Builder#build} rejects this protocol with a
         * lookup, with {@link Builder#releaseOn}, and for a store that does not {@linkplain
         * io.counterpoint.idempotency.spi.IdempotencyStore#keepsEveryInsert keep every insert}. Configure the JDBC
         * store with a schema-qualified table name, and call {@code checkTable()} first.
         */
        RECORD_LAST
    }

    /** What a follower does with an attempt whose leader has made no change for the grace period and holds no lock. */
    public enum Abandoned {
        /** Proves that nothing is committed and writes {@code Failed} with the code {@link Failure#ABANDONED}. */
        FAIL,
        /** Proves that nothing is committed and runs its own work under a new token, with the stored plan. */
        TAKE_OVER,
        /** Leaves the record {@code Pending} indefinitely, unless a lookup resolves it. */
        LEAVE
    }
}
