package io.counterpoint.idempotency.consistency.comparison;

import io.counterpoint.idempotency.consistency.CommitUnknownException;
import io.counterpoint.idempotency.consistency.comparison.ComparisonReview.Decision;
import io.counterpoint.idempotency.consistency.comparison.ComparisonReview.Item;
import java.sql.SQLException;
import java.sql.SQLNonTransientConnectionException;
import java.sql.SQLRecoverableException;
import java.sql.SQLTransientConnectionException;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * The repair of a comparison's findings. It makes one side equal to the other where the latest run found a difference,
 * and then verifies exactly those keys.
 *
 * <p>Before anything is written, both rows are read again. The row of the incorrect side is changed only if both rows
 * are the same as when the finding was confirmed, and only if that row is still the same at the moment of the change. A
 * row that has been written since then is left alone: another run will show whether it still differs. Calling it again
 * after a crash continues: rows that have become equal are skipped.
 *
 * <p>A batch that fails is rolled back and retried in halves, down to single rows. A row that cannot be repaired is
 * therefore named in the result, with the reason, and all others are repaired. If the target is unreachable, the call
 * ends instead.
 *
 * <p>Not prevented: a write to the row of the <em>correct</em> side between reading it and making the change. The
 * verification finds the resulting difference, and repairing again fixes it.
 *
 * @param <K> the type of the keys
 */
public final class RepairPlan<K> {

    static final int SHOWN = 20;
    private static final int MOST_NAMED = 1_000;

    private final ComparisonSettings<K> comparison;
    private final Optional<Side> truth;
    private final Supplier<RepairScope<K>> scopes;
    private final long maxChanges;
    private final int batch;
    private final boolean deletes;

    private RepairPlan(Builder<K> builder) {
        this.comparison = builder.comparison;
        this.truth = builder.truth;
        this.scopes = builder.scopes;
        this.maxChanges = builder.maxChanges;
        this.batch = builder.batch;
        this.deletes = builder.deletes;
    }

    /**
     * Plans the changes without making them.
     *
     * @return what {@link #apply} would currently do
     * @throws ComparisonException if a source could not be read
     */
    public RepairResult<K> dryRun() {
        return new Work(true).all();
    }

    /**
     * Applies the planned changes in batches, then verifies them.
     *
     * @return what was done and what still differs
     * @throws ComparisonException if it could not continue; changes made by then stay, and calling again continues
     */
    public RepairResult<K> apply() {
        return new Work(false).all();
    }

    /** One call. */
    private final class Work {

        private final boolean dry;
        private final RepairScope<K> scope = scopes.get();
        private final Pace pace = comparison.newPace();
        private final List<Change<K>> shown = new ArrayList<>();
        private final List<RepairResult.Unrepaired<K>> unrepaired = new ArrayList<>();
        private RepairResult.Counts counts = RepairResult.Counts.NONE;
        private long seen;
        private long last;

        Work(boolean dry) {
            this.dry = dry;
        }

        RepairResult<K> all() {
            for (List<Item<K>> page = scope.page(0, batch); !page.isEmpty(); page = scope.page(last, batch)) {
                for (Side truth : Side.values()) {
                    some(
                            truth,
                            page.stream()
                                    .filter(item -> item.right().equals(Optional.of(truth)))
                                    .map(Item::finding)
                                    .toList());
                }
                seen += page.size();
                last = page.get(page.size() - 1).number();
                pace.step(() -> new ComparisonProgress(
                        comparison.name(), dry ? "plan" : "repair", seen, seen, 0, counts.changes(), pace.elapsed()));
            }
            Recheck<K> check = new Recheck<>(comparison, "verify", SHOWN, scope);
            if (!dry) {
                check.all(new FoundKeys<>(scope, last));
                scope.end();
            }
            return new RepairResult<>(
                    comparison.name(),
                    truth,
                    dry,
                    counts,
                    List.copyOf(shown),
                    List.copyOf(unrepaired),
                    check.numberConfirmed(),
                    check.numberUndecided(),
                    check.findings());
        }

        private void some(Side truth, List<Finding<K>> page) {
            if (page.isEmpty()) {
                return;
            }
            List<K> keys = page.stream().map(Finding::key).toList();
            Map<K, Row<K>> right = comparison.sides().find(truth, keys);
            Map<K, Row<K>> wrong = comparison.sides().find(truth.other(), keys);
            List<Change<K>> changes = new ArrayList<>();
            for (Finding<K> finding : page) {
                Change<K> change = plan(truth, finding, right.get(finding.key()), wrong.get(finding.key()));
                if (change != null) {
                    if (counts.changes() + changes.size() < maxChanges) {
                        changes.add(change);
                    } else {
                        counts = counts.beyondCap(1);
                    }
                }
            }
            long unrepairedBefore = counts.unrepaired();
            count(changes, dry ? changes : made(truth.other(), changes), unrepairedBefore);
        }

        private @Nullable Change<K> plan(
                Side truth, Finding<K> finding, @Nullable Row<K> right, @Nullable Row<K> wrong) {
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

        /** Retries a failed batch in halves, so that an obstacle for one row does not affect the others. */
        private List<Change<K>> made(Side wrong, List<Change<K>> changes) {
            if (changes.isEmpty()) {
                return changes;
            }
            try {
                return comparison.target(wrong).apply(changes);
            } catch (RuntimeException e) {
                if (isOutOfReach(e)) {
                    throw new TargetFailedException(wrong, counts.changes(), e);
                }
                if (changes.size() == 1) {
                    cannotRepair(changes.get(0).key(), e);
                    return List.of();
                }
            }
            int half = changes.size() / 2;
            List<Change<K>> made = new ArrayList<>(made(wrong, changes.subList(0, half)));
            made.addAll(made(wrong, changes.subList(half, changes.size())));
            return made;
        }

        private void cannotRepair(K key, RuntimeException thrown) {
            counts = counts.unrepaired(1);
            if (unrepaired.size() < MOST_NAMED) {
                Throwable cause = thrown;
                while (cause.getCause() != null) {
                    cause = cause.getCause();
                }
                unrepaired.add(new RepairResult.Unrepaired<>(key, String.valueOf(cause.getMessage())));
            }
        }

        private void count(List<Change<K>> planned, List<Change<K>> made, long unrepairedBefore) {
            for (Change<K> change : made) {
                counts = counts.plus(change);
                if (shown.size() < SHOWN) {
                    shown.add(change);
                }
            }
            counts = counts.refused(planned.size() - made.size() - (counts.unrepaired() - unrepairedBefore));
        }
    }

    /** Whether no other row could be written, either. */
    private static boolean isOutOfReach(RuntimeException thrown) {
        for (Throwable cause = thrown; cause != null; cause = cause.getCause()) {
            String state = cause instanceof SQLException sql ? sql.getSQLState() : null;
            if (cause instanceof CommitUnknownException
                    || cause instanceof SQLRecoverableException
                    || (cause instanceof SQLTransientConnectionException && !isRaised(state))
                    || cause instanceof SQLNonTransientConnectionException
                    || (state != null && (state.startsWith("08") || state.startsWith("57P")))) {
                return true;
            }
        }
        return Thread.currentThread().isInterrupted();
    }

    /** Whether a trigger raised the error, which MariaDB's driver treats as a lost connection. */
    private static boolean isRaised(@Nullable String state) {
        return state != null && state.startsWith("45");
    }

    /**
     * The options of a plan. None of them is required.
     *
     * @param <K> the type of the keys
     */
    public static final class Builder<K> {

        private final ComparisonSettings<K> comparison;
        private final Optional<Side> truth;
        private final Supplier<RepairScope<K>> scopes;
        private long maxChanges = 10_000;
        private int batch = 100;
        private boolean deletes;

        /** Creates a builder for a plan that uses a new scope for each call. */
        Builder(ComparisonSettings<K> comparison, Optional<Side> truth, Supplier<RepairScope<K>> scopes) {
            this.comparison = comparison;
            this.truth = truth;
            this.scopes = scopes;
        }

        /** Creates a builder for a plan that covers all findings and assumes that one side is correct. */
        static <K> Builder<K> of(ComparisonSettings<K> comparison, Side truth) {
            RepairTarget<K> unused = comparison.target(truth.other());
            Optional<Decision> right = Optional.of(truth == Side.OLD ? Decision.OLD : Decision.NEW);
            return new Builder<>(comparison, Optional.of(truth), () -> (after, limit) -> {
                List<Item<K>> items = new ArrayList<>();
                for (Finding<K> finding : comparison.findings(after, limit)) {
                    items.add(new Item<>(after + items.size() + 1, finding, right));
                }
                return items;
            });
        }

        /**
         * Sets the maximum number of rows changed by one call.
         *
         * @param changes at least 1; default: 10,000
         * @return this
         */
        public Builder<K> maxChanges(long changes) {
            maxChanges = atLeastOne("The number of changes", changes);
            return this;
        }

        /**
         * Sets the number of rows changed in one transaction.
         *
         * @param rows 1 to 500; default: 100
         * @return this
         */
        public Builder<K> batch(int rows) {
            if (rows > Suspects.BATCH) {
                throw new IllegalArgumentException(
                        "A batch must be at most " + Suspects.BATCH + " rows, found " + rows + ".");
            }
            batch = (int) atLeastOne("A batch", rows);
            return this;
        }

        /**
         * Allows the repair to delete rows that are missing from the correct side. By default, they are counted and
         * left alone.
         *
         * @return this
         */
        public Builder<K> allowDeletes() {
            deletes = true;
            return this;
        }

        /**
         * Builds the plan.
         *
         * @return a new plan
         */
        public RepairPlan<K> build() {
            return new RepairPlan<>(this);
        }

        private static long atLeastOne(String what, long found) {
            if (found < 1) {
                throw new IllegalArgumentException(what + " must be at least 1, found " + found + ".");
            }
            return found;
        }
    }
}
