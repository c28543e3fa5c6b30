package io.counterpoint.idempotency.consistency.check;

import io.counterpoint.idempotency.consistency.internal.TextTable;
import java.util.ArrayList;
import java.util.List;
import java.util.UUID;

/**
 * What a repair did, or would do.
 *
 * @param repair the repair's name
 * @param run what its audit rows are found by
 * @param end why it ended
 * @param matched rows that met the predicate; for a dry run all of them, else the rows that the run came to
 * @param changed rows that it changed, each with an audit row
 * @param batches transactions that it committed
 * @param after what the check found afterwards; for a dry run, what it finds now
 */
public record RepairReport(
        String repair, UUID run, End end, long matched, long changed, int batches, CheckResult after) {

    /** Why a repair ended. */
    public enum End {
        /** Nothing was to be changed by this run. */
        DRY_RUN,
        /** No further row meets the predicate. */
        COMPLETE,
        /** It changed as many rows as one run may. Run it again. */
        ROW_CAP,
        /** Its thread was interrupted between two batches. Run it again. */
        INTERRUPTED
    }

    /**
     * The exit code of a program that made this report.
     *
     * @return that of the check afterwards
     */
    public int exitCode() {
        return after.exitCode();
    }

    /**
     * The report for a terminal.
     *
     * @return lines that end with a line feed
     */
    public String table() {
        List<String[]> rows = new ArrayList<>();
        rows.add(new String[] {"repair", "end", "matched", "changed", "batches", "still offending", "run"});
        rows.add(new String[] {
            repair,
            end.name(),
            Long.toString(matched),
            Long.toString(changed),
            Integer.toString(batches),
            after.error().orElse(Long.toString(after.offending())),
            run.toString()
        });
        return TextTable.print(rows);
    }

    /**
     * The report as one JSON object.
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
            json.writeNumberField("exitCode", exitCode());
            json.writeFieldName("after");
            CheckReport.write(json, after);
            json.writeEndObject();
        });
    }
}
