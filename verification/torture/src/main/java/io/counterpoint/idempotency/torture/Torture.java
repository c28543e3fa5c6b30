package io.counterpoint.idempotency.torture;

import io.counterpoint.idempotency.programs.CannotRun;
import io.counterpoint.idempotency.programs.Program;
import java.io.IOException;
import java.io.PrintStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.concurrent.atomic.AtomicBoolean;

/** The program: conducts a run, mode after mode and mutant after mutant, and reports the result. */
public final class Torture {

    private static final int PASSED = 0;
    private static final int NOT_PASSED = 1;
    private static final int COULD_NOT_RUN = 2;

    private final TortureOptions options;
    private final PrintStream out;
    private final AtomicBoolean stopped;
    private final long seed;

    private Torture(TortureOptions options, PrintStream out, AtomicBoolean stopped) {
        this.options = options;
        this.out = out;
        this.stopped = stopped;
        this.seed = options.seed.orElse(System.currentTimeMillis() / 1_000);
    }

    /** Runs the program and exits. On Ctrl-C the current segment is checked, and the rest is skipped. */
    public static void main(String[] arguments) {
        AtomicBoolean stopped = new AtomicBoolean();
        new Program("torture", COULD_NOT_RUN)
                .exitAfter(
                        () -> run(arguments, System.out, System.err, stopped),
                        () -> stopped.set(true),
                        Duration.ofSeconds(5));
    }

    static int run(String[] arguments, PrintStream out, PrintStream err, AtomicBoolean stopped) {
        try {
            TortureOptions options = TortureOptions.parse(arguments);
            if (options.asksForHelp()) {
                out.print(options.usage());
                return PASSED;
            }
            options.engine.requireStartable();
            return new Torture(options, out, stopped).run(String.join(" ", arguments)) ? PASSED : NOT_PASSED;
        } catch (CannotRun e) {
            err.println("torture: " + e.getMessage() + " See --help.");
        } catch (IOException | RuntimeException e) {
            if (!stopped.get()) {
                err.println("torture: Gave up.");
                e.printStackTrace(err);
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
        return COULD_NOT_RUN;
    }

    private boolean run(String command) throws IOException, InterruptedException {
        out.println("Torture of " + options.engine.option() + " at "
                + options.isolation().option() + " with seed " + seed + ", "
                + (options.full ? "in full" : "--seconds " + options.seconds)
                + (Fleet.hasVirtualThreads() ? "." : ". This Java has no virtual threads: platform threads only."));
        Files.createDirectories(options.out);
        Path folder = Files.createTempDirectory(options.out, "run-");
        TortureReport report = new TortureReport(out);
        Run run;
        try (Environments stages = new Environments(options.engine, options.isolation());
                Fleet fleet = new Fleet(folder)) {
            run = new TortureRun(options, seed, command, out, stopped::get, stages, fleet, folder).perform();
        }
        report.show(run);
        options.evidence.ifPresent(evidence -> out.println("Evidence: " + evidence.resolve("evidence.md")));
        if (run.verdict().total() == 0) {
            delete(folder);
        } else {
            out.println("Histories and the log of faults: " + folder);
        }
        return run.passed();
    }

    private static void delete(Path folder) throws IOException {
        try (var files = Files.list(folder)) {
            for (Path file : files.toList()) {
                Files.delete(file);
            }
        }
        Files.delete(folder);
    }
}
