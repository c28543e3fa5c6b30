package io.counterpoint.idempotency.consistency.comparison;

import io.counterpoint.idempotency.consistency.comparison.ComparisonReview.Decision;
import io.counterpoint.idempotency.consistency.comparison.ComparisonReview.Item;
import io.counterpoint.idempotency.consistency.internal.DatabaseProduct;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.jdbi.v3.core.Handle;
import org.jdbi.v3.core.Jdbi;
import org.jdbi.v3.core.statement.Update;
import org.jdbi.v3.core.transaction.TransactionIsolationLevel;
import org.jspecify.annotations.Nullable;

/**
 * Open findings of the latest run, and the decision about each. A decision is bound to the evidence of a finding, so it
 * still applies when another run finds the same rows. Writers hold the lock of the run's row, one at a time.
 */
final class Decisions<K> {

    private static final String OPEN = " FROM comparison_finding f WHERE f.comparison = :comparison AND NOT f.settled";
    private static final String DECIDED =
            " FROM comparison_decision d WHERE d.comparison = f.comparison AND d.evidence = f.evidence";
    private static final String OF_KEY = " AND f.row_key = :key";

    private final Jdbi jdbi;
    private final DatabaseProduct database;
    private final ComparisonSettings<K> comparison;

    Decisions(Jdbi jdbi, DatabaseProduct database, ComparisonSettings<K> comparison) {
        this.jdbi = jdbi;
        this.database = database;
        this.comparison = comparison;
    }

    /** Returns the open findings after a number. */
    List<Item<K>> open(long after, int limit) {
        return jdbi.withHandle(handle -> handle.createQuery("SELECT f.*, (SELECT d.decision" + DECIDED + ") AS decision"
                        + OPEN + " AND f.number > :after ORDER BY f.number LIMIT " + limit)
                .bind("comparison", comparison.name())
                .bind("after", after)
                .map((row, context) -> new Item<>(
                        row.getLong("number"),
                        JdbiJournal.finding(row).<K>withKey(comparison.sides().order()::parse),
                        Optional.ofNullable(row.getString("decision")).map(Decision::valueOf)))
                .list());
    }

    long count() {
        return jdbi.withHandle(handle -> handle.createQuery("SELECT count(*)" + OPEN)
                .bind("comparison", comparison.name())
                .mapTo(Long.class)
                .one());
    }

    /** Records a decision about the open finding of a key, replacing any earlier one. */
    boolean decide(K key, Decision decision) {
        return locked(handle -> {
            Map<String, ?> parameters = Map.of("key", comparison.sides().order().print(key));
            update(
                    handle,
                    "DELETE FROM comparison_decision WHERE comparison = :comparison AND evidence IN (SELECT f.evidence"
                            + OPEN + OF_KEY + ")",
                    parameters);
            return insert(handle, OF_KEY, decision, parameters) > 0;
        });
    }

    /** Records a decision about every undecided open finding. */
    long decideRest(Decision decision) {
        return locked(handle -> insert(handle, " AND NOT EXISTS (SELECT 1" + DECIDED + ")", decision, Map.of()));
    }

    private int insert(Handle handle, String which, Decision decision, Map<String, ?> parameters) {
        return update(
                handle,
                "INSERT INTO comparison_decision (comparison, evidence, decision, decided_at)"
                        + " SELECT f.comparison, f.evidence, '" + decision.name() + "', " + database.now() + OPEN
                        + which,
                parameters);
    }

    /** Returns the run of these findings; empty before the first one. */
    Optional<String> run() {
        return jdbi.withHandle(handle -> run(handle, ""));
    }

    /** Returns the unfinished run that has written nothing for the given time. */
    Optional<String> silentRun(Duration silence) {
        return jdbi.withHandle(handle -> handle.createQuery("SELECT token FROM comparison_run"
                        + " WHERE comparison = :comparison AND NOT finished AND updated_at < " + database.secondsAgo())
                .bind("comparison", comparison.name())
                .bind("seconds", DatabaseProduct.seconds(silence))
                .mapTo(String.class)
                .findOne());
    }

    private Optional<String> run(Handle handle, String lock) {
        return handle.createQuery("SELECT token FROM comparison_run WHERE comparison = :comparison" + lock)
                .bind("comparison", comparison.name())
                .mapTo(String.class)
                .findOne();
    }

    /** Records what a verification has found for keys of a run: the current difference, or null for none. */
    void verified(String run, Map<K, @Nullable Finding<K>> found) {
        boolean unused = locked(handle -> {
            if (!run(handle, "").equals(Optional.of(run))) {
                throw new SupersededException(comparison.name());
            }
            found.forEach(
                    (key, now) -> verified(handle, comparison.sides().order().print(key), now));
            return true;
        });
    }

    private void verified(Handle handle, String key, @Nullable Finding<K> now) {
        byte[] evidence = now == null ? new byte[0] : now.evidence().toBytes();
        update(
                handle,
                "DELETE FROM comparison_decision WHERE comparison = :comparison AND evidence <> :evidence"
                        + " AND evidence IN (SELECT f.evidence" + OPEN + OF_KEY + ")",
                Map.of("key", key, "evidence", evidence));
        String finding = " WHERE comparison = :comparison AND row_key = :key";
        if (now == null) {
            update(handle, "UPDATE comparison_finding SET settled = TRUE" + finding, Map.of("key", key));
            return;
        }
        try (Update update = handle.createUpdate("UPDATE comparison_finding SET kind = :kind, fields = :fields,"
                        + " old_value = :old, new_value = :new, evidence = :evidence" + finding)
                .bind("comparison", comparison.name())
                .bind("key", key)
                .bind("kind", JdbiJournal.kind(now))
                .bind("fields", JdbiJournal.fields(now))
                .bind("old", now.values().old().orElse(null))
                .bind("new", now.values().replacement().orElse(null))
                .bind("evidence", evidence)) {
            update.execute();
        }
    }

    private int update(Handle handle, String sql, Map<String, ?> parameters) {
        try (Update update = handle.createUpdate(sql)) {
            return update.bind("comparison", comparison.name())
                    .bindMap(parameters)
                    .execute();
        }
    }

    private interface Work<T> {
        T with(Handle handle);
    }

    private <T> T locked(Work<T> work) {
        return jdbi.inTransaction(TransactionIsolationLevel.READ_COMMITTED, handle -> {
            Optional<String> unused = run(handle, " FOR UPDATE");
            return work.with(handle);
        });
    }
}
