package io.counterpoint.idempotency.consistency.comparison;

import io.counterpoint.idempotency.consistency.comparison.ComparisonException.TargetFailedException;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * The repair of a comparison's findings. It makes one side like the other where the latest run found a difference, and
 * then verifies exactly those keys.
 *
 * <p>Before anything is written, both rows are read again. The row of the wrong side is changed only if both are the
 * rows that the finding was confirmed with. The change is made only if that row is still the same at that moment. So a
 * row that has been written since is left alone: another run will tell whether it still differs. Calling again after a
 * crash goes on: rows that are equal by now are passed over.
 *
 * <p>Not prevented: a row of the <em>right</em> side that is written in the instant between the reading and the change.
 * The verification finds what comes of it, and repairing again mends it.
 *
 * @param <K> the type of the keys
 */
public final class RepairPlan<K> {

    static final int SHOWN = 20;

    private final ComparisonSettings<K> comparison;
    private final Side truth;
    private final RepairTarget<K> target;
    private final long maxChanges;
    private final int batch;
    private final boolean deletes;

    private RepairPlan(Builder<K> builder) {
        this.comparison = builder.comparison;
        this.truth = builder.truth;
        this.target = builder.target;
        this.maxChanges = builder.maxChanges;
        this.batch = builder.batch;
        this.deletes = builder.deletes;
    }

    /**
     * Plans, and changes nothing.
     *
     * @return what {@link #apply} would do now
     * @throws ComparisonException if a source could not be read
     */
    public RepairResult<K> dryRun() {
        return new Work(true).all();
    }

    /**
     * Changes what is planned, batch by batch, and verifies.
     *
     * @return what was done, and what still differs
     * @throws ComparisonException if it could not go on; what was changed stays, and calling again goes on
     */
    public RepairResult<K> apply() {
        return new Work(false).all();
    }

    /** One call. */
    private final class Work {

        private final boolean dry;
        private final Pace pace = comparison.newPace();
        private final List<Change<K>> shown = new ArrayList<>();
        private RepairResult.Counts counts = RepairResult.Counts.NONE;
        private long seen;

        Work(boolean dry) {
            this.dry = dry;
        }

        RepairResult<K> all() {
            for (List<Finding<K>> page = comparison.findings(0, batch);
                    !page.isEmpty();
                    page = comparison.findings(seen, batch)) {
                some(page);
                seen += page.size();
                pace.step(() -> new Progress(
                        comparison.name(), dry ? "plan" : "repair", seen, seen, 0, counts.changes(), pace.elapsed()));
            }
            return report();
        }

        private RepairResult<K> report() {
            if (dry) {
                return new RepairResult<>(comparison.name(), truth, true, counts, List.copyOf(shown), 0, 0, List.of());
            }
            Recheck<K> check = new Recheck<>(comparison, "verify", SHOWN);
            check.all(new FoundKeys<>(comparison, seen));
            return new RepairResult<>(
                    comparison.name(),
                    truth,
                    false,
                    counts,
                    List.copyOf(shown),
                    check.numberConfirmed(),
                    check.numberUndecided(),
                    check.findings());
        }

        private void some(List<Finding<K>> page) {
            List<K> keys = page.stream().map(Finding::key).toList();
            Map<K, Row<K>> right = comparison.sides().find(truth, keys);
            Map<K, Row<K>> wrong = comparison.sides().find(truth.other(), keys);
            List<Change<K>> changes = new ArrayList<>();
            for (Finding<K> finding : page) {
                Change<K> change = plan(finding, right.get(finding.key()), wrong.get(finding.key()));
                if (change != null) {
                    if (counts.changes() + changes.size() < maxChanges) {
                        changes.add(change);
                    } else {
                        counts = counts.beyondCap(1);
                    }
                }
            }
            count(changes, dry ? changes : made(changes));
        }

        private @Nullable Change<K> plan(Finding<K> finding, @Nullable Row<K> right, @Nullable Row<K> wrong) {
            K key = finding.key();
            Finding<K> now = truth == Side.OLD
                    ? comparison.comparer().compare(key, right, wrong)
                    : comparison.comparer().compare(key, wrong, right);
            if (now == null) {
                counts = counts.alreadyEqual(1);
                return null;
            }
            if (!now.evidence().equals(finding.evidence())) {
                counts = counts.movedOn(1);
                return null;
            }
            if (wrong == null) {
                return right == null ? null : new Change.Insert<>(right);
            }
            List<String> compared = List.copyOf(comparison.comparer().compared(wrong));
            if (right != null) {
                List<String> fields =
                        now.fold(old -> List.<String>of(), replacement -> List.<String>of(), Finding.Different::fields);
                return new Change.Update<>(wrong, right, fields, compared);
            }
            if (!deletes) {
                counts = counts.withheld(1);
                return null;
            }
            return new Change.Delete<>(wrong, compared);
        }

        private List<Change<K>> made(List<Change<K>> changes) {
            if (changes.isEmpty()) {
                return changes;
            }
            try {
                return target.apply(changes);
            } catch (RuntimeException e) {
                throw new TargetFailedException(truth.other(), counts.changes(), e);
            }
        }

        private void count(List<Change<K>> planned, List<Change<K>> made) {
            for (Change<K> change : made) {
                counts = counts.plus(change);
                if (shown.size() < SHOWN) {
                    shown.add(change);
                }
            }
            counts = counts.refused(planned.size() - made.size());
        }
    }

    /**
     * The options of a plan. None of them is required.
     *
     * @param <K> the type of the keys
     */
    public static final class Builder<K> {

        private final ComparisonSettings<K> comparison;
        private final Side truth;
        private final RepairTarget<K> target;
        private long maxChanges = 10_000;
        private int batch = 100;
        private boolean deletes;

        Builder(ComparisonSettings<K> comparison, Side truth) {
            Source<K> wrong = comparison.sides().source(truth.other());
            if (!(wrong instanceof RepairTarget<?>)) {
                throw new IllegalArgumentException("The " + truth.other() + " source of comparison '"
                        + comparison.name() + "' cannot be repaired: it is a "
                        + wrong.getClass().getName()
                        + ", which is no RepairTarget.");
            }
            // A source's own keys are the keys that it is written with.
            @SuppressWarnings("unchecked")
            RepairTarget<K> written = (RepairTarget<K>) wrong;
            this.comparison = comparison;
            this.truth = truth;
            this.target = written;
        }

        /**
         * How many rows one call may change.
         *
         * @param changes at least 1; default: 10,000
         * @return this
         */
        public Builder<K> maxChanges(long changes) {
            maxChanges = atLeastOne("The number of changes", changes);
            return this;
        }

        /**
         * How many rows are changed in one transaction.
         *
         * @param rows 1 to 500; default: 100
         * @return this
         */
        public Builder<K> batch(int rows) {
            if (rows > Suspects.BATCH) {
                throw new IllegalArgumentException(
                        "A batch has at most " + Suspects.BATCH + " rows, found " + rows + ".");
            }
            batch = (int) atLeastOne("A batch", rows);
            return this;
        }

        /**
         * Allows rows to be deleted that the right side does not have. Without it they are counted and left alone.
         *
         * @return this
         */
        public Builder<K> allowDeletes() {
            deletes = true;
            return this;
        }

        /**
         * The plan.
         *
         * @return a new plan
         */
        public RepairPlan<K> build() {
            return new RepairPlan<>(this);
        }

        private static long atLeastOne(String what, long found) {
            if (found < 1) {
                throw new IllegalArgumentException(what + " has to be at least 1, found " + found + ".");
            }
            return found;
        }
    }
}
