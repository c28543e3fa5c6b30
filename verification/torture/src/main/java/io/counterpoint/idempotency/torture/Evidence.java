package io.counterpoint.idempotency.torture;

import io.counterpoint.idempotency.programs.GeneratedPart;
import io.counterpoint.idempotency.programs.Markdown;
import io.counterpoint.idempotency.programs.TextTable;
import java.io.IOException;
import java.nio.file.Path;
import java.time.ZoneOffset;
import java.time.format.DateTimeFormatter;
import java.util.Locale;

/** The published page about a run. */
final class Evidence {

    private static final GeneratedPart PART =
            new GeneratedPart("<!-- torture: generated from here on -->", "<!-- torture: generated up to here -->");

    private static final String WHAT_IT_DOES = """
            Worker processes execute operations on overlapping keys. Each operation inserts a row into a table without a
            unique key, so a second effect would be visible. Meanwhile, workers are killed and stopped, servers crash, and
            connections are cut at the worst moments. Then the faults end, a fresh process retries every key, and a checker
            that shares no code with the library compares the histories of all processes with the databases.
            """;

    private static final String WHAT_IS_ALLOWED = """
            An external attempt without an effect may stay `Pending`: nobody can prove that there is none. A call's deadline
            is the sum of the limits of its parts: waits for connections and locks, statements without a reply, runs of
            the work, and the library's longest wait for a step. The deadline is %d s for claim first, %d s for a single transaction, %d s for external.
            Time during which its process was stopped does not count.

            A promotion may undo an answer that its caller only read while the commit's wait for the standby was interrupted,
            because PostgreSQL makes such a commit visible, see [high availability](../databases.md#what-remains-yours). That
            happened %,d times in this run. For a caller that led, or at any other time, it counts as a broken promise.
            """;

    private static final String WHAT_ANSWERS_MEAN = """
            "Cut off" above are calls whose process was killed: no caller got an answer. A call is `unknown` or `not
            started` if the database could not be reached; a later retry with the same key gets the answer.
            """;

    private static final String WHAT_MUTANTS_ARE = """
            The same test runs against the library with one defect, in the same run. If it missed a defect, its other
            results would prove nothing. Caught: %d of the %d that were tried.
            """;

    private Evidence() {}

    static void write(Run run, Path folder) throws IOException {
        PART.write(folder.resolve("evidence.md"), section(run));
    }

    private static String section(Run run) {
        return new Markdown()
                .heading(2, "Torture")
                .paragraph(WHAT_IT_DOES)
                .table(about(run))
                .heading(3, "Broken promises")
                .table(Tables.promises(run.verdict()))
                .paragraph(
                        WHAT_IS_ALLOWED,
                        Mode.CLAIM_FIRST.deadline().toSeconds(),
                        Mode.SINGLE.deadline().toSeconds(),
                        Mode.EXTERNAL.deadline().toSeconds(),
                        run.verdict().lostReads())
                .heading(3, "Quantities")
                .table(Tables.quantities(run))
                .heading(3, "Modes")
                .table(Tables.modes(run))
                .heading(3, "Faults")
                .table(Tables.byMode(run, "fault", FaultType.values(), Segment.Result::faults))
                .heading(3, "Answers")
                .table(Tables.byMode(run, "answer", Answer.values(), Segment.Result::answers))
                .paragraph(WHAT_ANSWERS_MEAN)
                .heading(3, "Mutants")
                .paragraph(WHAT_MUTANTS_ARE, run.mutantsCaught(), run.mutants().size())
                .table(Tables.mutants(run))
                .text();
    }

    private static TextTable about(Run run) {
        Run.Versions versions = run.versions();
        String extent = run.wanted().isPresent() ? "full" : "**short**: the quantities of a full run are not asked for";
        return new TextTable()
                .row("", "")
                .row("result", run.passed() ? "**passed**" : run.complete() ? "**failed**" : "**not complete**")
                .row(
                        "extent",
                        extent + "; " + run.modes().size() + " of " + Mode.values().length + " modes, "
                                + run.mutants().size() + " of " + Mutant.values().length + " mutants")
                .row(
                        "date",
                        DateTimeFormatter.ofPattern("yyyy-MM-dd HH:mm 'UTC'", Locale.ROOT)
                                .format(run.start().atOffset(ZoneOffset.UTC)))
                .row("seed", Long.toString(run.seed()))
                .row(
                        "command",
                        "`mvn -q -Ptorture -pl verification/torture -am process-classes -Dexec.args=\"" + run.command()
                                + "\"`")
                .row("time", run.time().toMinutes() + " min " + run.time().toSecondsPart() + " s")
                .row("Java", versions.java())
                .row("server", versions.server() + ", " + versions.driver())
                .row("machine", versions.os() + ", " + versions.processors() + " processors");
    }
}
