package io.counterpoint.idempotency.consistency.check;

import com.fasterxml.jackson.core.JsonGenerator;
import io.counterpoint.idempotency.consistency.internal.TextTable;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * The results of several checks, as text or JSON.
 *
 * @param results the results, in the order in which the checks ran
 */
public record CheckReport(List<CheckResult> results) {

    /**
     * Copies the results.
     *
     * @param results the results
     */
    public CheckReport {
        results = List.copyOf(results);
    }

    /**
     * Returns the exit code for this report.
     *
     * @return the highest exit code of the results; 0 if all are clean or there are none
     */
    public int exitCode() {
        return results.stream().mapToInt(CheckResult::exitCode).max().orElse(0);
    }

    /**
     * Returns the report as text: one line per check, followed by the samples.
     *
     * @return lines that end with a line feed
     */
    public String table() {
        List<String[]> rows = new ArrayList<>();
        rows.add(new String[] {"check", "severity", "offending", "ms", "result"});
        for (CheckResult result : results) {
            rows.add(new String[] {
                result.check(),
                result.severity().name(),
                result.error().isPresent() ? "?" : Long.toString(result.offending()),
                Long.toString(result.took().toMillis()),
                result.error().orElse(result.isClean() ? "clean" : "found")
            });
        }
        StringBuilder text = new StringBuilder(TextTable.print(rows));
        results.stream().filter(result -> !result.sample().isEmpty()).forEach(result -> {
            text.append('\n')
                    .append(result.check())
                    .append(", ")
                    .append(result.sample().size())
                    .append(" of ")
                    .append(result.offending())
                    .append('\n');
            text.append(TextTable.print(sample(result)));
        });
        return text.toString();
    }

    /**
     * Returns the report as a JSON object.
     *
     * @return the text
     */
    public String json() {
        return Json.pretty(json -> {
            json.writeStartObject();
            json.writeNumberField("exitCode", exitCode());
            json.writeArrayFieldStart("checks");
            for (CheckResult result : results) {
                write(json, result);
            }
            json.writeEndArray();
            json.writeEndObject();
        });
    }

    static void write(JsonGenerator json, CheckResult result) throws IOException {
        json.writeStartObject();
        json.writeStringField("check", result.check());
        json.writeStringField("severity", result.severity().name());
        json.writeBooleanField("clean", result.isClean());
        json.writeNumberField("offending", result.offending());
        json.writeNumberField("tookMillis", result.took().toMillis());
        if (result.error().isPresent()) {
            json.writeStringField("error", result.error().get());
        }
        json.writeArrayFieldStart("sample");
        for (Map<String, @Nullable String> row : result.sample()) {
            Json.write(json, row);
        }
        json.writeEndArray();
        json.writeEndObject();
    }

    private static List<String[]> sample(CheckResult result) {
        List<String[]> rows = new ArrayList<>();
        rows.add(result.sample().get(0).keySet().toArray(new String[0]));
        result.sample()
                .forEach(row ->
                        rows.add(row.values().stream().map(String::valueOf).toArray(String[]::new)));
        return rows;
    }
}
