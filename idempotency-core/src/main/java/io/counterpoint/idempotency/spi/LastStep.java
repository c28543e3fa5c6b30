package io.counterpoint.idempotency.spi;

import io.counterpoint.idempotency.IdempotencyKey;
import io.counterpoint.idempotency.spi.IdempotencyRecord.Payload;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.UUID;
import java.util.function.Function;
import java.util.function.Predicate;

/** A step that {@link RecordSteps#commitWith} performs together with the commit that follows it. */
public sealed interface LastStep {

    /** The result of a last step. Nothing is committed unless it is {@link #DONE}. */
    enum Result {
        /** The step is done and the transaction is committed. */
        DONE,
        /** A record is not {@code Pending} under its token, or the transaction has ended and the store cannot tell. */
        NOT_MINE,
        /**
         * The current transaction of the database is no longer the one in which the record was claimed, locked or
         * begun.
         */
        ENDED
    }

    /**
     * {@link RecordSteps#succeed} for a record that this transaction has claimed or locked.
     *
     * @param key the key
     * @param token the leader's token
     * @param result the encoded result; if empty, the plan stored with the claim, if any, is the result
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
     * Changes nothing, but requires that this still is the database transaction in which the record was claimed or
     * locked, and that its commit survives a crash.
     *
     * @param key the key
     */
    record RequireNotEnded(IdempotencyKey key) implements LastStep {}

    /**
     * An unconditional insert after {@link RecordSteps#beginUnclaimed}: it either inserts the record or throws, in
     * which case nothing is committed. It waits for a transaction that has inserted the key and not ended. If a record
     * with the key exists, the exception {@linkplain Fault#provesRollback() proves a rollback}. It proves nothing more,
     * because the domain's own constraints may throw the same exception.
     *
     * @param record the record, {@code Succeeded}
     * @param retention as in {@link RecordSteps#claim}
     * @param lockWait the maximum wait for another transaction, and for whatever the commit itself waits for; positive
     */
    record Insert(IdempotencyRecord record, Duration retention, Duration lockWait) implements LastStep {}

    /**
     * {@link Insert} for many records: it either inserts all of them or throws, in which case nothing is committed. A
     * store may use one statement, which inserts <em>in the order of the list</em>.
     *
     * @param records {@code Succeeded} records of different keys, in the order of the keys; at least one
     * @param retention as in {@link RecordSteps#claim}
     * @param lockWait as in {@link Insert}, for each record
     */
    record InsertAll(List<IdempotencyRecord> records, Duration retention, Duration lockWait) implements LastStep {}

    /**
     * Performs the step without the commit, using the individual steps of a store.
     *
     * @param steps the steps
     * @param insert inserts a record and returns whether it did; many records are inserted one by one, in order
     * @return whether the step is done; true for a step that changes nothing
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
     * Handles every kind of step.
     *
     * @param <T> the result
     * @param succeed handles one success
     * @param succeedAll handles several successes
     * @param requireNotEnded handles a step without a change
     * @param insert handles an insert
     * @param insertAll handles several inserts
     * @return what the handler of this kind returned
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
