package io.counterpoint.idempotency.examples.appplatform;

import static java.nio.charset.StandardCharsets.UTF_8;

import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.counterpoint.idempotency.programs.Json;
import io.counterpoint.idempotency.programs.TextTable;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.PrintStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Optional;

/**
 * What the program has found. A story has a few lines, and its tables go to a folder; a report prints its
 * tables; with JSON there is one object in the end.
 */
final class Findings {

    /** By convention, 128 and the number of the signal; a virtual machine that gets one ends with this by itself. */
    private static final int STOPPED = 128 + 15;

    /** More broken promises than these are in the details only. */
    private static final int MOST_BROKEN = 8;

    private final PrintStream out;
    private final boolean json;
    private final Optional<Path> folder;
    private final ByteArrayOutputStream details = new ByteArrayOutputStream();
    private final PrintStream tables;
    private final ObjectNode all = Json.object();
    private final List<Fact> facts = new ArrayList<>();
    private final List<Lag> missed = new ArrayList<>();
    private boolean boundsCount = true;
    private int severity;
    private boolean stopped;

    /** What was promised, and what is there. */
    private record Fact(String promise, String expected, String found) {
        boolean isKept() {
            return expected.equals(found);
        }
    }

    private Findings(PrintStream out, boolean json, Optional<Path> folder) {
        this.out = out;
        this.json = json;
        this.folder = folder;
        this.tables = folder.isPresent() ? new PrintStream(details, true, UTF_8) : out;
    }

    /** Prints tables while it goes on. */
    static Findings report(PrintStream out, boolean json) {
        return new Findings(out, json, Optional.empty());
    }

    /** Prints a story while it goes on, and writes the tables and a JSON object to a folder in the end. */
    static Findings story(PrintStream out, boolean json, Path folder) {
        return new Findings(out, json, Optional.of(folder));
    }

    /** A chapter of the story begins. */
    void chapter(String title) {
        line("");
        line(title);
    }

    /** A line of the story. */
    void tell(String text) {
        line("  " + text);
    }

    private void line(String text) {
        if (!json) {
            out.println(text);
        }
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
        print(title, table.text());
    }

    /** What the toolkit prints by itself. */
    void report(String key, String title, String text, String asJson) {
        all.set(key, Json.parse(asJson));
        print(title, text);
    }

    private void print(String title, String text) {
        if (!json || folder.isPresent()) {
            tables.println("\n== " + title + "\n");
            tables.print(text);
        }
    }

    void fact(String promise, Object expected, Object found) {
        facts.add(new Fact(promise, expected.toString(), found.toString()));
    }

    /** A lag, which is a promise on a machine that has time for it. */
    void bound(Lag lag) {
        if (!lag.holds()) {
            missed.add(lag);
        }
    }

    /** Whether missed bounds count; on a machine with too much to do they are only named. */
    void judgeBounds(boolean count) {
        boundsCount = count;
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
        boolean kept = facts.stream().allMatch(Fact::isKept) && (missed.isEmpty() || !boundsCount);
        return kept ? severity : Math.max(2, severity);
    }

    void verdict() throws IOException {
        List<Fact> broken = facts.stream().filter(fact -> !fact.isKept()).toList();
        if (!facts.isEmpty()) {
            List<Object[]> rows = new ArrayList<>();
            rows.add(new Object[] {"promise", "expected", "found", "kept"});
            facts.forEach(fact -> rows.add(
                    new Object[] {fact.promise(), fact.expected(), fact.found(), fact.isKept() ? "yes" : "NO"}));
            table("promises", "Promises", rows);
        }
        all.put("boundsCount", boundsCount);
        all.set(
                "boundsMissed",
                Json.of(missed.stream().map(lag -> lag.bound().part()).toList()));
        all.put("exitCode", exitCode());
        if (!facts.isEmpty()) {
            line("");
            missed.forEach(lag -> line(missedBound(lag)));
            broken.stream()
                    .limit(MOST_BROKEN)
                    .forEach(fact -> line("BROKEN: " + fact.promise() + ": expected " + fact.expected() + ", found "
                            + fact.found() + "."));
            line((stopped ? "Stopped before the end. " : "") + (broken.isEmpty() ? "Kept: " : "NOT kept: ")
                    + (broken.isEmpty() ? facts.size() : broken.size()) + " of " + facts.size() + " promises.");
        }
        if (folder.isPresent()) {
            Path text = Files.write(folder.get().resolve("tour.txt"), details.toByteArray());
            Path unused = Files.writeString(folder.get().resolve("tour.json"), Json.indented(all));
            line("Details: " + text.toUri());
        }
        if (json) {
            out.println(Json.indented(all));
        }
    }

    private String missedBound(Lag lag) {
        return String.format(
                Locale.ROOT,
                "%s: %s took up to %.1f s, and its bound is %d s.",
                boundsCount ? "MISSED" : "Missed under this load, which does not count",
                lag.bound().part(),
                lag.worst().toMillis() / 1000.0,
                lag.bound().lag().toSeconds());
    }
}
