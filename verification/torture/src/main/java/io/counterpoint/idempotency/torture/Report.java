package io.counterpoint.idempotency.torture;

import java.io.PrintStream;
import java.util.Locale;
import java.util.Map;

/** The end of a run, on a terminal. */
final class Report {

    private final PrintStream out;

    Report(PrintStream out) {
        this.out = out;
    }

    void show(Run run) {
        out.println();
        line("%-42s %9s %11s %9s %9s %9s", "mode", "keys", "answered", "cut off", "longest", "broken");
        for (Segment.Result mode : run.modes()) {
            line(
                    "%-42s %,9d %,11d %,9d %7.1f s %,9d",
                    mode.mode(),
                    mode.keys(),
                    mode.answered(),
                    mode.unanswered(),
                    mode.longest().toMillis() / 1_000.0,
                    mode.verdict().total());
        }
        line(
                "%-42s %,9d %,11d %,9d %9s %,9d",
                "all",
                run.keys(),
                run.answered(),
                run.unanswered(),
                "",
                run.verdict().total());
        sums("faults", run.faults());
        sums("answers", run.answers());
        out.println();
        line("%-42s %9s", "must be zero", "");
        for (Violation violation : Violation.values()) {
            line("%-42s %,9d", "  " + violation, run.verdict().count(violation));
        }
        out.println();
        line(
                "%-42s %,9d",
                "answers only read before a promotion, lost", run.verdict().lostReads());
        for (Run.Trial trial : run.mutants()) {
            line(
                    "%-70s %s",
                    "mutant: " + trial.mutant(), trial.isCaught() ? "caught: " + trial.caught() : "NOT CAUGHT");
        }
        line("mutants caught %d of %d", run.mutantsCaught(), run.mutants().size());
        run.verdict().examples().forEach(example -> line("broken: %s", example));
        run.wanted().ifPresent(wanted -> {
            out.println();
            Map<String, Long> reached = run.quantities().rows();
            wanted.rows()
                    .forEach((what, count) -> line("%-42s %,9d of %,d", what, reached.getOrDefault(what, 0L), count));
        });
        out.println();
        line(
                "%s: seed %d, %d s, %,.0f calls/s.",
                run.passed() ? "PASSED" : run.complete() ? "FAILED" : "STOPPED",
                run.seed(),
                run.time().toSeconds(),
                run.answered() / Math.max(0.001, seconds(run)));
    }

    private static double seconds(Run run) {
        return run.modes().stream().mapToLong(mode -> mode.time().toMillis()).sum() / 1_000.0;
    }

    private void sums(String title, Map<?, Long> sums) {
        out.println();
        line("%-42s", title);
        sums.forEach((what, count) -> line("%-42s %,9d", "  " + what, count));
    }

    private void line(String format, Object... values) {
        out.println(String.format(Locale.ROOT, format, values).stripTrailing());
    }
}
