package io.counterpoint.idempotency.torture;

import io.counterpoint.idempotency.programs.ProgressLines;
import java.io.PrintStream;
import java.util.Locale;
import java.util.Optional;

/** Prints a line every two seconds with the progress, and with what has happened so far in this mode. */
final class TortureProgress {

    private final ProgressLines lines;

    TortureProgress(PrintStream out) {
        lines = ProgressLines.afterAWhile(out);
    }

    void show(String what, Ledger ledger, FaultLog faults) {
        lines.say(() -> line(what, ledger, faults));
    }

    private static String line(String what, Ledger ledger, FaultLog faults) {
        StringBuilder line = new StringBuilder(String.format(
                Locale.ROOT,
                "%s: %,d calls, %,d keys;",
                what,
                ledger.answered(),
                ledger.stories().size()));
        faults.counts().forEach((fault, count) -> line.append(String.format(Locale.ROOT, " %s %,d;", fault, count)));
        ledger.answers().forEach((answer, count) -> line.append(String.format(Locale.ROOT, " %s %,d", answer, count)));
        return line.toString();
    }

    static String name(Mode mode, Optional<Mutant> mutant) {
        return mutant.map(wrong -> "mutant, " + wrong).orElse(mode.toString());
    }
}
