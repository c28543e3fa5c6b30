package io.counterpoint.idempotency.benchmarks;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Locale;
import java.util.OptionalDouble;
import java.util.stream.Stream;

/**
 * Whether the machine has nothing else to do. What others do moves every figure, so a run counts only if the load was low
 * at its start.
 */
final class Quiet {

    static final double BOUND = 0.5;
    private static final int TRIES = 60;
    private static final long LOOK_MILLIS = 5_000;
    private static final Path STAT = Path.of("/proc/stat");

    /** Ticks of a processor in a second, as Linux reports them on every machine of today. */
    private static final double TICKS = 100;

    private final Look look;

    Quiet() {
        this(Quiet::loadOfOthers);
    }

    /** With another source of the load. */
    Quiet(Look look) {
        this.look = look;
    }

    /** Finds how many processors are busy, unless this is not known. */
    interface Look {
        OptionalDouble load() throws IOException, InterruptedException;
    }

    /** The machine was busy, and nobody said that this does not matter. */
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
     * Looks at the load before a run, with patience.
     *
     * @param anyway whether to go on where the machine is busy
     * @return a sentence for the report, with a mark where the machine was busy
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

    /** How many processors are busy while this program does nothing for five seconds. */
    private static OptionalDouble loadOfOthers() throws IOException, InterruptedException {
        if (!Files.exists(STAT)) {
            return OptionalDouble.empty();
        }
        double before = busyTicks();
        Thread.sleep(LOOK_MILLIS);
        return OptionalDouble.of((busyTicks() - before) / TICKS / (LOOK_MILLIS / 1e3));
    }

    /** The first line is for all processors: user, nice, system, idle, and idle while waiting for a disk. */
    private static double busyTicks() throws IOException {
        try (Stream<String> lines = Files.lines(STAT)) {
            String[] cells = lines.findFirst().orElse("cpu 0 0 0").split(" +", 5);
            return Double.parseDouble(cells[1]) + Double.parseDouble(cells[2]) + Double.parseDouble(cells[3]);
        }
    }
}
