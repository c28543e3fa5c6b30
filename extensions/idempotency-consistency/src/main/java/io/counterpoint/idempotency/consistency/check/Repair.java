package io.counterpoint.idempotency.consistency.check;

import io.counterpoint.idempotency.consistency.Transactions;
import io.counterpoint.idempotency.consistency.check.RepairReport.End;
import io.counterpoint.idempotency.consistency.internal.DatabaseProduct;
import io.counterpoint.idempotency.jdbc.Isolation;
import java.util.List;
import java.util.UUID;
import java.util.function.BiConsumer;
import java.util.function.LongConsumer;
import java.util.regex.Pattern;
import org.jdbi.v3.core.Handle;
import org.jspecify.annotations.Nullable;

/**
 * Repairs the rows that a check finds. It uses the check's predicate on one table, or its own, and every change repeats
 * that predicate, so a row that was fixed in the meantime is left alone. Immutable and thread-safe.
 *
 * <pre>{@code
 * Repair softDelete = Repair.builder(orphans).set("deleted_at = {now}").recording("workspace_id", "deleted_at").build();
 * Repair fail = Repair.builder(zombies)
 *         .set("status = 'failed', error_message = 'System timeout', completed_at = {now}")
 *         .build();
 * Repair count = Repair.builder(quotas).set("quota_used = {counted}").build();
 * RepairReport report = softDelete.run(transactions);
 * }</pre>
 *
 * <p>Promised: a dry run changes nothing; no transaction changes more rows than a batch, and no run more than the cap;
 * each changed row has an audit row in the same transaction; the check runs again afterwards. A row that cannot be
 * changed, for example because of a constraint, is left unchanged and named in the report; the others are changed. To
 * complete a repair that was interrupted or killed, run it again: rows that it has committed no longer satisfy the
 * predicate. Any number may run concurrently. Conditions: the predicate is false for a row once it is changed, and
 * writers of the data that the predicate reads also run SERIALIZABLE; otherwise a row that they fix at the same moment
 * may still be changed.
 */
public final class Repair {

    private static final Pattern LITERAL = Pattern.compile("'[^']*'");

    private static final String DEFAULT_AUDIT = "repair_audit";

    private final RepairRun.Settings settings;

    private Repair(RepairRun.Settings settings) {
        this.settings = settings;
    }

    /**
     * Starts building a repair for the rows that a check finds. If the check names its table ({@link Check#rows},
     * {@link Check#orphans}, {@link Check#counts}, {@link Check#tooLongIn}), the repair uses that table, its key and
     * the predicate, and records the columns that the check shows.
     *
     * @param check the check, whose name the repair takes
     * @return a builder
     */
    public static Builder builder(Check check) {
        return new Builder(check);
    }

    /**
     * Returns the check whose rows are repaired.
     *
     * @return the check
     */
    public Check check() {
        return settings.check();
    }

    /**
     * Creates the audit table if it is missing, for demos and tests. In production, copy {@code
     * io/counterpoint/idempotency/consistency/check/postgresql.sql} (or {@code h2.sql}, {@code mariadb.sql}, {@code
     * mysql.sql}) into your migrations.
     *
     * @param handle a handle outside any transaction
     * @return this
     */
    public Repair createAuditIfMissing(Handle handle) {
        DatabaseProduct.create(handle, Repair.class::getResourceAsStream, DEFAULT_AUDIT, settings.audit());
        return this;
    }

    /**
     * Counts the rows that would be changed, without changing them.
     *
     * @param transactions runs the transactions
     * @return the report; {@code matched} is the number of rows that currently satisfy the predicate, without the cap
     * @throws IllegalStateException if the predicate cannot be evaluated
     */
    public RepairReport dryRun(Transactions transactions) {
        Check check = settings.check();
        CheckResult matching = Check.named(check.name())
                .sql(settings.rows().query(List.of()))
                .timeout(check.timeout())
                .sampleLimit(0)
                .build()
                .run(transactions);
        matching.error().ifPresent(error -> {
            throw new IllegalStateException(
                    "The predicate of the repair " + check.name() + " cannot be evaluated: " + error);
        });
        return new RepairReport(
                check.name(),
                UUID.randomUUID(),
                End.DRY_RUN,
                matching.offending(),
                0,
                0,
                List.of(),
                check.run(transactions));
    }

    /**
     * Repairs the rows in batches, then runs the check again. Interrupting the thread ends it after the current batch.
     *
     * @param transactions runs the transactions
     * @return the report
     * @throws RuntimeException if rows cannot be read, the database is unreachable, or a batch encountered too many
     *     conflicts; earlier batches are committed, and running it again continues
     */
    public RepairReport run(Transactions transactions) {
        return new RepairRun(settings, transactions).finish();
    }

    @Override
    public String toString() {
        return "Repair[" + check().name() + ", " + settings.rows().action() + "]";
    }

    /** Builds a repair. */
    public static final class Builder {
        private final Check check;
        private String table = "";
        private String key = "id";
        private @Nullable String where;
        private @Nullable String set;
        private boolean delete;
        private List<String> recorded = List.of();
        private String audit = DEFAULT_AUDIT;
        private int batchSize = 100;
        private long maxRows = 10_000;
        private Isolation isolation = Isolation.SERIALIZABLE;
        private LongConsumer progress = changed -> {};
        private BiConsumer<? super Handle, Object> onChanged = (handle, row) -> {};

        private Builder(Check check) {
            this.check = check;
            check.rows().ifPresent(rows -> {
                table = rows.table();
                key = rows.key();
                where = rows.where();
                recorded = rows.recorded();
            });
        }

        /**
         * Sets the table that contains the incorrect rows.
         *
         * @param name its name, with or without a schema, by which the predicate can qualify its columns
         * @return this
         */
        public Builder table(String name) {
            table = DatabaseProduct.name("a table", name);
            return this;
        }

        /**
         * Sets the column that identifies a row. Default: {@code id}.
         *
         * @param column its name; it must be unique, not null, and sortable by the database
         * @return this
         */
        public Builder key(String column) {
            key = DatabaseProduct.name("a column", column);
            return this;
        }

        /**
         * Sets the predicate for incorrect rows: the check's condition, expressed for this table.
         *
         * @param predicate an SQL condition, without parameters; false for a row once it is changed
         * @return this
         */
        public Builder where(String predicate) {
            where = predicate;
            return this;
        }

        /**
         * Sets the change. {@code {now}} is the current time, and {@code {counted}} the value counted by {@link
         * Check#counts}.
         *
         * @param assignments the SET clause of an UPDATE, without parameters
         * @return this
         */
        public Builder set(String assignments) {
            set = check.counted()
                    .map(counted -> assignments.replace("{counted}", counted))
                    .orElse(assignments);
            return this;
        }

        /**
         * Deletes incorrect rows instead of changing them.
         *
         * @return this
         */
        public Builder delete() {
            delete = true;
            return this;
        }

        /**
         * Sets the columns whose old and new values are recorded in the audit. Default: the columns that the check
         * shows, if it names its table. If they contain personal data, so does the audit.
         *
         * @param columns their names
         * @return this
         */
        public Builder recording(String... columns) {
            recorded = List.of(columns).stream()
                    .map(column -> DatabaseProduct.name("a column", column))
                    .toList();
            return this;
        }

        /**
         * Sets the audit table. Default: {@code repair_audit}. Any number of repairs can share one.
         *
         * @param name its name, without a schema
         * @return this
         */
        public Builder audit(String name) {
            audit = DatabaseProduct.nameWithoutSchema("a table", name);
            return this;
        }

        /**
         * Sets the maximum number of rows that one transaction changes. Default: 100.
         *
         * @param rows at least 1
         * @return this
         */
        public Builder batchSize(int rows) {
            batchSize = DatabaseProduct.positive("the batch", rows);
            return this;
        }

        /**
         * Sets the maximum number of rows that one run changes. Default: 10,000.
         *
         * @param rows at least 1
         * @return this
         */
        public Builder maxRows(int rows) {
            maxRows = DatabaseProduct.positive("the cap", rows);
            return this;
        }

        /**
         * Sets an action that commits together with each change, such as appending an event. It runs in the transaction
         * of the change; an exception undoes that change, and the report names the row.
         *
         * @param listener receives the transaction and the key of the row, as returned by the database
         * @return this
         */
        public Builder onChanged(BiConsumer<? super Handle, Object> listener) {
            onChanged = listener;
            return this;
        }

        /**
         * Sets the isolation level of batches. Default: SERIALIZABLE.
         *
         * @param level the level
         * @return this
         */
        public Builder isolation(Isolation level) {
            isolation = level;
            return this;
        }

        /**
         * Sets a listener that receives the number of changed rows after each batch. Default: none. An exception thrown
         * by the listener ends the repair.
         *
         * @param listener receives the number of rows that this run has changed so far
         * @return this
         */
        public Builder progress(LongConsumer listener) {
            progress = listener;
            return this;
        }

        /**
         * Builds the repair.
         *
         * @return the repair
         * @throws IllegalArgumentException if the table, the predicate or the change is missing, or both a change and a
         *     deletion are set
         */
        public Repair build() {
            String predicate = where;
            if (table.isEmpty() || predicate == null || (set == null) != delete) {
                throw new IllegalArgumentException("The repair of " + check.name() + " needs a table, a predicate,"
                        + " and values to set or a deletion.");
            }
            if (LITERAL.matcher(predicate + " " + set).replaceAll("").contains("?")) {
                throw new IllegalArgumentException(
                        "The repair of " + check.name() + " has a question mark, which its"
                                + " statements take for a parameter. For PostgreSQL's jsonb ? 'a', write jsonb_exists(jsonb, 'a').");
            }
            DamagedRows rows = new DamagedRows(table, key, predicate, set, recorded);
            return new Repair(
                    new RepairRun.Settings(check, rows, audit, batchSize, maxRows, isolation, progress, onChanged));
        }
    }
}
