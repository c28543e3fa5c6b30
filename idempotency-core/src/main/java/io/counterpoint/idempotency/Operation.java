package io.counterpoint.idempotency;

import io.counterpoint.idempotency.Idempotency.CheckReturnValue;
import io.counterpoint.idempotency.engine.Engine;
import io.counterpoint.idempotency.engine.Environment;
import io.counterpoint.idempotency.engine.OperationSettings;
import io.counterpoint.idempotency.function.CheckedBiConsumer;
import io.counterpoint.idempotency.function.CheckedBiFunction;
import io.counterpoint.idempotency.function.CheckedBiPredicate;
import io.counterpoint.idempotency.function.CheckedFunction;
import java.time.Duration;
import java.util.Optional;
import java.util.function.Predicate;
import java.util.function.Supplier;

/**
 * A named use case in the store's own database whose effect happens at most once per key. Immutable and thread-safe.
 *
 * <p>Promised: at most one effect per key; a committed effect is found by every later call with that key, within the
 * retention; {@code Failed} means no effect; a superseded leader cannot commit. Conditions: the work does all it
 * does through the handle it is given, and leaves the transaction to this library. Not promised: that a failed key can be
 * used again (see {@link Builder#releaseOn}), nor anything after the retention has passed. {@link Batch}: many at once.
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
     * Executes an attempt, or answers with what an earlier call of the same key did.
     *
     * <p>The work runs in one transaction and may run several times, each after the earlier run was rolled back; so it
     * must not act on anything but its handle, and must not fill variables outside. What it throws is thrown on, as the
     * same object, once it is durable that the attempt has failed. With two kinds of checked exceptions Java infers
     * {@code Exception}.
     *
     * @param <X> what the work throws
     * @param attempt who asks, under which key, with which request
     * @param work the domain's part of the transaction: takes the handle, which refuses to end the transaction, and returns
     *     the result, not null; {@link Done#DONE} where there is none. If it throws, all that it did through the handle is
     *     rolled back
     * @return what the caller may know of the attempt
     * @throws X what the work threw, when this call ran it and no other answer stands
     * @throws IdempotencyException if the store could not be asked, a commit's fate could not be learned, or a result
     *     cannot be stored or read
     * @throws AttemptAlreadyUsedException if this operation has given its result for this attempt, and gives one only
     * @throws IllegalStateException if called inside another call, or inside an open transaction; or if this operation
     *     looks up by plan
     */
    @CheckReturnValue
    public <X extends Exception> Outcome<R> execute(Attempt attempt, CheckedFunction<C, R, X> work) throws X {
        return attempt.call(
                settings.name(),
                request -> Engine.execute(settings, request, null, (handle, key, plan) -> work.apply(handle.get())));
    }

    /**
     * Executes an attempt whose result is known before the work, such as generated identifiers. The plan is stored with
     * the claim. A follower can therefore look for exactly what was planned, and a further run makes the same again.
     *
     * @param <X> what the work throws
     * @param attempt who asks, under which key, with which request
     * @param plan makes the result; cheap and without effect, since it also runs for calls that turn out to be replays
     * @param work takes the handle, as in {@link #execute}, and the plan; after a takeover, that of the first leader. It
     *     makes the planned true, or throws
     * @return what the caller may know of the attempt
     * @throws X what the work threw, when this call ran it and no other answer stands
     * @throws IdempotencyException as {@link #execute}
     * @throws IllegalStateException if called inside another call, or inside an open transaction
     */
    @CheckReturnValue
    public <X extends Exception> Outcome<R> executePlanned(
            Attempt attempt, Supplier<? extends R> plan, CheckedBiConsumer<C, R, X> work) throws X {
        return attempt.call(
                settings.name(),
                request -> Engine.execute(settings, request, plan, (handle, key, planned) -> {
                    R result = planned.orElseThrow();
                    work.accept(handle.get(), result);
                    return result;
                }));
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
    public static final class Builder<C, R> extends OperationBuilder<Builder<C, R>> {

        /** What a run costs a call beside its work, at most: the pause before it and the wait for a rival's record. */
        private static final Duration BESIDE_THE_WORK = Duration.ofSeconds(2);

        private final OperationOptions<C, R> options;

        Builder(Environment<C> environment, String name, ResultCodec<R> codec) {
            this(new OperationOptions<>(environment, name, codec, false));
        }

        private Builder(OperationOptions<C, R> options) {
            super(options);
            this.options = options;
        }

        @Override
        Builder<C, R> self() {
            return this;
        }

        /**
         * Chooses how the key is claimed, and when the record is written. Default: {@link Protocol#CLAIM_FIRST}.
         *
         * @param protocol the protocol
         * @return this
         */
        public Builder<C, R> protocol(Protocol protocol) {
            options.chosen = protocol;
            return this;
        }

        /**
         * Decides what a follower does with an attempt whose leader seems to be dead. Default: {@link Abandoned#FAIL}
         * after 1 minute.
         *
         * @param abandoned what it does
         * @param after how long ago a leader's last change may be before a follower checks whether the leader still holds
         *     the record's lock; longer than the pause before a further run (at most 1 s) and the wait for a connection
         *     together. Too short costs work, never safety
         * @return this
         * @throws IllegalArgumentException if not positive
         */
        public Builder<C, R> whenAbandoned(Abandoned abandoned, Duration after) {
            options.grace = options.positive("the grace period", after, OperationOptions.LONGEST);
            options.abandoned = abandoned;
            return this;
        }

        /**
         * Lets followers of a {@code Pending} record look for what was planned. The answer is then the plan.
         *
         * @param lookUp takes a transaction on the primary database and the stored plan, and says whether what was planned
         *     is there: looks by its identifiers, and never by resemblance. If it throws, the record stays as it is
         * @return this
         */
        public Builder<C, R> lookUpByPlan(CheckedBiPredicate<? super C, ? super R, Exception> lookUp) {
            options.looksUpByPlan = true;
            options.lookUp = (handle, key, plan) ->
                    Lookup.of(plan.isPresent() && lookUp.test(handle.get(), plan.get()) ? plan : Optional.empty());
            return this;
        }

        /**
         * Lets followers of a {@code Pending} record, or of one whose result cannot be decoded, look for the effect by
         * its key.
         *
         * @param lookUp takes a transaction on the primary database and the key, which the work stored with the effect, and
         *     returns the result, if the effect is there: looks by the key, and never by resemblance. If it throws, the
         *     record stays as it is
         * @return this
         */
        public Builder<C, R> lookUpByKey(CheckedBiFunction<? super C, IdempotencyKey, Optional<R>, Exception> lookUp) {
            options.looksUpByPlan = false;
            options.lookUp = (handle, key, plan) -> Lookup.of(lookUp.apply(handle.get(), key));
            return this;
        }

        /**
         * Removes the claim instead of writing {@code Failed} when the work threw one of these, so that the key can be
         * used again. Default: none; a failed key stays failed.
         *
         * <p>Further calls add to the earlier ones.
         *
         * @param thrown true for the exceptions that release the key
         * @return this
         */
        public Builder<C, R> releaseOn(Predicate<? super Throwable> thrown) {
            options.releases = OperationOptions.either(options.releases, thrown);
            return this;
        }

        /**
         * Builds. The builder can go on and build others.
         *
         * @return the operation
         * @throws IllegalArgumentException if values contradict each other
         */
        public Operation<C, R> build() {
            if (options.chosen == Protocol.CLAIM_FIRST) {
                return new Operation<>(options.settings(options.wait));
            }
            Duration wait = options.waitSet ? options.wait : Duration.ofSeconds(1);
            options.positive("the longest wait in one transaction", wait, Duration.ofMinutes(1));
            if (options.chosen == Protocol.RECORD_LAST) {
                requireFitForRecordLast(wait);
            }
            return new Operation<>(options.settings(wait));
        }

        /** Refuses what does not go together with a record that is inserted last. */
        private void requireFitForRecordLast(Duration wait) {
            if (options.lookUp != null) {
                throw options.refused("RECORD_LAST has no use for a lookup, since its record commits with the effect;"
                        + " leave the lookup out");
            }
            if (options.releases != OperationOptions.NEVER) {
                throw options.refused(
                        "RECORD_LAST cannot release a key, since another caller may be about to commit it,"
                                + " or an earlier COMMIT that was not answered; leave releaseOn out, or choose another protocol");
            }
            Duration known = wait.plus(options.settle).plus(BESIDE_THE_WORK.multipliedBy(options.retries + 1L));
            if (options.retention.compareTo(known) <= 0) {
                throw options.refused(
                        "RECORD_LAST needs a retention longer than the longest call, or a late COMMIT doubles"
                                + " an effect whose record is purged. Without its work a call may take " + known
                                + ", found "
                                + options.retention);
            }
            if (!options.store().keepsEveryInsert()) {
                throw options.refused("RECORD_LAST needs a table of which the store knows that nothing can leave out an"
                        + " inserted record. A JDBC store knows it where its table is named with its schema, as in"
                        + " table(\"public.idempotency_record\"), and after checkTable(); do both before this. Found "
                        + options.store());
            }
        }
    }

    /** How the key is claimed, and when the record is written. */
    public enum Protocol {
        /** The claim is committed before the work begins, so duplicates learn of the leader at once. */
        CLAIM_FIRST,
        /**
         * Claim, work and mark are one transaction. Fastest with a plan, and a dead leader leaves nothing behind. Followers
         * of a running leader wait for it, up to {@link Builder#waitAtMost} (default 1 s), with a connection if it is of
         * another process.
         */
        SINGLE_TRANSACTION,
        /**
         * The work comes first, and the finished record is inserted together with the COMMIT. The record's primary key
         * decides which of several callers commits. On PostgreSQL the protection costs no round trip. For short work with
         * rare duplicates. A record that is there is replayed as under the other protocols.
         *
         * <p>It gives up, against them:
         * <ul>
         *   <li>The work of one key can run in several processes at once, also for another request under that key. One
         *       of them commits; the others are rolled back, and follow its record.
         *   <li>A duplicate waits as long as the work's own locks do: set a {@code lock_timeout}. It is {@code InProgress}
         *       only after its work, where another's COMMIT takes longer than 1 second. That bound also holds for
         *       deferred constraints of the domain. In one process it waits for its turn first, up to {@link
         *       Builder#waitAtMost} (default 1 s), and is then {@code InProgress} without its work.
         *   <li>SQL text of the work that ends the transaction can leave an effect without a record. H2, MariaDB and
         *       MySQL always show such an end, so that the outcome is unknown; PostgreSQL's driver shows most of them.
         *   <li>Work that always meets locks, conflicts or lost connections never becomes {@code Failed}: the call throws
         *       {@link NotStartedException} after its last run.
         *   <li>A failed key cannot be released.
         *   <li>After a COMMIT without an answer the key is claimed first. A caller that dies then leaves a {@code Pending}
         *       record: {@link Builder#whenAbandoned} decides about it.
         * </ul>
         *
         * <p>The retention has to be longer than the longest call. {@link Builder#build} refuses it with a lookup, with
         * {@link Builder#releaseOn}, and for a store that does not {@linkplain
         * io.counterpoint.idempotency.spi.IdempotencyStore#keepsEveryInsert keep every insert}. Give the JDBC store a table
         * that is named with its schema, and call {@code checkTable()} first.
         */
        RECORD_LAST
    }

    /** What a follower does with an attempt whose leader made no change for the grace period, and holds no lock. */
    public enum Abandoned {
        /** It proves that nothing is committed, and writes {@code Failed} with the code {@link Failure#ABANDONED}. */
        FAIL,
        /** It proves that nothing is committed, and runs its own work under a fresh token, with the stored plan. */
        TAKE_OVER,
        /** It leaves the record {@code Pending} for ever, unless a lookup heals it. */
        LEAVE
    }
}
