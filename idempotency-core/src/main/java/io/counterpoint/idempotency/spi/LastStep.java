package io.counterpoint.idempotency.spi;

import io.counterpoint.idempotency.IdempotencyKey;
import io.counterpoint.idempotency.spi.IdempotencyRecord.Payload;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.UUID;
import java.util.function.Function;
import java.util.function.Predicate;

/** The step that {@link RecordSteps#commitWith} executes in the same transaction, right before its commit. */
public sealed interface LastStep {

    /** What became of a last step. Nothing is committed unless it is {@link #DONE}. */
    enum Result {
        /** The step is done, and the transaction committed. */
        DONE,
        /**
         * A record is not {@code Pending} under its token. Or the transaction has ended and the store cannot tell the
         * two apart.
         */
        NOT_MINE,
        /**
         * The database's transaction is no longer the one in which the record was claimed or locked, or which was begun
         * without a claim.
         */
        ENDED
    }

    /**
     * {@link RecordSteps#succeed}, for a record that this transaction has claimed or locked.
     *
     * @param key the key
     * @param token the leader's token
     * @param result the encoded result; if empty, the plan stored by the claim, if any, remains the result
     */
    record Succeed(IdempotencyKey key, UUID token, Optional<Payload> result) implements LastStep {}

    /**
     * {@link RecordSteps#succeed} for many records that {@link RecordSteps#claimAll} has inserted in this transaction.
     *
     * @param successes the records, in the order of the keys; at least one
     */
    record SucceedAll(List<Success> successes) implements LastStep {}

    /**
     * A record that becomes {@code Succeeded}.
     *
     * @param key the key
     * @param token the leader's token
     * @param result the encoded result
     */
    record Success(IdempotencyKey key, UUID token, Payload result) {}

    /**
     * Changes nothing, but requires that the database's transaction is still the one in which the record was claimed or
     * locked, and that its commit survives a crash.
     *
     * @param key the key
     */
    record RequireNotEnded(IdempotencyKey key) implements LastStep {}

    /**
     * An unconditional insert after {@link RecordSteps#beginUnclaimed}. It inserts the record, or throws, in which case
     * nothing is committed. It waits for an unfinished transaction that has inserted the key. Where there is a record
     * with the key, what is thrown {@linkplain Fault#provesRollback() proves a rollback}. It proves nothing else: the
     * domain's own constraints may throw the same.
     *
     * @param record the record, {@code Succeeded}
     * @param retention as in {@link RecordSteps#claim}
     * @param lockWait the longest wait for another transaction, and for anything that the commit itself waits for;
     *     positive
     */
    record Insert(IdempotencyRecord record, Duration retention, Duration lockWait) implements LastStep {}

    /**
     * Inserts many records: either all of them, or it throws, in which case nothing is committed. A store may use one
     * statement, which inserts <em>in the order of the list</em>.
     *
     * @param records {@code Succeeded} records of different keys, in the order of the keys; at least one
     * @param retention as in {@link RecordSteps#claim}
     * @param lockWait as in {@link Insert}, for each record
     */
    record InsertAll(List<IdempotencyRecord> records, Duration retention, Duration lockWait) implements LastStep {}

    /**
     * Executes the step without the commit, using the store's single steps.
     *
     * @param steps the steps
     * @param insert inserts a record and returns whether it did. Many records are inserted one by one, in order
     * @return whether the step was done; true for one that changes nothing
     */
    default boolean doneBy(RecordSteps steps, Predicate<? super Insert> insert) {
        if (this instanceof Succeed one) {
            return steps.succeed(one.key(), one.token(), one.result());
        }
        if (this instanceof SucceedAll all) {
            return all.successes().stream()
                    .allMatch(one -> steps.succeed(one.key(), one.token(), Optional.of(one.result())));
        }
        if (this instanceof InsertAll all) {
            return all.records().stream()
                    .allMatch(record -> insert.test(new Insert(record, all.retention(), all.lockWait())));
        }
        return !(this instanceof Insert one) || insert.test(one);
    }

    /**
     * By the kind of step.
     *
     * @param <T> the result
     * @param succeed for one success
     * @param succeedAll for several
     * @param requireNotEnded for a step without a change
     * @param insert for an insert
     * @param insertAll for several
     * @return what the function of this kind returns
     */
    default <T> T fold(
            Function<? super Succeed, ? extends T> succeed,
            Function<? super SucceedAll, ? extends T> succeedAll,
            Function<? super RequireNotEnded, ? extends T> requireNotEnded,
            Function<? super Insert, ? extends T> insert,
            Function<? super InsertAll, ? extends T> insertAll) {
        if (this instanceof Succeed one) {
            return succeed.apply(one);
        }
        if (this instanceof SucceedAll all) {
            return succeedAll.apply(all);
        }
        if (this instanceof RequireNotEnded none) {
            return requireNotEnded.apply(none);
        }
        return this instanceof InsertAll all ? insertAll.apply(all) : insert.apply((Insert) this);
    }
}
