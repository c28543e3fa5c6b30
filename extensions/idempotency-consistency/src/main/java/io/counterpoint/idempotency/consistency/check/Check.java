package io.counterpoint.idempotency.consistency.check;

import io.counterpoint.idempotency.consistency.Transactions;
import io.counterpoint.idempotency.consistency.internal.DatabaseProduct;
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
 * A query that returns incorrect rows. Immutable and thread-safe.
 *
 * <pre>{@code
 * Check orphans = Check.orphans("app", "workspace_id", "workspace").where("deleted_at IS NULL").showing("name").build();
 * Check zombies = Check.tooLongIn("execution", "status", "running", "started_at", Duration.ofHours(1)).build();
 * Check quotas = Check.counts("workspace", "quota_used", """
 *         SELECT count(*) FROM execution e
 *         WHERE e.workspace_id = workspace.id AND e.created_at >= {month}
 *         """).build();
 * }</pre>
 *
 * <p>In the SQL of checks and repairs, {@code {now}} stands for the current time of the database's clock, and {@code
 * {month}} for the first moment of the current month in UTC. A repair of a check that names its table uses its
 * predicate: see {@link Repair#builder}.
 *
 * <p>Promised: a check changes nothing. PostgreSQL rejects changes, because the query runs in a read-only part of the
 * transaction; on H2, MariaDB and MySQL, changes made by a query are rolled back with that part. A query that fails or
 * exceeds its timeout yields a result, not an exception, and leaves the transaction usable. Memory is bounded: rows are
 * counted as they arrive, and only the sample is kept. Not promised: that the rows are still incorrect when the result
 * is read.
 */
public final class Check {

    /** Values in a sample are truncated to this many characters. */
    private static final int LONGEST_VALUE = 200;

    private final String name;
    private final String sql;
    private final Optional<DamagedRows> rows;
    private final Optional<String> counted;
    private final List<Check> parts;
    private final Severity severity;
    private final Schedule schedule;
    private final int sampleLimit;
    private final Duration timeout;

    private Check(Builder builder, String sql) {
        this.name = builder.name;
        this.sql = sql;
        this.rows = Optional.ofNullable(builder.rows);
        this.counted = Optional.ofNullable(builder.counted);
        this.parts = builder.parts;
        this.severity = builder.severity;
        this.schedule = builder.schedule;
        this.sampleLimit = builder.sampleLimit;
        this.timeout = parts.isEmpty()
                ? builder.timeout
                : parts.stream().map(Check::timeout).reduce(Duration.ZERO, Duration::plus);
    }

    /**
     * Starts building a check.
     *
     * @param name its name: 1 to 100 letters, digits, dots, hyphens or underscores
     * @return a builder
     */
    public static Builder named(String name) {
        return new Builder(name);
    }

    /**
     * Starts building a check that finds the rows of one table that satisfy a predicate. It shows their keys and is
     * named after the table.
     *
     * @param table the table, with or without a schema, by which the predicate can qualify its columns
     * @param predicate an SQL condition that incorrect rows satisfy, without parameters
     * @return a builder
     */
    public static Builder rows(String table, String predicate) {
        return named(DatabaseProduct.name("a table", table))
                .rows(new DamagedRows(table, "id", predicate, null, List.of()));
    }

    /**
     * Starts building a check that finds rows whose reference points to no row. It is named {@code table.column} and
     * shows key and reference. As with a foreign key, NULL refers to nothing and is not an orphan.
     *
     * @param table the referencing table
     * @param column its referencing column
     * @param referred the referenced table, whose column {@code id} is referenced
     * @return a builder
     */
    public static Builder orphans(String table, String column, String referred) {
        return orphans(table, column, referred, "id");
    }

    /**
     * Starts building a check like {@link #orphans(String, String, String)}, for a referenced column other than {@code
     * id}.
     *
     * @param table the referencing table
     * @param column its referencing column
     * @param referred the referenced table
     * @param referredColumn the referenced column
     * @return a builder
     */
    public static Builder orphans(String table, String column, String referred, String referredColumn) {
        String predicate =
                "%1$s.%2$s IS NOT NULL AND NOT EXISTS (SELECT 1 FROM %3$s referred_row WHERE referred_row.%4$s = %1$s.%2$s)"
                        .formatted(
                                table,
                                DatabaseProduct.name("a column", column),
                                DatabaseProduct.name("a table", referred),
                                DatabaseProduct.name("a column", referredColumn));
        return rows(table, predicate).named(table + "." + column).showing(column);
    }

    /**
     * Starts building a check that compares a number in each row with the count or sum of other rows. If there are
     * none, this counts as zero, so a row without references is compared as well. NULL is incorrect. The check shows
     * the key and the counted value, which is available to the SET clause of its repair as {@code {counted}}.
     *
     * @param table the table that contains the number
     * @param number a column of it, or an expression over several columns
     * @param counted a query that returns one number, such as {@code SELECT sum(amount) FROM charge c WHERE c.account =
     *     account.id}
     * @return a builder
     */
    public static Builder counts(String table, String number, String counted) {
        String actual = "COALESCE((" + counted.trim() + "), 0)";
        Builder builder = rows(table, "(%1$s) IS NULL OR (%1$s) <> %2$s".formatted(number, actual));
        builder.counted = actual;
        return builder.named(table + ".counts");
    }

    /**
     * Starts building a check that finds rows that have been in a state for too long, by the database's clock. It shows
     * the key, the state and its start time.
     *
     * @param table the table
     * @param statusColumn its column that contains the state
     * @param state the state as stored
     * @param sinceColumn its column that contains the start time; rows without one are not found
     * @param longest the maximum time in that state
     * @return a builder
     */
    public static Builder tooLongIn(
            String table, String statusColumn, String state, String sinceColumn, Duration longest) {
        if (state.indexOf('\'') >= 0 || state.indexOf('\\') >= 0 || longest.isNegative()) {
            throw new IllegalArgumentException(
                    "A state must not contain a quotation mark or a backslash, nor its longest duration be negative;"
                            + " found '" + state + "' and " + longest + ".");
        }
        String predicate = "%s = '%s' AND %s < {now} - INTERVAL '%s' SECOND"
                .formatted(statusColumn, state, sinceColumn, DatabaseProduct.seconds(longest));
        return rows(table, predicate).named(table + "." + statusColumn).showing(statusColumn, sinceColumn);
    }

    /**
     * Returns the check's name.
     *
     * @return the name
     */
    public String name() {
        return name;
    }

    /**
     * Returns the severity of a finding.
     *
     * @return the severity
     */
    public Severity severity() {
        return severity;
    }

    /**
     * Returns the check's schedule.
     *
     * @return the schedule
     */
    public Schedule schedule() {
        return schedule;
    }

    /**
     * Returns the query's timeout.
     *
     * @return the timeout
     */
    public Duration timeout() {
        return timeout;
    }

    /**
     * Returns the parts of this check, if it has any.
     *
     * @return the parts; empty if it has its own query
     */
    public List<Check> parts() {
        return parts;
    }

    /** Returns the table and predicate of this check, if it was built from them. */
    Optional<DamagedRows> rows() {
        return rows;
    }

    /** Returns the SQL of the value that a number is compared with, if any. */
    Optional<String> counted() {
        return counted;
    }

    /**
     * Runs in a separate transaction.
     *
     * @param transactions runs the transactions
     * @return the result
     */
    public CheckResult run(Transactions transactions) {
        return transactions.inTransaction(Isolation.READ_COMMITTED, this::run);
    }

    /**
     * Runs within a transaction and sees its changes.
     *
     * @param handle the transaction
     * @return the result
     * @throws IllegalStateException if the handle is not in a transaction or the database has ended it
     */
    public CheckResult run(Handle handle) {
        return parts.isEmpty()
                ? runQuery(handle)
                : together(parts.stream().map(part -> part.run(handle)).toList());
    }

    /** Rows of different tables have different columns, so a sample contains them as text. */
    private CheckResult together(List<CheckResult> results) {
        Optional<String> error = results.stream()
                .flatMap(part -> part.error().stream().map(text -> part.check() + ": " + text))
                .findFirst();
        List<Map<String, @Nullable String>> sample = new ArrayList<>();
        for (CheckResult part : results) {
            for (Map<String, @Nullable String> row : part.sample()) {
                Map<String, @Nullable String> shown = new LinkedHashMap<>();
                shown.put("part", part.check());
                shown.put("row", row.toString().substring(1, row.toString().length() - 1));
                sample.add(Collections.unmodifiableMap(shown));
            }
        }
        return new CheckResult(
                name,
                severity,
                error.isPresent()
                        ? 0
                        : results.stream().mapToLong(CheckResult::offending).sum(),
                error.isPresent() ? List.of() : List.copyOf(sample.subList(0, Math.min(sample.size(), sampleLimit))),
                results.stream().map(CheckResult::took).reduce(Duration.ZERO, Duration::plus),
                error);
    }

    private CheckResult runQuery(Handle handle) {
        Connection connection = handle.getConnection();
        long start = System.nanoTime();
        List<Map<String, @Nullable String>> sample = new ArrayList<>();
        long offending = 0;
        Optional<String> error = Optional.empty();
        try {
            if (connection.getAutoCommit()) {
                throw new IllegalStateException(
                        "The check " + name + " runs in a transaction, but this handle is in none.");
            }
            DatabaseProduct database = DatabaseProduct.of(handle);
            Savepoint before = connection.setSavepoint();
            try {
                offending = database.inUtc(connection, () -> query(database, connection, sample));
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

    /** A deadlock ends the whole transaction on MariaDB, MySQL and H2, so it cannot be a result. */
    private static void undo(Connection connection, Savepoint before, SQLException thrown) throws SQLException {
        try {
            connection.rollback(before);
        } catch (SQLException ended) {
            thrown.addSuppressed(ended);
            throw thrown;
        }
    }

    private long query(DatabaseProduct database, Connection connection, List<Map<String, @Nullable String>> sample)
            throws SQLException {
        try (Statement statement = connection.createStatement()) {
            if (database == DatabaseProduct.POSTGRESQL) {
                // Undone by the rollback to the savepoint.
                statement.execute("SET LOCAL transaction_read_only = on");
            }
            // H2 keeps the timeout for the session.
            int timeoutBefore = statement.getQueryTimeout();
            statement.setQueryTimeout((int) Math.max(1, timeout.toSeconds()));
            // MySQL's own driver keeps all rows in memory unless a specific fetch size is set.
            boolean own = connection.getMetaData().getDriverName().startsWith("MySQL");
            statement.setFetchSize(own ? Integer.MIN_VALUE : 1000);
            try (ResultSet rows = statement.executeQuery(database.filled(sql))) {
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

    /** Builds a check. */
    public static final class Builder {
        private String name = "";
        private @Nullable String sql;
        private @Nullable DamagedRows rows;
        private @Nullable String counted;
        private List<Check> parts = List.of();
        private Severity severity = Severity.ERROR;
        private Schedule schedule = Schedule.daily();
        private int sampleLimit = 10;
        private Duration timeout = Duration.ofMinutes(1);

        private Builder(String name) {
            var unused = named(name);
        }

        /**
         * Sets the name.
         *
         * @param other 1 to 100 letters, digits, dots, hyphens or underscores
         * @return this
         */
        public Builder named(String other) {
            if (!other.matches("[A-Za-z0-9._-]{1,100}")) {
                throw new IllegalArgumentException(
                        "The name of a check must be 1 to 100 letters, digits, dots, hyphens or underscores, found '"
                                + other + "'.");
            }
            name = other;
            return this;
        }

        /**
         * Sets the query.
         *
         * @param query one SELECT that returns the incorrect rows
         * @return this
         */
        public Builder sql(String query) {
            sql = query;
            return this;
        }

        /**
         * Combines several checks, which run one after the other and count as one. Each has its own repairs and
         * timeout; the schedule and severity are this check's.
         *
         * @param checks the parts
         * @return this
         */
        public Builder parts(Check... checks) {
            parts = List.of(checks);
            return this;
        }

        private Builder rows(DamagedRows damaged) {
            rows = damaged;
            return this;
        }

        private DamagedRows requireRows() {
            if (rows == null) {
                throw new IllegalStateException("The check " + name + " has a query: only a check that names its"
                        + " table can have a key, conditions and columns.");
            }
            return rows;
        }

        /**
         * Sets the column that identifies a row of the check's table. Default: {@code id}.
         *
         * @param column its name; it must be unique, not null, and sortable by the database
         * @return this
         * @throws IllegalStateException if the check does not name a table
         */
        public Builder key(String column) {
            DamagedRows its = requireRows();
            return rows(new DamagedRows(
                    its.table(), DatabaseProduct.name("a column", column), its.where(), null, its.recorded()));
        }

        /**
         * Adds a condition: rows that do not satisfy it are never reported.
         *
         * @param condition an SQL condition, without parameters
         * @return this
         * @throws IllegalStateException if the check does not name a table
         */
        public Builder where(String condition) {
            DamagedRows its = requireRows();
            return rows(new DamagedRows(
                    its.table(), its.key(), "(" + its.where() + ") AND (" + condition + ")", null, its.recorded()));
        }

        /**
         * Adds columns to the sample. A repair of this check records the same columns in its audit unless overridden.
         *
         * @param columns their names
         * @return this
         * @throws IllegalStateException if the check does not name a table
         */
        public Builder showing(String... columns) {
            DamagedRows its = requireRows();
            List<String> shown = new ArrayList<>(its.recorded());
            for (String column : columns) {
                shown.add(DatabaseProduct.name("a column", column));
            }
            return rows(new DamagedRows(its.table(), its.key(), its.where(), null, List.copyOf(shown)));
        }

        /**
         * Sets the severity of a finding. Default: {@link Severity#ERROR}.
         *
         * @param severity the severity
         * @return this
         */
        public Builder severity(Severity severity) {
            this.severity = severity;
            return this;
        }

        /**
         * Sets how often the check runs. Default: daily.
         *
         * @param schedule the schedule
         * @return this
         */
        public Builder schedule(Schedule schedule) {
            this.schedule = schedule;
            return this;
        }

        /**
         * Sets how many incorrect rows the result shows; all of them are counted. Default: 10.
         *
         * @param rows from 0 to 1000
         * @return this
         */
        public Builder sampleLimit(int rows) {
            if (rows < 0 || rows > 1000) {
                throw new IllegalArgumentException("A sample must be between 0 and 1000 rows, found " + rows + ".");
            }
            sampleLimit = rows;
            return this;
        }

        /**
         * Sets the query's timeout. Default: 1 minute.
         *
         * @param time whole seconds, from 1 second to 1 day
         * @return this
         */
        public Builder timeout(Duration time) {
            if (time.compareTo(Duration.ofSeconds(1)) < 0 || time.compareTo(Duration.ofDays(1)) > 0) {
                throw new IllegalArgumentException("A timeout must be between 1 second and 1 day, found " + time + ".");
            }
            timeout = time;
            return this;
        }

        /**
         * Builds the check.
         *
         * @return the check
         * @throws IllegalArgumentException if it has no query
         */
        public Check build() {
            String query =
                    rows == null ? sql : rows.query(counted == null ? List.of() : List.of(counted + " AS counted"));
            if (query == null && parts.isEmpty()) {
                throw new IllegalArgumentException("The check " + name + " has no query.");
            }
            return new Check(this, query == null ? "" : query);
        }
    }
}
