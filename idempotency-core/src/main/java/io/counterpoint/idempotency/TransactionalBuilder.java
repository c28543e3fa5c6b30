package io.counterpoint.idempotency;

import io.counterpoint.idempotency.Operation.Abandoned;
import io.counterpoint.idempotency.Operation.Protocol;
import io.counterpoint.idempotency.engine.OperationSettings;
import io.counterpoint.idempotency.function.CheckedBiFunction;
import io.counterpoint.idempotency.internal.Durations;
import java.time.Duration;
import java.util.Optional;
import java.util.function.Predicate;

/** The options of operations whose effect is in the store's own database. */
abstract sealed class TransactionalBuilder<S extends TransactionalBuilder<S, C, R>, C, R> extends OperationBuilder<S>
        permits Operation.Builder, PlannedOperation.Builder {

    /**
     * The maximum overhead of a run on top of its work: the pause before it and the wait for a competing call's record.
     */
    private static final Duration BESIDE_THE_WORK = Duration.ofSeconds(2);

    final OperationOptions<C, R> options;

    TransactionalBuilder(OperationOptions<C, R> options) {
        super(options);
        this.options = options;
    }

    /**
     * Chooses how the key is claimed, and when the record is written. Default: {@link Protocol#CLAIM_FIRST}.
     *
     * @param protocol the protocol
     * @return this
     */
    public S protocol(Protocol protocol) {
        options.chosen = protocol;
        return self();
    }

    /**
     * Sets what a follower does with an attempt whose leader seems to be dead. Default: {@link Abandoned#FAIL} after 1
     * minute.
     *
     * @param abandoned what it does
     * @param after how old a leader's last change must be before a follower checks whether the leader still holds the
     *     record's lock; should exceed the sum of the pause before another run (at most 1 s) and the wait for a
     *     connection. Too short a value costs work, never safety
     * @return this
     * @throws IllegalArgumentException if not positive
     */
    public S whenAbandoned(Abandoned abandoned, Duration after) {
        options.grace = options.positive("the grace period", after, CommonOptions.LONGEST);
        options.abandoned = abandoned;
        return self();
    }

    /**
     * Lets followers of a {@code Pending} record, or of one whose result cannot be decoded, look for the effect by
     * its key.
     *
     * @param lookUp takes a transaction on the primary database and the key, which the work stored with the effect, and
     *     returns the result if the effect exists. It searches by the key, never by similarity. If it throws, the
     *     record stays unchanged
     * @return this
     */
    public S lookUpByKey(CheckedBiFunction<? super C, IdempotencyKey, Optional<R>, Exception> lookUp) {
        options.lookUp = (handle, key, plan) -> Lookup.of(lookUp.apply(handle.get(), key));
        return self();
    }

    /**
     * Removes the claim instead of writing {@code Failed} when the work threw one of these, so that the key can be
     * used again. Default: none; a failed key stays failed.
     *
     * <p>Repeated calls accumulate.
     *
     * @param thrown true for the exceptions that release the key
     * @return this
     */
    public S releaseOn(Predicate<? super Throwable> thrown) {
        options.releases = CommonOptions.either(options.releases, thrown);
        return self();
    }

    /** Returns the settings if they are compatible. */
    OperationSettings<C, R> settings() {
        if (options.chosen == Protocol.CLAIM_FIRST) {
            return options.settings(options.wait);
        }
        Duration wait = options.waitSet ? options.wait : Duration.ofSeconds(1);
        options.positive("the longest wait in one transaction", wait, Duration.ofMinutes(1));
        if (options.chosen == Protocol.RECORD_LAST) {
            requireFitForRecordLast(wait);
        }
        return options.settings(wait);
    }

    /** Rejects settings that are incompatible with a record that is inserted last. */
    private void requireFitForRecordLast(Duration wait) {
        if (options.lookUp != null) {
            throw options.refused(
                    "RECORD_LAST needs no lookup, because its record commits with the effect; remove the lookup");
        }
        if (options.releases != CommonOptions.NEVER) {
            throw options.refused(
                    "RECORD_LAST cannot release a key, because another caller or an earlier COMMIT whose reply was"
                            + " lost may still commit it; remove releaseOn, or choose another protocol");
        }
        Duration known = wait.plus(options.settle).plus(BESIDE_THE_WORK.multipliedBy(options.retries + 1L));
        if (options.retention.compareTo(known) <= 0) {
            throw options.refused(
                    "RECORD_LAST needs a retention longer than the longest call; otherwise a late COMMIT could"
                            + " duplicate an effect whose record was purged. Apart from its work, a call can take "
                            + Durations.text(known) + ", found "
                            + Durations.text(options.retention));
        }
        if (!options.store().keepsEveryInsert()) {
            throw options.refused(
                    "RECORD_LAST needs a table known to keep every inserted record. For a JDBC store, qualify the"
                            + " table with its schema, such as table(\"public.idempotency_record\"), and call"
                            + " checkTable() first. Found "
                            + options.store());
        }
    }
}
