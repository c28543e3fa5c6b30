package io.counterpoint.idempotency.torture;

import io.counterpoint.idempotency.programs.TextTable;
import java.io.PrintStream;
import java.util.Locale;

/** Prints the end of a run to a terminal. */
final class TortureReport {

    private final PrintStream out;

    TortureReport(PrintStream out) {
        this.out = out;
    }

    void show(Run run) {
        table(Tables.modes(run));
        table(Tables.sums("fault", run.faults()));
        table(Tables.sums("answer", run.answers()));
        table(Tables.promises(run.verdict()));
        line(
                "Answers only read before a promotion, and lost: %,d",
                run.verdict().lostReads());
        if (!run.mutants().isEmpty()) {
            table(Tables.mutants(run));
        }
        line("Mutants caught: %d of %d", run.mutantsCaught(), run.mutants().size());
        run.verdict().examples().forEach(example -> line("broken: %s", example));
        if (run.wanted().isPresent()) {
            table(Tables.quantities(run));
        }
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

    private void table(TextTable table) {
        out.println();
        table.print(out);
    }

    private void line(String format, Object... values) {
        out.println(String.format(Locale.ROOT, format, values));
    }
}
