package io.counterpoint.idempotency.torture;

import io.counterpoint.idempotency.IdempotencyKey;
import io.counterpoint.idempotency.broken.BrokenStore;
import io.counterpoint.idempotency.spi.ForwardingStore;
import io.counterpoint.idempotency.spi.IdempotencyStore;
import java.util.Locale;
import java.util.function.UnaryOperator;
import org.jdbi.v3.core.Handle;

/** The library with one bug. A torture that does not notice it proves nothing. */
enum Mutant {
    MARK_OUTSIDE(BrokenStore.MARK_OUTSIDE, Mode.CLAIM_FIRST),
    STALE_LEADER_PASSES(BrokenStore.STALE_LEADER_PASSES, Mode.CLAIM_FIRST),
    FAILED_ON_UNKNOWN_COMMIT(BrokenStore.FAILED_ON_UNKNOWN_COMMIT, Mode.CLAIM_FIRST),
    FAILED_BEFORE_DURABLE(BrokenStore.FAILED_BEFORE_DURABLE, Mode.TAKE_OVER),
    CLAIM_ALWAYS_LEADS(BrokenStore.CLAIM_ALWAYS_LEADS, Mode.SINGLE_PLANNED),
    ASYNCHRONOUS_COMMIT(
            "the domain and its mark commit asynchronously",
            UncheckedCommit::asynchronously,
            Mode.SINGLE_PLANNED,
            true),
    LOST_TRANSACTION_COMMITS(
            "a transaction commits what followed a deadlock that had ended it",
            UncheckedCommit::inWhateverTransaction,
            Mode.SINGLE_PLANNED,
            false),
    INSERT_LEAVES_THE_RECORD_OUT(BrokenStore.INSERT_LEAVES_THE_RECORD_OUT, Mode.RECORD_LAST),
    BATCH_LEADS_AND_COUNTS_NO_MARKS(BrokenStore.BATCH_LEADS_AND_COUNTS_NO_MARKS, Mode.BATCH),
    BATCH_INSERT_LEAVES_RECORDS_OUT(BrokenStore.BATCH_INSERT_LEAVES_RECORDS_OUT, Mode.BATCH_RECORD_LAST),
    THROW_IS_PROOF("whatever an effect elsewhere throws proves that there is none", Mode.EXTERNAL),
    RELEASE_WITHOUT_PROOF("whatever an effect elsewhere throws releases the key", Mode.EXTERNAL),
    EXTERNAL_TAKE_OVER(BrokenStore.EXTERNAL_TAKE_OVER, Mode.EXTERNAL),
    PENDING_IS_FAILED(BrokenStore.PENDING_IS_FAILED, Mode.EXTERNAL),
    PURGE_OF_PENDING(BrokenStore.PURGE_TAKES_PENDING_RECORDS, Mode.EXTERNAL_PLANNED),
    ASYNCHRONOUS_EXTERNAL_CLAIM(
            BrokenStore.CLAIM_IS_ASYNCHRONOUS.description(),
            BrokenStore.CLAIM_IS_ASYNCHRONOUS::over,
            Mode.EXTERNAL,
            true),
    FOLLOW_UP_OUTSIDE(BrokenStore.MARK_OUTSIDE, Mode.EXTERNAL_THEN),
    HEALED_WITHOUT_FOLLOW_UP("who finds another's effect marks it without its follow-up", Mode.EXTERNAL_THEN),
    SILENCE_IS_REFUSAL("a request without an answer was refused", Mode.EXTERNAL_THEN),
    SPRING_MARK_OUTSIDE(BrokenStore.MARK_OUTSIDE, Mode.SPRING_CLAIM_FIRST),
    SPRING_FAILED_ON_UNKNOWN_COMMIT(BrokenStore.FAILED_ON_UNKNOWN_COMMIT, Mode.SPRING_CLAIM_FIRST),
    SPRING_COMMIT_IS_BELIEVED("Spring's manager takes each COMMIT for carried out", Mode.SPRING_SINGLE),
    WARNING_IGNORED(BrokenStore.WARNING_IGNORED, Mode.FAILOVER_CLAIM_FIRST),
    CONFIRMED_BY_A_READ(BrokenStore.CONFIRMED_BY_A_READ, Mode.FAILOVER_CLAIM_FIRST),
    REPLAY_DOES_NOT_WAIT(
            "a follower answers what it has read",
            store -> new ForwardingStore<>(store) {
                @Override
                public void awaitDurable(IdempotencyKey key) {}
            },
            Mode.FAILOVER_DURABLE_REPLAYS,
            false),
    CLAIM_CONFIRMED_BY_A_READ(
            "an effect elsewhere begins on a claim that was read",
            BrokenStore.CONFIRMED_BY_A_READ::over,
            Mode.FAILOVER_EXTERNAL,
            false);

    private final String text;

    @SuppressWarnings("ImmutableEnumChecker") // It has no state: each store that it makes has its own.
    private final UnaryOperator<IdempotencyStore<Handle>> wrong;

    private final Mode mode;
    private final boolean showsInCrashes;

    Mutant(BrokenStore broken, Mode mode) {
        this(broken.description(), broken::over, mode, false);
    }

    /** The store is correct, but the operation is not. */
    Mutant(String text, Mode mode) {
        this(text, UnaryOperator.identity(), mode, false);
    }

    Mutant(String text, UnaryOperator<IdempotencyStore<Handle>> wrong, Mode mode, boolean showsInCrashes) {
        this.text = text;
        this.wrong = wrong;
        this.mode = mode;
        this.showsInCrashes = showsInCrashes;
    }

    /** The faults that reveal the bug. */
    Rates rates() {
        if (mode.isReplicated()) {
            return Rates.NOTHING_BUT_FAILOVERS;
        }
        return showsInCrashes ? Rates.CRASHES : Rates.CUTS_AND_STOPS;
    }

    /** Whether an engine can have the bug. Only PostgreSQL allows asynchronous commits per transaction. */
    boolean isOf(Engine engine) {
        return engine.has(mode) && (engine == Engine.POSTGRESQL ? this != LOST_TRANSACTION_COMMITS : !showsInCrashes);
    }

    /** The mode with the bug. */
    Mode mode() {
        return mode;
    }

    /** The store with the bug, or the correct store if the bug is in the operation. */
    IdempotencyStore<Handle> over(IdempotencyStore<Handle> store) {
        return wrong.apply(store);
    }

    String option() {
        return name().toLowerCase(Locale.ROOT).replace('_', '-');
    }

    @Override
    public String toString() {
        return text;
    }
}
