package io.counterpoint.idempotency.examples.appplatform;

import io.counterpoint.idempotency.programs.process.Repeated;
import java.io.PrintStream;
import java.time.Duration;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;

/**
 * Prints the current step of the program. A step that takes longer than two seconds is printed again, with its elapsed
 * time.
 */
final class DemonstrationProgress implements Consumer<String>, AutoCloseable {

    private static final long LONG = TimeUnit.SECONDS.toNanos(2);

    private final PrintStream err;
    private final LongSupplier nanoTime;
    private final Repeated clock = new Repeated("progress", this::tick, this);
    private @Nullable String step;
    private long begun;
    private long next;

    DemonstrationProgress(PrintStream err, LongSupplier nanoTime) {
        this.err = err;
        this.nanoTime = nanoTime;
    }

    /** Ticks every quarter of a second until it is closed. */
    void start() {
        clock.every(Duration.ofMillis(250));
    }

    /** Prints a line without changing the current step. */
    @Override
    public synchronized void accept(String line) {
        err.println("  " + line);
    }

    /** Begins a step, which ends when the next one begins. */
    synchronized void step(String line) {
        accept(line);
        step = line;
        begun = nanoTime.getAsLong();
        next = begun + LONG;
    }

    /** Ends the current step without beginning another. */
    synchronized void rest() {
        step = null;
    }

    synchronized void tick() {
        long now = nanoTime.getAsLong();
        if (step != null && now - next >= 0) {
            next = now + LONG;
            accept(" still " + step + ", after " + Duration.ofNanos(now - begun).toSeconds() + " s");
        }
    }

    @Override
    public void close() {
        clock.close();
    }
}
