package io.counterpoint.idempotency.torture;

import io.counterpoint.idempotency.programs.ProgressLines;
import java.io.PrintStream;
import java.util.Locale;
import java.util.Optional;

/** One line every two seconds: how far it has come, and what happened so far in this mode. */
final class Progress {

    private final ProgressLines lines;

    Progress(PrintStream out) {
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
        line.append(String.format(
                Locale.ROOT,
                " %,d killed, %,d stopped, %,d crashes, %,d failovers, %,d commits cut, %,d others;",
                faults.count(FaultType.WORKER_KILLED),
                faults.count(FaultType.WORKER_STOPPED),
                faults.count(FaultType.SERVER_STOPPED) + faults.count(FaultType.SERVER_KILLED),
                faults.count(FaultType.STANDBY_PROMOTED)
                        + faults.count(FaultType.PRIMARY_FENCED)
                        + faults.count(FaultType.PRIMARY_PAUSED),
                faults.count(FaultType.COMMIT_DROPPED)
                        + faults.count(FaultType.COMMIT_ANSWER_LOST)
                        + faults.count(FaultType.COMMIT_HELD),
                faults.count(FaultType.BACKEND_TERMINATED)
                        + faults.count(FaultType.STEP_ANSWER_LOST)
                        + faults.count(FaultType.CUT_AFTER_MESSAGES)
                        + faults.count(FaultType.CONNECTIONS_RESET)
                        + faults.count(FaultType.BLACK_HOLE)
                        + faults.count(FaultType.RECORD_LOCKED)
                        + faults.count(FaultType.THREAD_INTERRUPTED)));
        ledger.answers().forEach((answer, count) -> line.append(String.format(Locale.ROOT, " %s %,d", answer, count)));
        return line.toString();
    }

    static String name(Mode mode, Optional<Mutant> mutant) {
        return mutant.map(wrong -> "mutant, " + wrong).orElse(mode.toString());
    }
}
