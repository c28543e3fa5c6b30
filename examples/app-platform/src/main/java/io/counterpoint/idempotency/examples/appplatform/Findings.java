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
 * The program's findings. A story prints a few lines and writes its tables to a folder; a report prints its tables;
 * with JSON, one object is printed at the end.
 */
final class Findings {

    /**
     * By convention, 128 plus the number of the signal. A virtual machine that gets SIGTERM exits with this code by
     * itself.
     */
    private static final int STOPPED = 128 + 15;

    /** If there are more broken promises than this, only the details list the rest. */
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

    /** A promise, with the expected and the actual result. */
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

    /** Prints tables as they are found. */
    static Findings report(PrintStream out, boolean json) {
        return new Findings(out, json, Optional.empty());
    }

    /** Prints a story as it proceeds; at the end, writes the tables and a JSON object to a folder. */
    static Findings story(PrintStream out, boolean json, Path folder) {
        return new Findings(out, json, Optional.of(folder));
    }

    /** Begins a chapter of the story. */
    void chapter(String title) {
        line("");
        line(title);
    }

    /** Adds a line to the story. */
    void tell(String text) {
        line("  " + text);
    }

    private void line(String text) {
        if (!json) {
            out.println(text);
        }
    }

    /** Adds a table; the first row is the header. */
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

    /** Adds a report that the toolkit has formatted. */
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

    /** Adds a lag. Its bound is a promise only if the machine is not overloaded. */
    void bound(Lag lag) {
        if (!lag.holds()) {
            missed.add(lag);
        }
    }

    /** Sets whether missed bounds count. On an overloaded machine they are only listed. */
    void judgeBounds(boolean count) {
        boundsCount = count;
    }

    /** Raises the exit code to at least this. */
    void severity(int atLeast) {
        severity = Math.max(severity, atLeast);
    }

    /** Marks the report as incomplete, because the program got a termination signal. */
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
