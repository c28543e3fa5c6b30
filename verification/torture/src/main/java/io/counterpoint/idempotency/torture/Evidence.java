package io.counterpoint.idempotency.torture;

import static java.nio.charset.StandardCharsets.UTF_8;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.ZoneOffset;
import java.time.format.DateTimeFormatter;
import java.util.Locale;
import java.util.Map;
import java.util.function.Function;

/** The published page about a run, and its picture. Whatever else the page has stays as it is. */
final class Evidence {

    static final String BEGIN = "<!-- torture: generated from here on -->";
    static final String END = "<!-- torture: generated up to here -->";

    private static final String TITLE = """
            # Evidence

            What is promised in [protocol.md](../protocol.md#guarantees), under faults, with figures.

            """;

    private final Run run;
    private final StringBuilder page = new StringBuilder();

    private Evidence(Run run) {
        this.run = run;
    }

    static void write(Run run, Path folder) throws IOException {
        Path page = folder.resolve("evidence.md");
        String before = Files.exists(page) ? Files.readString(page, UTF_8) : TITLE + BEGIN + "\n" + END + "\n";
        Files.writeString(page, within(before, new Evidence(run).section()), UTF_8);
        Files.writeString(folder.resolve("evidence.svg"), Plot.of(run), UTF_8);
    }

    /** The page with another section; a page without one gets it at its end. */
    static String within(String page, String section) {
        int begin = page.indexOf(BEGIN);
        int end = page.indexOf(END);
        if (begin < 0 || end < begin) {
            return page.stripTrailing() + "\n\n" + BEGIN + "\n" + section + END + "\n";
        }
        return page.substring(0, begin) + BEGIN + "\n" + section + page.substring(end);
    }

    private String section() {
        Run.Versions versions = run.versions();
        line("## Torture");
        line("");
        line(
                "Worker processes ask for operations on overlapping keys. Each operation puts a row into a table that has no");
        line(
                "unique key, so a second effect would show. Meanwhile workers are killed and stopped, servers crash, connections");
        line(
                "are cut at the worst moments. Then the faults end, a fresh process asks for every key again, and a checker that");
        line("uses nothing of the library holds the histories of all processes against what is in the databases.");
        line("");
        line("| | |");
        line("|---|---|");
        line("| result | %s |", run.passed() ? "**passed**" : run.complete() ? "**failed**" : "**not complete**");
        line(
                "| extent | %s; %d of %d modes, %d of %d mutants |",
                run.wanted().isPresent() ? "full" : "**short**: the quantities of a full run are not asked for",
                run.modes().size(),
                Mode.values().length,
                run.mutants().size(),
                Mutant.values().length);
        line(
                "| date | %s UTC |",
                DateTimeFormatter.ofPattern("yyyy-MM-dd HH:mm", Locale.ROOT)
                        .format(run.start().atOffset(ZoneOffset.UTC)));
        line("| seed | %d |", run.seed());
        line(
                "| command | `mvn -q -Ptorture -pl verification/torture -am process-classes -Dexec.args=\"%s\"` |",
                run.command());
        line("| time | %d min %d s |", run.time().toMinutes(), run.time().toSecondsPart());
        line("| Java | %s |", versions.java());
        line("| server | %s, %s |", versions.server(), versions.driver());
        line("| machine | %s, %d processors |", versions.os(), versions.processors());
        line("");
        promises();
        quantities();
        modes();
        line("### Over time");
        line("");
        line("![Answers and faults in each stretch of time](evidence.svg)");
        line("");
        byMode("### Faults", "fault", FaultType.values(), Segment.Result::faults);
        byMode("### Answers", "answer", Answer.values(), Segment.Result::answers);
        line(
                "\"Cut off\" above are calls whose process was killed: no caller got an answer. A call is `unknown` or `not");
        line("started` where the database could not be asked; the same key then gets its answer later.");
        line("");
        mutants();
        return page.toString();
    }

    private void promises() {
        line("### Broken promises");
        line("");
        line("| kind | found | how it would show |");
        line("|---|---:|---|");
        Verdict verdict = run.verdict();
        for (Violation violation : Violation.values()) {
            line("| %s | %,d | %s |", violation, verdict.count(violation), violation.meaning());
        }
        line("");
        line(
                "An external attempt without an effect may stay `Pending`: nobody can prove that there is none. A call's deadline");
        line(
                "is the sum of the bounds of its parts: waits for connections and locks, statements that are not answered, runs");
        line("of the work, the library's longest wait for a step. The deadline is %s.", deadlines());
        line("The time in which its process was stopped does not count.");
        line("");
        lostReads();
    }

    private void lostReads() {
        line(
                "A promotion takes an answer that its caller had only read while the commit's wait for the standby was broken:");
        line(
                "PostgreSQL shows such a commit to everybody, see [high availability](../high-availability.md#what-remains-yours). That");
        line(
                "happened %,d times in this run. It counts as a broken promise for a caller who led, or at any other time.",
                run.verdict().lostReads());
        line("");
    }

    private static String deadlines() {
        return Mode.CLAIM_FIRST.deadline().toSeconds() + " s for claim first, "
                + Mode.SINGLE.deadline().toSeconds() + " s for a single transaction, "
                + Mode.EXTERNAL.deadline().toSeconds() + " s for external";
    }

    private void quantities() {
        Quantities quantities = run.quantities();
        line("### Quantities");
        line("");
        line(run.wanted().isPresent() ? "| what | at least | reached |" : "| what | reached |");
        line(run.wanted().isPresent() ? "|---|---:|---:|" : "|---|---:|");
        quantities.rows().forEach((what, count) -> {
            String wanted = run.wanted()
                    .map(all -> String.format(Locale.ROOT, "%,d | ", all.rows().get(what)))
                    .orElse("");
            line("| %s | %s%,d |", what, wanted, count);
        });
        line("");
    }

    private void modes() {
        line("### Modes");
        line("");
        line("| | mode | keys | answered | of these under faults | cut off | longest call | broken promises |");
        line("|---:|---|---:|---:|---:|---:|---:|---:|");
        int number = 1;
        for (Segment.Result mode : run.modes()) {
            line(
                    "| %d | %s | %,d | %,d | %,d | %,d | %.1f s | %,d |",
                    number++,
                    mode.mode(),
                    mode.keys(),
                    mode.answered(),
                    mode.underFaults(),
                    mode.unanswered(),
                    mode.longest().toMillis() / 1_000.0,
                    mode.verdict().total());
        }
        line(
                "| | all | %,d | %,d | %,d | %,d | | %,d |",
                run.keys(),
                run.answered(),
                run.quantities().calls(),
                run.unanswered(),
                run.verdict().total());
        line("");
    }

    private <K> void byMode(String title, String what, K[] kinds, Function<Segment.Result, Map<K, Long>> counts) {
        line(title);
        line("");
        StringBuilder head = new StringBuilder("| " + what + " | all |");
        StringBuilder rule = new StringBuilder("|---|---:|");
        for (int mode = 1; mode <= run.modes().size(); mode++) {
            head.append(" mode ").append(mode).append(" |");
            rule.append("---:|");
        }
        line(head.toString());
        line(rule.toString());
        for (K kind : kinds) {
            StringBuilder row = new StringBuilder();
            long all = 0;
            for (Segment.Result mode : run.modes()) {
                long count = counts.apply(mode).getOrDefault(kind, 0L);
                all += count;
                row.append(String.format(Locale.ROOT, " %,d |", count));
            }
            line("| %s | %,d |%s", kind, all, row);
        }
        line("");
    }

    private void mutants() {
        line("### Mutants");
        line("");
        line(
                "The same torture of the library with one thing wrong, in the same run. One that got away would make the rest");
        line(
                "worthless. Caught: %d of the %d that were tried.",
                run.mutantsCaught(), run.mutants().size());
        line("");
        line("| what is wrong | mode | caught by |");
        line("|---|---|---|");
        for (Run.Trial trial : run.mutants()) {
            line(
                    "| %s | %s | %s |",
                    trial.mutant(), trial.mutant().mode(), trial.isCaught() ? trial.caught() : "**not caught**");
        }
        line("");
    }

    private void line(String format, Object... values) {
        page.append(values.length == 0 ? format : String.format(Locale.ROOT, format, values))
                .append('\n');
    }
}
