package io.counterpoint.idempotency.consistency.check;

import io.counterpoint.idempotency.consistency.Transactions;
import io.counterpoint.idempotency.consistency.internal.Database;
import io.counterpoint.idempotency.jdbc.Isolation;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.ResultSetMetaData;
import java.sql.SQLException;
import java.sql.Savepoint;
import java.sql.Statement;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import org.jdbi.v3.core.Handle;
import org.jspecify.annotations.Nullable;

/**
 * A query that returns the rows which should not be there. Immutable and thread-safe.
 *
 * <pre>{@code
 * Check orphans = Check.named("orphan-apps")
 *         .severity(ERROR)
 *         .schedule(Schedule.daily())
 *         .sql("""
 *                 SELECT a.id, a.name FROM app a
 *                 WHERE a.deleted_at IS NULL AND NOT EXISTS (SELECT 1 FROM workspace w WHERE w.id = a.workspace_id)
 *                 """)
 *         .build();
 * }</pre>
 *
 * <p>Promised: it changes nothing. PostgreSQL refuses what would, since the query runs in a part of the transaction that is
 * read-only; on H2, MariaDB and MySQL whatever a query changes is rolled back with that part. A query that fails or takes longer than its
 * timeout is a result, not an exception, and leaves the transaction usable. Memory is bounded: rows are counted as they
 * come, and only the sample is kept. Not promised: that the rows still offend when the result is read.
 */
public final class Check {

    /** A value in a sample is cut at this many characters. */
    private static final int LONGEST_VALUE = 200;

    private final String name;
    private final String sql;
    private final Severity severity;
    private final Schedule schedule;
    private final int sampleLimit;
    private final Duration timeout;

    private Check(Builder builder, String sql) {
        this.name = builder.name;
        this.sql = sql;
        this.severity = builder.severity;
        this.schedule = builder.schedule;
        this.sampleLimit = builder.sampleLimit;
        this.timeout = builder.timeout;
    }

    /**
     * Begins a check.
     *
     * @param name its name: 1 to 100 letters, digits, dots, hyphens or underscores
     * @return a builder
     */
    public static Builder named(String name) {
        return new Builder(name);
    }

    /**
     * The check's name.
     *
     * @return the name
     */
    public String name() {
        return name;
    }

    /**
     * How bad it is if it finds something.
     *
     * @return the severity
     */
    public Severity severity() {
        return severity;
    }

    /**
     * How often it runs.
     *
     * @return the schedule
     */
    public Schedule schedule() {
        return schedule;
    }

    /**
     * The longest that its query may take.
     *
     * @return the timeout
     */
    public Duration timeout() {
        return timeout;
    }

    /**
     * Runs in a transaction of its own.
     *
     * @param transactions where
     * @return what it found
     */
    public CheckResult run(Transactions transactions) {
        return transactions.inTransaction(Isolation.READ_COMMITTED, this::run);
    }

    /**
     * Runs within a transaction, and sees what that has done.
     *
     * @param handle the transaction
     * @return what it found
     * @throws IllegalStateException if the handle is not in a transaction, or the database has ended it
     */
    public CheckResult run(Handle handle) {
        Connection connection = handle.getConnection();
        long start = System.nanoTime();
        List<Map<String, @Nullable String>> sample = new ArrayList<>();
        long offending = 0;
        Optional<String> error = Optional.empty();
        try {
            if (connection.getAutoCommit()) {
                throw new IllegalStateException(
                        "The check " + name + " runs in a transaction, and this handle is in" + " none.");
            }
            Database database = Database.of(handle);
            Savepoint before = connection.setSavepoint();
            try {
                offending = query(database, connection, sample);
            } catch (SQLException thrown) {
                sample.clear();
                error = Optional.of(thrown.getSQLState() + ": " + thrown.getMessage());
                undo(connection, before, thrown);
            }
            if (error.isEmpty()) {
                connection.rollback(before);
            }
        } catch (SQLException broken) {
            throw new IllegalStateException("The transaction of the check " + name + " has ended.", broken);
        }
        return new CheckResult(
                name, severity, offending, List.copyOf(sample), Duration.ofNanos(System.nanoTime() - start), error);
    }

    /** A deadlock has ended the whole transaction on MariaDB, MySQL and H2: then it is no result. */
    private static void undo(Connection connection, Savepoint before, SQLException thrown) throws SQLException {
        try {
            connection.rollback(before);
        } catch (SQLException ended) {
            thrown.addSuppressed(ended);
            throw thrown;
        }
    }

    private long query(Database database, Connection connection, List<Map<String, @Nullable String>> sample)
            throws SQLException {
        try (Statement statement = connection.createStatement()) {
            if (database == Database.POSTGRESQL) {
                // Undone by the rollback to the savepoint.
                statement.execute("SET LOCAL transaction_read_only = on");
            }
            // H2 keeps it for the session.
            int timeoutBefore = statement.getQueryTimeout();
            statement.setQueryTimeout((int) Math.max(1, timeout.toSeconds()));
            // MySQL's own driver keeps all rows in memory, unless it is asked for them in its own way.
            boolean own = connection.getMetaData().getDriverName().startsWith("MySQL");
            statement.setFetchSize(own ? Integer.MIN_VALUE : 1000);
            try (ResultSet rows = statement.executeQuery(sql)) {
                long offending = 0;
                while (rows.next()) {
                    if (++offending <= sampleLimit) {
                        sample.add(row(rows));
                    }
                }
                return offending;
            } finally {
                statement.setQueryTimeout(timeoutBefore);
            }
        }
    }

    private static Map<String, @Nullable String> row(ResultSet rows) throws SQLException {
        ResultSetMetaData columns = rows.getMetaData();
        Map<String, @Nullable String> row = new LinkedHashMap<>();
        for (int i = 1; i <= columns.getColumnCount(); i++) {
            String value = rows.getString(i);
            row.put(
                    columns.getColumnLabel(i).toLowerCase(Locale.ROOT),
                    value == null || value.length() <= LONGEST_VALUE ? value : value.substring(0, LONGEST_VALUE) + "…");
        }
        return Collections.unmodifiableMap(row);
    }

    @Override
    public String toString() {
        return "Check[" + name + ", " + severity + ", " + schedule + "]";
    }

    /** Sets what a check is. */
    public static final class Builder {
        private final String name;
        private @Nullable String sql;
        private Severity severity = Severity.ERROR;
        private Schedule schedule = Schedule.daily();
        private int sampleLimit = 10;
        private Duration timeout = Duration.ofMinutes(1);

        private Builder(String name) {
            if (!name.matches("[A-Za-z0-9._-]{1,100}")) {
                throw new IllegalArgumentException("The name of a check is 1 to 100 letters, digits, dots, hyphens or"
                        + " underscores, found '" + name + "'.");
            }
            this.name = name;
        }

        /**
         * Sets the query.
         *
         * @param query one SELECT that returns the offending rows
         * @return this
         */
        public Builder sql(String query) {
            sql = query;
            return this;
        }

        /**
         * Sets how bad it is if there are offending rows. Default: {@link Severity#ERROR}.
         *
         * @param severity the severity
         * @return this
         */
        public Builder severity(Severity severity) {
            this.severity = severity;
            return this;
        }

        /**
         * Sets how often it runs. Default: daily.
         *
         * @param schedule the schedule
         * @return this
         */
        public Builder schedule(Schedule schedule) {
            this.schedule = schedule;
            return this;
        }

        /**
         * Sets how many offending rows the result shows; all are counted. Default: 10.
         *
         * @param rows from 0 to 1000
         * @return this
         */
        public Builder sampleLimit(int rows) {
            if (rows < 0 || rows > 1000) {
                throw new IllegalArgumentException("A sample has 0 to 1000 rows, found " + rows + ".");
            }
            sampleLimit = rows;
            return this;
        }

        /**
         * Sets the longest that the query may take. Default: 1 minute.
         *
         * @param time whole seconds, from 1 second to 1 day
         * @return this
         */
        public Builder timeout(Duration time) {
            if (time.compareTo(Duration.ofSeconds(1)) < 0 || time.compareTo(Duration.ofDays(1)) > 0) {
                throw new IllegalArgumentException("A timeout is 1 second to 1 day, found " + time + ".");
            }
            timeout = time;
            return this;
        }

        /**
         * Builds.
         *
         * @return the check
         * @throws IllegalArgumentException if it has no query
         */
        public Check build() {
            if (sql == null) {
                throw new IllegalArgumentException("The check " + name + " has no query.");
            }
            return new Check(this, sql);
        }
    }
}
