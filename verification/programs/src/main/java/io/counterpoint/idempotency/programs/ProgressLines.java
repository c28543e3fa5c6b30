package io.counterpoint.idempotency.programs;

import java.io.PrintStream;
import java.util.Locale;
import java.util.concurrent.TimeUnit;
import java.util.function.LongSupplier;
import java.util.function.Supplier;

/** Reports the progress of a long run: at most one line every two seconds, with the seconds since the start. */
public final class ProgressLines {

    private static final long EVERY_NANOS = TimeUnit.SECONDS.toNanos(2);

    private final PrintStream out;
    private final LongSupplier nanos;
    private final long start;
    private long next;

    private ProgressLines(PrintStream out, long firstAfterNanos, LongSupplier nanos) {
        this.out = out;
        this.nanos = nanos;
        this.start = nanos.getAsLong();
        this.next = start + firstAfterNanos;
    }

    /** Prints the first line immediately. */
    public static ProgressLines atOnce(PrintStream out) {
        return atOnce(out, System::nanoTime);
    }

    /** Prints the first line after two seconds. */
    public static ProgressLines afterAWhile(PrintStream out) {
        return afterAWhile(out, System::nanoTime);
    }

    static ProgressLines atOnce(PrintStream out, LongSupplier nanos) {
        return new ProgressLines(out, 0, nanos);
    }

    static ProgressLines afterAWhile(PrintStream out, LongSupplier nanos) {
        return new ProgressLines(out, EVERY_NANOS, nanos);
    }

    /** Prints a line, unless the last one is less than two seconds old. */
    public synchronized void say(Supplier<String> what) {
        long now = nanos.getAsLong();
        if (now - next >= 0) {
            next = now + EVERY_NANOS;
            out.printf(Locale.ROOT, "%5d s  %s%n", TimeUnit.NANOSECONDS.toSeconds(now - start), what.get());
        }
    }
}
