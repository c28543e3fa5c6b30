package io.counterpoint.idempotency.consistency.comparison;

import com.fasterxml.jackson.core.JsonGenerator;
import io.counterpoint.idempotency.consistency.internal.TextTable;
import java.io.IOException;
import java.io.Writer;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.TreeMap;

/**
 * The result of a finished run. The findings themselves stay in the journal and are read from there until another run
 * begins. Keys and field names are shown, values are not.
 *
 * @param <K> the type of the keys
 */
public final class ComparisonReport<K> {

    private static final int PAGE = 1_000;
    private static final int SHOWN = 20;

    private final ComparisonSettings<K> comparison;
    private final Totals totals;
    private final boolean continued;
    private final Duration elapsed;

    ComparisonReport(ComparisonSettings<K> comparison, Totals totals, boolean continued, Duration elapsed) {
        this.comparison = comparison;
        this.totals = totals;
        this.continued = continued;
        this.elapsed = elapsed;
    }

    /**
     * Returns the counts of the whole run.
     *
     * @return the counts
     */
    public Totals totals() {
        return totals;
    }

    /**
     * Returns whether nothing differs and no row is undecided.
     *
     * @return true if so
     */
    public boolean isClean() {
        return totals.findings() == 0 && totals.undecided() == 0;
    }

    /**
     * Returns whether an earlier call started the run without finishing it.
     *
     * @return true if so
     */
    public boolean isContinued() {
        return continued;
    }

    /**
     * Returns the duration of the call that finished the run.
     *
     * @return the time
     */
    public Duration elapsed() {
        return elapsed;
    }

    /**
     * Returns findings in key order.
     *
     * @param skip the number of findings to skip
     * @param limit the maximum number of findings
     * @return the findings; fewer than the limit only if the journal has no more
     */
    public List<Finding<K>> findings(long skip, int limit) {
        return comparison.findings(skip, limit);
    }

    /**
     * Returns how often each field differs, which helps you decide which side is correct.
     *
     * @return the counts by field name
     */
    public Map<String, Long> differencesByField() {
        Map<String, Long> counts = new TreeMap<>();
        for (long skip = 0; ; skip += PAGE) {
            List<Finding<K>> page = findings(skip, PAGE);
            page.forEach(finding -> fields(finding).forEach(field -> counts.merge(field, 1L, Long::sum)));
            if (page.size() < PAGE) {
                return counts;
            }
        }
    }

    /**
     * Returns the report as text: the counts, how often each field differs and the first findings.
     *
     * @return lines that end with a line feed
     */
    public String table() {
        List<String[]> rows = new ArrayList<>();
        row(rows, "comparison", comparison.name());
        row(rows, "rows in old", count(totals.oldRows()));
        row(rows, "rows in new", count(totals.newRows()));
        row(rows, "missing in old", count(totals.missingInOld()));
        row(rows, "missing in new", count(totals.missingInNew()));
        row(rows, "different", count(totals.different()));
        differencesByField().forEach((field, differ) -> row(rows, "  " + field, count(differ)));
        row(rows, "dismissed", count(totals.dismissed()));
        row(rows, "undecided", count(totals.undecided()));
        row(rows, "time", elapsed.toMillis() / 1000.0 + " s" + (continued ? ", continued" : ""));
        StringBuilder text = new StringBuilder(TextTable.print(rows));
        List<Finding<K>> shown = findings(0, SHOWN);
        if (!shown.isEmpty()) {
            List<String[]> table = new ArrayList<>();
            row(table, "key", "finding", "fields");
            shown.forEach(finding ->
                    row(table, String.valueOf(finding.key()), kind(finding), String.join(", ", fields(finding))));
            text.append('\n').append(TextTable.print(table));
            if (totals.findings() > shown.size()) {
                text.append("and ")
                        .append(count(totals.findings() - shown.size()))
                        .append(" more\n");
            }
        }
        return text.toString();
    }

    /**
     * Returns the report with all findings as one JSON object; for many findings, use {@link #writeJson}.
     *
     * @return the text
     */
    public String json() {
        return Json.pretty(this::write);
    }

    /**
     * Writes the report with all findings as one JSON object, in constant memory.
     *
     * @param out the writer, which stays open
     * @throws IOException if the report cannot be written
     */
    public void writeJson(Writer out) throws IOException {
        Json.pretty(out, this::write);
    }

    private void write(JsonGenerator json) throws IOException {
        json.writeStartObject();
        json.writeStringField("comparison", comparison.name());
        json.writeBooleanField("clean", isClean());
        json.writeBooleanField("continued", continued);
        json.writeNumberField("elapsedMillis", elapsed.toMillis());
        json.writeNumberField("oldRows", totals.oldRows());
        json.writeNumberField("newRows", totals.newRows());
        json.writeNumberField("missingInOld", totals.missingInOld());
        json.writeNumberField("missingInNew", totals.missingInNew());
        json.writeNumberField("different", totals.different());
        json.writeNumberField("dismissed", totals.dismissed());
        json.writeNumberField("undecided", totals.undecided());
        json.writeObjectFieldStart("differencesByField");
        for (Map.Entry<String, Long> field : differencesByField().entrySet()) {
            json.writeNumberField(field.getKey(), field.getValue());
        }
        json.writeEndObject();
        json.writeArrayFieldStart("findings");
        writeFindings(json);
        json.writeEndArray();
        json.writeEndObject();
    }

    private void writeFindings(JsonGenerator json) throws IOException {
        for (long skip = 0; ; skip += PAGE) {
            List<Finding<K>> page = findings(skip, PAGE);
            for (Finding<K> finding : page) {
                json.writeStartObject();
                json.writeStringField("key", String.valueOf(finding.key()));
                json.writeStringField("finding", kind(finding));
                json.writeArrayFieldStart("fields");
                for (String field : fields(finding)) {
                    json.writeString(field);
                }
                json.writeEndArray();
                json.writeEndObject();
            }
            if (page.size() < PAGE) {
                return;
            }
        }
    }

    private static String kind(Finding<?> finding) {
        return finding.fold(old -> "missing in old", replacement -> "missing in new", different -> "different");
    }

    private static List<String> fields(Finding<?> finding) {
        return finding.fold(old -> List.of(), replacement -> List.of(), Finding.Different::fields);
    }

    private static void row(List<String[]> rows, String... cells) {
        rows.add(cells);
    }

    private static String count(long number) {
        return String.format(Locale.ROOT, "%,d", number);
    }

    /** The counts on one line. */
    @Override
    public String toString() {
        return "Report[" + comparison.name() + ", " + totals + "]";
    }
}
