package io.counterpoint.idempotency.consistency.comparison;

import static java.nio.charset.StandardCharsets.UTF_8;

import io.counterpoint.idempotency.Attempt;
import io.counterpoint.idempotency.Done;
import io.counterpoint.idempotency.ExternalOperation;
import io.counterpoint.idempotency.Idempotency;
import io.counterpoint.idempotency.Lookup;
import io.counterpoint.idempotency.Outcome;
import io.counterpoint.idempotency.ResultCodec;
import io.counterpoint.idempotency.consistency.check.Schedule;
import java.time.Duration;
import java.time.Instant;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.UUID;
import java.util.concurrent.atomic.AtomicReference;
import org.jdbi.v3.core.Handle;
import org.jspecify.annotations.Nullable;

/**
 * Lets operators review the findings of a comparison: each finding shows both values until an operator decides which
 * side is correct, and a repair follows the decisions. Findings and decisions are in the tables of the comparison's
 * {@link JdbiJournal}, the same for every node. Immutable and thread-safe.
 *
 * <pre>{@code
 * ComparisonReview<Long> review = ComparisonReview.of(comparison);
 * review.detectDue(idempotency, Schedule.hourly(), clock.now());  // on every node, as often as you like
 * review.findings(0, 100);                                        // key, kind, old value, new value, decision
 * review.decide(4711L, Decision.NEW);
 * review.decideRest(Decision.OLD);
 * RepairResult<Long> result = review.repair().allowDeletes().build().apply();
 * }</pre>
 *
 * <p>A decision applies to both rows as they were found. It persists across runs as long as they find the same rows,
 * and becomes void once either row is written. Undecided findings are not repaired.
 *
 * @param <K> the type of the keys
 */
public final class ComparisonReview<K> {

    private static final int TOGETHER = 500;

    private final Comparison<K> comparison;
    private final Decisions<K> decisions;

    private ComparisonReview(Comparison<K> comparison, Decisions<K> decisions) {
        this.comparison = comparison;
        this.decisions = decisions;
    }

    /**
     * Creates a review of the findings of a comparison.
     *
     * @param <K> the type of the keys
     * @param comparison a comparison with a {@link JdbiJournal}
     * @return a review
     * @throws IllegalArgumentException if it has a different kind of journal
     */
    public static <K> ComparisonReview<K> of(Comparison<K> comparison) {
        if (!(comparison.settings().journal() instanceof JdbiJournal journal)) {
            throw new IllegalArgumentException("Decisions are stored in tables, but comparison '" + comparison.name()
                    + "' uses a " + comparison.settings().journal().getClass().getName() + ". Give it a JdbiJournal.");
        }
        return new ComparisonReview<>(comparison, journal.decisions(comparison.settings()));
    }

    /** The decision about a finding. */
    public enum Decision {
        /** The old side is correct. */
        OLD,

        /** The new side is correct. */
        NEW,

        /** Both sides stay unchanged. */
        LEAVE
    }

    /**
     * A finding and the decision about it.
     *
     * @param <K> the type of the key
     * @param number its position among the findings of its run, from 1
     * @param finding the finding, with both values
     * @param decision the decision; empty if there is none yet
     */
    public record Item<K>(long number, Finding<K> finding, Optional<Decision> decision) {

        /** Returns the correct side, if one of them is. */
        Optional<Side> right() {
            return decision.filter(made -> made != Decision.LEAVE)
                    .map(made -> made == Decision.OLD ? Side.OLD : Side.NEW);
        }
    }

    /**
     * Compares the sources unless another node has already done so in this slot of the schedule. A slot is an
     * idempotency key, so only one node does. One node continues an interrupted run, even in the same slot, once the
     * run has written nothing for two minutes and twice the minimum age. A comparison that failed leaves its slot to
     * the next call.
     *
     * @param idempotency claims the slots
     * @param schedule how often to compare
     * @param now the current time, which determines the slot
     * @return the report, if this call compared; empty if another call did or has superseded it
     * @throws ComparisonException as in {@link Comparison#run}
     * @throws io.counterpoint.idempotency.IdempotencyException if the slot could not be claimed
     * @throws IllegalStateException if called inside an open transaction
     */
    public Optional<ComparisonReport<K>> detectDue(Idempotency<Handle> idempotency, Schedule schedule, Instant now) {
        Duration longest = schedule.period().multipliedBy(2);
        ExternalOperation<Done> once = idempotency
                .external("consistency-comparison", ResultCodec.done(), unresolved -> Lookup.notYet())
                .releaseWhenNoEffect(thrown -> true)
                .retention(longest.compareTo(Duration.ofDays(1)) > 0 ? longest : Duration.ofDays(1))
                .build();
        String slot = schedule.slot(now).toString();
        Duration silence = comparison.settings().minimumAge().multipliedBy(2).plusMinutes(2);
        return once(once, slot).or(() -> decisions.silentRun(silence).flatMap(run -> once(once, slot + "/" + run)));
    }

    private Optional<ComparisonReport<K>> once(ExternalOperation<Done> operation, String key) {
        AtomicReference<ComparisonReport<K>> report = new AtomicReference<>();
        Attempt attempt =
                Attempt.inScope("comparison").key(nameInKeys() + "/" + key).withoutRequest();
        Outcome<Done> outcome = operation.execute(attempt, claimed -> {
            try {
                report.set(comparison.run());
            } catch (SupersededException another) {
                // The other run continues in place of this one, so the slot is used.
                return Done.DONE;
            }
            return Done.DONE;
        });
        return outcome instanceof Outcome.Executed ? Optional.ofNullable(report.get()) : Optional.empty();
    }

    /** Keys cannot contain spaces, but a name may. */
    private String nameInKeys() {
        String name = comparison.name();
        return name.codePoints().allMatch(character -> character > ' ' && character < 0x7f)
                ? name
                : UUID.nameUUIDFromBytes(name.getBytes(UTF_8)).toString();
    }

    /**
     * Returns open findings, that is, those that are not known to have been repaired since the latest run.
     *
     * @param after the {@linkplain Item#number number} to start after; 0 for the first page
     * @param limit the maximum number of findings
     * @return the findings in key order
     */
    public List<Item<K>> findings(long after, int limit) {
        return decisions.open(after, limit);
    }

    /**
     * Returns the number of open findings.
     *
     * @return the number
     */
    public long open() {
        return decisions.count();
    }

    /**
     * Records or changes the decision about a finding.
     *
     * @param key the key whose rows differ
     * @param decision what to do
     * @return whether there is an open finding for this key
     * @throws IllegalArgumentException if the side to change is not a {@link RepairTarget}
     */
    public boolean decide(K key, Decision decision) {
        return decisions.decide(key, possible(decision));
    }

    /**
     * Records a decision for all open findings that have none.
     *
     * @param decision what to do
     * @return the number of these findings
     * @throws IllegalArgumentException if the side to change is not a {@link RepairTarget}
     */
    public long decideRest(Decision decision) {
        return decisions.decideRest(possible(decision));
    }

    private Decision possible(Decision decision) {
        if (decision != Decision.LEAVE) {
            RepairTarget<K> unused = comparison.settings().target(decision == Decision.OLD ? Side.NEW : Side.OLD);
        }
        return decision;
    }

    /**
     * Starts building a repair plan that follows the decisions. It verifies only decided findings. A finding whose rows
     * have become equal is no longer open. One whose rows have been written since then stays open with its current
     * values and without a decision. The call ends with a {@link SupersededException} if another run begins in the
     * meantime: changes made by then stay.
     *
     * @return a builder
     */
    public RepairPlan.Builder<K> repair() {
        return new RepairPlan.Builder<>(comparison.settings(), Optional.empty(), Decided::new);
    }

    /** The decided findings of one run. */
    private final class Decided implements RepairScope<K> {

        private final Optional<String> run = decisions.run();
        private final Map<K, @Nullable Finding<K>> verified = new HashMap<>();

        @Override
        public List<Item<K>> page(long after, int limit) {
            List<Item<K>> page = decisions.open(after, limit);
            if (!run.equals(decisions.run())) {
                throw new SupersededException(comparison.name());
            }
            return page;
        }

        @Override
        public void accept(K key, @Nullable Finding<K> now) {
            verified.put(key, now);
            if (verified.size() == TOGETHER) {
                end();
            }
        }

        @Override
        public void end() {
            run.ifPresent(token -> decisions.verified(token, verified));
            verified.clear();
        }
    }
}
