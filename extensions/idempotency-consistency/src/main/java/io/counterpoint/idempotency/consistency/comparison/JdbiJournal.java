package io.counterpoint.idempotency.consistency.comparison;

import io.counterpoint.idempotency.Fingerprint;
import io.counterpoint.idempotency.consistency.internal.DatabaseProduct;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.List;
import java.util.Optional;
import java.util.UUID;
import org.jdbi.v3.core.Handle;
import org.jdbi.v3.core.Jdbi;
import org.jdbi.v3.core.statement.PreparedBatch;
import org.jdbi.v3.core.statement.UnableToExecuteStatementException;
import org.jdbi.v3.core.transaction.TransactionIsolationLevel;

/**
 * A journal in three tables of a PostgreSQL, H2, MariaDB or MySQL database, which may be one of the compared databases.
 * A checkpoint and its findings are written in one transaction, and whatever the database retains after a crash is
 * sufficient to continue from. The journal contains the values of differing rows unless the comparison is {@linkplain
 * Comparison.Builder#withoutValues without values}.
 */
public final class JdbiJournal implements Journal {

    private final Jdbi jdbi;
    private final DatabaseProduct database;

    private JdbiJournal(Jdbi jdbi) {
        this.jdbi = jdbi;
        this.database = jdbi.withHandle(DatabaseProduct::of);
    }

    /**
     * Returns a journal in this database.
     *
     * @param jdbi the database, whose product is detected immediately
     * @return the journal
     * @throws IllegalStateException if the database is none of the four
     */
    public static JdbiJournal on(Jdbi jdbi) {
        return new JdbiJournal(jdbi);
    }

    /**
     * Creates the tables if they are missing, for demos and tests. In production, copy the file {@code
     * io/counterpoint/idempotency/consistency/comparison/postgresql.sql} (or {@code h2.sql}, {@code mariadb.sql},
     * {@code mysql.sql}) from this module into your migrations.
     *
     * @return this
     */
    public JdbiJournal createTablesIfMissing() {
        jdbi.useTransaction(handle -> DatabaseProduct.create(
                handle, JdbiJournal.class::getResourceAsStream, "comparison_run", "comparison_run"));
        return this;
    }

    @Override
    public Run open(String comparison, boolean fresh) {
        UUID token = UUID.randomUUID();
        try {
            return opened(comparison, fresh, token);
        } catch (UnableToExecuteStatementException e) {
            String state = e.getCause() instanceof SQLException sql ? sql.getSQLState() : null;
            if (state == null || !state.startsWith("23")) {
                throw e;
            }
            // Another caller has inserted the first run with this name in the meantime: it exists now and is
            // superseded.
            return opened(comparison, fresh, token);
        }
    }

    private Run opened(String comparison, boolean fresh, UUID token) {
        return jdbi.inTransaction(TransactionIsolationLevel.READ_COMMITTED, handle -> {
            if (fresh || !takeOver(handle, comparison, token)) {
                begin(handle, comparison, token);
            }
            return new JdbiRun(comparison, token, start(handle, comparison));
        });
    }

    private boolean takeOver(Handle handle, String comparison, UUID token) {
        return handle.createUpdate("""
                                UPDATE comparison_run SET token = :token, updated_at = %s
                                WHERE comparison = :comparison AND NOT finished""".formatted(database.now()))
                        .bind("token", database.bound(token))
                        .bind("comparison", comparison)
                        .execute()
                > 0;
    }

    private void begin(Handle handle, String comparison, UUID token) {
        // The run comes first: its lock keeps a former holder from adding findings.
        int former = handle.execute(
                "UPDATE comparison_run SET token = ?, mark = NULL, old_rows = 0, new_rows = 0, missing_in_old = 0,"
                        + " missing_in_new = 0, different = 0, dismissed = 0, unsettled = 0, finished = FALSE,"
                        + " started_at = %1$s, updated_at = %1$s WHERE comparison = ?".formatted(database.now()),
                database.bound(token),
                comparison);
        handle.execute("DELETE FROM comparison_finding WHERE comparison = ?", comparison);
        if (former == 0) {
            handle.execute("""
                    INSERT INTO comparison_run (comparison, token, mark, old_rows, new_rows, missing_in_old, missing_in_new,
                        different, dismissed, unsettled, finished, started_at, updated_at)
                    VALUES (?, ?, NULL, 0, 0, 0, 0, 0, 0, 0, FALSE, %1$s, %1$s)""".formatted(database.now()), comparison, database.bound(token));
        }
    }

    private static Checkpoint start(Handle handle, String comparison) {
        return handle.createQuery("SELECT * FROM comparison_run WHERE comparison = :comparison")
                .bind("comparison", comparison)
                .map((row, context) -> new Checkpoint(
                        Optional.ofNullable(row.getString("mark")), totals(row), row.getBoolean("finished")))
                .one();
    }

    private static Totals totals(ResultSet row) throws SQLException {
        return new Totals(
                row.getLong("old_rows"),
                row.getLong("new_rows"),
                row.getLong("missing_in_old"),
                row.getLong("missing_in_new"),
                row.getLong("different"),
                row.getLong("dismissed"),
                row.getLong("unsettled"));
    }

    @Override
    public List<Finding<String>> findings(String comparison, long skip, int limit) {
        return jdbi.withHandle(handle -> handle.createQuery("""
                                SELECT * FROM comparison_finding
                                WHERE comparison = :comparison AND number > :skip AND number <= :last
                                ORDER BY number""")
                .bind("comparison", comparison)
                .bind("skip", skip)
                .bind("last", skip + limit)
                .map((row, context) -> finding(row))
                .list());
    }

    static Finding<String> finding(ResultSet row) throws SQLException {
        Finding.Values values = new Finding.Values(
                Optional.ofNullable(row.getString("old_value")), Optional.ofNullable(row.getString("new_value")));
        String key = row.getString("row_key");
        Fingerprint evidence = Fingerprint.fromBytes(row.getBytes("evidence"));
        return switch (row.getString("kind")) {
            case "O" -> new Finding.MissingInOld<>(key, values, evidence);
            case "N" -> new Finding.MissingInNew<>(key, values, evidence);
            default ->
                new Finding.Different<>(key, row.getString("fields").lines().toList(), values, evidence);
        };
    }

    static String kind(Finding<?> finding) {
        return finding.fold(old -> "O", replacement -> "N", different -> "D");
    }

    static String fields(Finding<?> finding) {
        return finding.fold(old -> "", replacement -> "", different -> String.join("\n", different.fields()));
    }

    /** Returns the decisions about the findings of a comparison. */
    <K> Decisions<K> decisions(ComparisonSettings<K> comparison) {
        return new Decisions<>(jdbi, database, comparison);
    }

    private final class JdbiRun implements Run {

        private final String comparison;
        private final UUID token;
        private final Checkpoint start;
        private long written;

        JdbiRun(String comparison, UUID token, Checkpoint start) {
            this.comparison = comparison;
            this.token = token;
            this.start = start;
            this.written = start.totals().findings();
        }

        @Override
        public Checkpoint start() {
            return start;
        }

        @Override
        public void advance(Checkpoint reached, List<Finding<String>> findings) {
            jdbi.useTransaction(handle -> {
                update(handle, reached);
                insert(handle, findings);
            });
            written += findings.size();
        }

        private void update(Handle handle, Checkpoint reached) {
            Totals totals = reached.totals();
            int rows = handle.createUpdate("""
                            UPDATE comparison_run
                            SET mark = :mark, old_rows = :oldRows, new_rows = :newRows, missing_in_old = :missingInOld,
                                missing_in_new = :missingInNew, different = :different, dismissed = :dismissed,
                                unsettled = :unsettled, finished = :finished, updated_at = %s
                            WHERE comparison = :comparison AND token = :token""".formatted(database.now()))
                    .bind("mark", reached.mark().orElse(null))
                    .bind("oldRows", totals.oldRows())
                    .bind("newRows", totals.newRows())
                    .bind("missingInOld", totals.missingInOld())
                    .bind("missingInNew", totals.missingInNew())
                    .bind("different", totals.different())
                    .bind("dismissed", totals.dismissed())
                    .bind("unsettled", totals.undecided())
                    .bind("finished", reached.finished())
                    .bind("comparison", comparison)
                    .bind("token", database.bound(token))
                    .execute();
            if (rows == 0) {
                throw new SupersededException(comparison);
            }
        }

        private void insert(Handle handle, List<Finding<String>> findings) {
            if (findings.isEmpty()) {
                return;
            }
            PreparedBatch batch = handle.prepareBatch("INSERT INTO comparison_finding"
                    + " (comparison, number, row_key, kind, fields, old_value, new_value, evidence, settled)"
                    + " VALUES (?, ?, ?, ?, ?, ?, ?, ?, FALSE)");
            long number = written;
            for (Finding<String> finding : findings) {
                number++;
                batch.add(
                        comparison,
                        number,
                        finding.key(),
                        kind(finding),
                        fields(finding),
                        finding.values().old().orElse(null),
                        finding.values().replacement().orElse(null),
                        finding.evidence().toBytes());
            }
            int[] rows = batch.execute();
            assert rows.length == findings.size();
        }
    }
}
