package io.counterpoint.idempotency.torture;

import java.io.PrintStream;
import java.util.Locale;
import java.util.Optional;
import java.util.concurrent.TimeUnit;

/** One line every two seconds: how far it has come, and what happened so far in this mode. */
final class Progress {

    private static final long EVERY_NANOS = TimeUnit.SECONDS.toNanos(2);

    private final PrintStream out;
    private final long start = System.nanoTime();
    private long last = System.nanoTime();

    Progress(PrintStream out) {
        this.out = out;
    }

    void show(String what, Ledger ledger, FaultLog faults) {
        if (System.nanoTime() - last < EVERY_NANOS) {
            return;
        }
        last = System.nanoTime();
        StringBuilder line = new StringBuilder(String.format(
                Locale.ROOT,
                "%5d s  %s: %,d calls, %,d keys;",
                TimeUnit.NANOSECONDS.toSeconds(last - start),
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
        out.println(line);
    }

    static String name(Mode mode, Optional<Mutant> mutant) {
        return mutant.map(wrong -> "mutant, " + wrong).orElse(mode.toString());
    }
}
