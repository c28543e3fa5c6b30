package io.counterpoint.idempotency.consistency.check;

import io.counterpoint.idempotency.consistency.internal.TextTable;
import java.util.ArrayList;
import java.util.List;
import java.util.UUID;

/**
 * The result of a repair or of a dry run.
 *
 * @param repair the repair's name
 * @param run the identifier of the run in its audit rows
 * @param end why it ended
 * @param matched rows that satisfied the predicate: for a dry run all of them, otherwise those that the run reached
 * @param changed rows that were changed, each with an audit row
 * @param batches transactions that were committed
 * @param unrepaired rows that could not be changed, each with the reason
 * @param after the result of the check afterwards; for a dry run, its current result
 */
public record RepairReport(
        String repair,
        UUID run,
        End end,
        long matched,
        long changed,
        int batches,
        List<Unrepaired> unrepaired,
        CheckResult after) {

    /**
     * A row that could not be changed.
     *
     * @param row its key
     * @param why the exception of the database or of {@code onChanged}
     */
    public record Unrepaired(String row, String why) {}

    /** Why a repair ended. */
    public enum End {
        /** The run was a dry run. */
        DRY_RUN,
        /** No more rows satisfy the predicate. */
        COMPLETE,
        /** The run reached its maximum number of rows, including failures. Run it again. */
        ROW_CAP,
        /** Its thread was interrupted between two batches. Run it again. */
        INTERRUPTED
    }

    /**
     * Returns the exit code for this report.
     *
     * @return the exit code of the check afterwards
     */
    public int exitCode() {
        return after.exitCode();
    }

    /**
     * Returns the report as text.
     *
     * @return lines that end with a line feed
     */
    public String table() {
        List<String[]> rows = new ArrayList<>();
        rows.add(
                new String[] {"repair", "end", "matched", "changed", "batches", "not repaired", "still offending", "run"
                });
        rows.add(new String[] {
            repair,
            end.name(),
            Long.toString(matched),
            Long.toString(changed),
            Integer.toString(batches),
            Integer.toString(unrepaired.size()),
            after.error().orElse(Long.toString(after.offending())),
            run.toString()
        });
        String text = TextTable.print(rows);
        if (unrepaired.isEmpty()) {
            return text;
        }
        List<String[]> left = new ArrayList<>();
        left.add(new String[] {"not repaired", "why"});
        unrepaired.forEach(row -> left.add(new String[] {row.row(), row.why()}));
        return text + "\n" + TextTable.print(left);
    }

    /**
     * Returns the report as a JSON object.
     *
     * @return the text
     */
    public String json() {
        return Json.pretty(json -> {
            json.writeStartObject();
            json.writeStringField("repair", repair);
            json.writeStringField("run", run.toString());
            json.writeStringField("end", end.name());
            json.writeNumberField("matched", matched);
            json.writeNumberField("changed", changed);
            json.writeNumberField("batches", batches);
            json.writeArrayFieldStart("unrepaired");
            for (Unrepaired row : unrepaired) {
                json.writeStartObject();
                json.writeStringField("row", row.row());
                json.writeStringField("why", row.why());
                json.writeEndObject();
            }
            json.writeEndArray();
            json.writeNumberField("exitCode", exitCode());
            json.writeFieldName("after");
            CheckReport.write(json, after);
            json.writeEndObject();
        });
    }
}
