package io.counterpoint.idempotency.examples.appplatform;

import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.counterpoint.idempotency.programs.Json;
import io.counterpoint.idempotency.programs.TextTable;
import java.io.PrintStream;
import java.util.ArrayList;
import java.util.List;

/** What the program has found: as tables while it goes on, or as one JSON object in the end. */
final class Findings {

    /** By convention, 128 and the number of the signal; a virtual machine that gets one ends with this by itself. */
    private static final int STOPPED = 128 + 15;

    private final PrintStream out;
    private final boolean json;
    private final ObjectNode all = Json.object();
    private final List<Fact> facts = new ArrayList<>();
    private int severity;
    private boolean stopped;

    /** What was promised, and what is there. */
    private record Fact(String promise, String expected, String found) {
        boolean isKept() {
            return expected.equals(found);
        }
    }

    Findings(PrintStream out, boolean json) {
        this.out = out;
        this.json = json;
    }

    /** Rows under columns; the first is the header. */
    void table(String key, String title, List<Object[]> rows) {
        Object[] header = rows.get(0);
        ArrayNode array = all.putArray(key);
        TextTable table = new TextTable().row(header);
        for (Object[] row : rows.subList(1, rows.size())) {
            table.row(row);
            ObjectNode object = array.addObject();
            for (int i = 0; i < header.length; i++) {
                object.set(header[i].toString(), Json.of(row[i]));
            }
        }
        if (!json) {
            out.println("\n== " + title + "\n");
            table.print(out);
        }
    }

    /** What the toolkit prints by itself. */
    void report(String key, String title, String text, String asJson) {
        all.set(key, Json.parse(asJson));
        if (!json) {
            out.println("\n== " + title + "\n");
            out.print(text);
        }
    }

    void fact(String promise, Object expected, Object found) {
        facts.add(new Fact(promise, expected.toString(), found.toString()));
    }

    /** That the exit code is at least this. */
    void severity(int atLeast) {
        severity = Math.max(severity, atLeast);
    }

    /** That this is the report so far: the program got a signal to end. */
    void stopped() {
        stopped = true;
        all.put("stopped", true);
    }

    int exitCode() {
        return stopped ? STOPPED : kept();
    }

    private int kept() {
        return facts.stream().allMatch(Fact::isKept) ? severity : Math.max(2, severity);
    }

    void verdict() {
        long broken = facts.stream().filter(fact -> !fact.isKept()).count();
        if (!facts.isEmpty()) {
            List<Object[]> rows = new ArrayList<>();
            rows.add(new Object[] {"promise", "expected", "found", "kept"});
            facts.forEach(fact -> rows.add(
                    new Object[] {fact.promise(), fact.expected(), fact.found(), fact.isKept() ? "yes" : "NO"}));
            table("promises", "Promises", rows);
        }
        all.put("exitCode", exitCode());
        if (json) {
            out.println(Json.indented(all));
        } else if (!facts.isEmpty()) {
            out.println();
            out.println(
                    broken == 0
                            ? (stopped ? "Stopped before the end. Kept: " : "Kept: ") + facts.size() + " of "
                                    + facts.size() + " promises."
                            : (stopped ? "Stopped before the end. NOT kept: " : "NOT kept: ") + broken + " of "
                                    + facts.size() + " promises.");
        }
    }
}
