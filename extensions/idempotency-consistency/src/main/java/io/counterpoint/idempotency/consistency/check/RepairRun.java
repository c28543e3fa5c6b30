package io.counterpoint.idempotency.consistency.check;

import io.counterpoint.idempotency.consistency.CommitUnknownException;
import io.counterpoint.idempotency.consistency.ConflictException;
import io.counterpoint.idempotency.consistency.Transactions;
import io.counterpoint.idempotency.consistency.check.DamagedRows.Damaged;
import io.counterpoint.idempotency.consistency.check.RepairReport.End;
import io.counterpoint.idempotency.consistency.check.RepairReport.Unrepaired;
import io.counterpoint.idempotency.consistency.internal.DatabaseProduct;
import io.counterpoint.idempotency.jdbc.Isolation;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.HexFormat;
import java.util.List;
import java.util.Optional;
import java.util.UUID;
import java.util.function.BiConsumer;
import java.util.function.LongConsumer;
import org.jdbi.v3.core.Handle;
import org.jspecify.annotations.Nullable;

/** One run of a repair: the batches, then the check. Single-use and confined to one thread. */
final class RepairRun {

    private final Settings settings;
    private final Transactions transactions;
    private final UUID run = UUID.randomUUID();
    private final List<Unrepaired> unrepaired = new ArrayList<>();
    private long matched;
    private long changed;
    private int batches;
    private Optional<Object> after = Optional.empty();
    /** The number of rows of a failed batch that still have to be changed individually; none if less than 1. */
    private int oneByOne;

    /** The key of the row that a batch is processing. */
    private @Nullable Object atWork;

    RepairRun(Settings settings, Transactions transactions) {
        this.settings = settings;
        this.transactions = transactions;
    }

    /**
     * The settings of a repair.
     *
     * @param check finds the damage
     * @param rows the damaged rows
     * @param audit the table of changes
     * @param batchSize the maximum number of rows per transaction
     * @param maxRows the maximum number of rows per run
     * @param isolation the isolation level of batches
     * @param progress the listener after each batch
     * @param onChanged the action that commits with each change
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
        End end = End.COMPLETE;
        for (boolean more = true; more; ) {
            if (changed + unrepaired.size() == settings.maxRows()) {
                end = End.ROW_CAP;
                break;
            }
            // Cleared, because it would break the connections of the check afterwards.
            if (Thread.interrupted()) {
                end = End.INTERRUPTED;
                break;
            }
            int before = batches;
            more = next();
            if (batches > before) {
                settings.progress().accept(changed);
            }
        }
        RepairReport report = new RepairReport(
                check.name(), run, end, matched, changed, batches, List.copyOf(unrepaired), check.run(transactions));
        if (end == End.INTERRUPTED) {
            Thread.currentThread().interrupt();
        }
        return report;
    }

    /**
     * Runs a batch. A failed batch is repeated row by row, leaving rows that fail individually. Returns whether there
     * may be more.
     */
    private boolean next() {
        int limit = oneByOne > 0
                ? 1
                : (int) Math.min(settings.batchSize(), settings.maxRows() - changed - unrepaired.size());
        Optional<Object> last = after;
        atWork = null;
        try {
            Batch batch = transactions.inTransaction(
                    settings.isolation(),
                    handle -> DatabaseProduct.of(handle).inUtc(handle, () -> batch(handle, last, limit)));
            matched += batch.matched();
            changed += batch.changed();
            batches++;
            oneByOne--;
            after = batch.last();
            return batch.matched() == limit;
        } catch (ConflictException | CommitUnknownException notTheRow) {
            throw notTheRow;
        } catch (RuntimeException thrown) {
            Object row = atWork;
            if (row == null || Thread.currentThread().isInterrupted()) {
                throw thrown;
            }
            if (limit > 1) {
                oneByOne = limit;
            } else {
                matched++;
                unrepaired.add(new Unrepaired(text(row), reason(thrown)));
                oneByOne--;
                after = Optional.of(row);
            }
            return true;
        }
    }

    /** The first line only: others repeat the statement or show the row's values. */
    private static String reason(Throwable thrown) {
        for (Throwable cause = thrown; cause != null; cause = cause.getCause()) {
            if (cause instanceof SQLException sql) {
                return (sql.getSQLState() + ": " + sql.getMessage()).split("[\r\n]", 2)[0];
            }
        }
        return thrown.toString();
    }

    /** Keys only ascend within a run, so a change that leaves its row damaged cannot keep it running forever. */
    private Batch batch(Handle handle, Optional<Object> after, int limit) {
        List<Damaged> rows = settings.rows().page(handle, after, limit);
        int mended = 0;
        for (Damaged row : rows) {
            atWork = row.key();
            if (settings.rows().change(handle, row)) {
                mended++;
                record(handle, row);
                settings.onChanged().accept(handle, row.key());
            }
        }
        return new Batch(
                rows.size(),
                mended,
                rows.isEmpty() ? after : Optional.of(rows.get(rows.size() - 1).key()));
    }

    private static String text(Object key) {
        return key instanceof byte[] bytes ? HexFormat.of().formatHex(bytes) : key.toString();
    }

    private void record(Handle handle, Damaged row) {
        DatabaseProduct database = DatabaseProduct.of(handle);
        Optional<String> values = settings.rows().valuesAfter(handle, row);
        handle.createUpdate("""
                        INSERT INTO %s (run, repair, table_name, row_key, values_before, values_after, changed_at)
                        VALUES (:run, :repair, :table, :key, :before, :after, %s)
                        """.formatted(settings.audit(), database.now()))
                .bind("run", database.bound(run))
                .bind("repair", settings.check().name())
                .bind("table", settings.rows().table())
                .bind("key", text(row.key()))
                .bind("before", row.values())
                .bind("after", values.orElse(null))
                .execute();
    }
}
