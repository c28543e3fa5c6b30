package io.counterpoint.idempotency.consistency.check;

import io.counterpoint.idempotency.consistency.Transactions;
import io.counterpoint.idempotency.consistency.check.DamagedRows.Damaged;
import io.counterpoint.idempotency.consistency.check.RepairReport.End;
import io.counterpoint.idempotency.consistency.internal.Database;
import io.counterpoint.idempotency.jdbc.Isolation;
import java.util.HexFormat;
import java.util.List;
import java.util.Optional;
import java.util.UUID;
import java.util.function.BiConsumer;
import java.util.function.LongConsumer;
import org.jdbi.v3.core.Handle;

/** One run of a repair: batch by batch, then the check. For one thread, once. */
final class RepairRun {

    private final Settings settings;
    private final Transactions transactions;
    private final UUID run = UUID.randomUUID();

    RepairRun(Settings settings, Transactions transactions) {
        this.settings = settings;
        this.transactions = transactions;
    }

    /**
     * What a repair does.
     *
     * @param check what finds the damage
     * @param rows the damage
     * @param audit the table of changes
     * @param batchSize the most rows of one transaction
     * @param maxRows the most rows of one run
     * @param isolation the level of batches
     * @param progress the listener after each batch
     * @param onChanged what belongs to every change
     */
    record Settings(
            Check check,
            DamagedRows rows,
            String audit,
            int batchSize,
            long maxRows,
            Isolation isolation,
            LongConsumer progress,
            BiConsumer<? super Handle, Object> onChanged) {}

    private record Batch(int matched, int changed, Optional<Object> last) {}

    RepairReport finish() {
        Check check = settings.check();
        long matched = 0;
        long changed = 0;
        int batches = 0;
        Optional<Object> after = Optional.empty();
        End end = End.COMPLETE;
        for (boolean more = true; more; ) {
            if (changed == settings.maxRows()) {
                end = End.ROW_CAP;
                break;
            }
            // Cleared, since it would break the connections of the check afterwards.
            if (Thread.interrupted()) {
                end = End.INTERRUPTED;
                break;
            }
            int limit = (int) Math.min(settings.batchSize(), settings.maxRows() - changed);
            Optional<Object> last = after;
            Batch batch = transactions.inTransaction(settings.isolation(), handle -> batch(handle, last, limit));
            matched += batch.matched();
            changed += batch.changed();
            batches++;
            after = batch.last();
            more = batch.matched() == limit;
            settings.progress().accept(changed);
        }
        RepairReport report =
                new RepairReport(check.name(), run, end, matched, changed, batches, check.run(transactions));
        if (end == End.INTERRUPTED) {
            Thread.currentThread().interrupt();
        }
        return report;
    }

    /** Keys only ascend within a run: a change that leaves its row damaged cannot keep it going for ever. */
    private Batch batch(Handle handle, Optional<Object> after, int limit) {
        List<Damaged> rows = settings.rows().page(handle, after, limit);
        int changed = 0;
        for (Damaged row : rows) {
            if (settings.rows().change(handle, row)) {
                changed++;
                record(handle, row);
                settings.onChanged().accept(handle, row.key());
            }
        }
        return new Batch(
                rows.size(),
                changed,
                rows.isEmpty() ? after : Optional.of(rows.get(rows.size() - 1).key()));
    }

    private void record(Handle handle, Damaged row) {
        Database database = Database.of(handle);
        Optional<String> after = settings.rows().valuesAfter(handle, row);
        handle.createUpdate("""
                        INSERT INTO %s (run, repair, table_name, row_key, values_before, values_after, changed_at)
                        VALUES (:run, :repair, :table, :key, :before, :after, %s)
                        """.formatted(settings.audit(), database.now()))
                .bind("run", database.bound(run))
                .bind("repair", settings.check().name())
                .bind("table", settings.rows().table())
                .bind(
                        "key",
                        row.key() instanceof byte[] bytes
                                ? HexFormat.of().formatHex(bytes)
                                : row.key().toString())
                .bind("before", row.values())
                .bind("after", after.orElse(null))
                .execute();
    }
}
