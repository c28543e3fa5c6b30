package io.counterpoint.idempotency.benchmarks;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Locale;
import java.util.OptionalDouble;
import java.util.stream.Stream;

/**
 * Checks that the machine is idle. Other processes affect every figure, so a run counts only if the load was low when
 * it started.
 */
final class Quiet {

    static final double BOUND = 0.5;
    private static final int TRIES = 60;
    private static final long LOOK_MILLIS = 5_000;
    private static final Path STAT = Path.of("/proc/stat");

    /** Processor ticks per second, as Linux reports them on every current machine. */
    private static final double TICKS = 100;

    private final Look look;

    Quiet() {
        this(Quiet::loadOfOthers);
    }

    /** Uses another source for the load. */
    Quiet(Look look) {
        this.look = look;
    }

    /** Finds out how many processors are busy, if possible. */
    interface Look {
        OptionalDouble load() throws IOException, InterruptedException;
    }

    /** The machine was busy, and the user has not allowed that. */
    static final class BusyException extends Exception {
        private static final long serialVersionUID = 1L;

        BusyException(double load) {
            super(String.format(
                    Locale.ROOT,
                    "The load of this machine is %.2f, expected under %.1f: what others do moves every figure. Wait until"
                            + " it is quiet, or go on with --busy. The output is marked then.",
                    load,
                    BOUND));
        }
    }

    /**
     * Checks the load before a run, and waits a while for it to drop.
     *
     * @param anyway whether to continue if the machine is busy
     * @return a sentence for the report, marked if the machine was busy
     */
    String beforeARun(boolean anyway) throws BusyException, IOException, InterruptedException {
        OptionalDouble load = look.load();
        for (int tries = 1; !anyway && load.orElse(0) >= BOUND && tries < TRIES; tries++) {
            BenchmarkProgress.say("waiting for a quiet machine");
            load = look.load();
        }
        if (load.isEmpty()) {
            return "The load at the start is not known.";
        }
        if (load.getAsDouble() < BOUND) {
            return String.format(Locale.ROOT, "Load %.2f at the start.", load.getAsDouble());
        }
        if (!anyway) {
            throw new BusyException(load.getAsDouble());
        }
        return String.format(
                Locale.ROOT, "**Does not count: the machine was busy, load %.2f at the start.**", load.getAsDouble());
    }

    /** The number of busy processors while this program does nothing for five seconds. */
    private static OptionalDouble loadOfOthers() throws IOException, InterruptedException {
        if (!Files.exists(STAT)) {
            return OptionalDouble.empty();
        }
        double before = busyTicks();
        Thread.sleep(LOOK_MILLIS);
        return OptionalDouble.of((busyTicks() - before) / TICKS / (LOOK_MILLIS / 1e3));
    }

    /** The first line is for all processors: user, nice, system, idle, and I/O wait. */
    private static double busyTicks() throws IOException {
        try (Stream<String> lines = Files.lines(STAT)) {
            String[] cells = lines.findFirst().orElse("cpu 0 0 0").split(" +", 5);
            return Double.parseDouble(cells[1]) + Double.parseDouble(cells[2]) + Double.parseDouble(cells[3]);
        }
    }
}
