package io.counterpoint.idempotency.programs.process;

import java.time.Duration;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;

/** Work that is done again and again in a thread of its own, also after it has failed. */
public final class Repeated implements AutoCloseable {

    private final String name;
    private final Runnable work;
    private final Consumer<String> log;
    private final ScheduledExecutorService thread;

    /**
     * Does nothing before {@link #every}.
     *
     * @param name that of its thread, and the beginning of what the log gets
     */
    public Repeated(String name, Runnable work, Consumer<String> log) {
        this.name = name;
        this.work = work;
        this.log = log;
        thread = Executors.newSingleThreadScheduledExecutor(task -> new Thread(task, name));
    }

    /** Begins, after the first pause. */
    public void every(Duration pause) {
        long millis = Math.max(1, pause.toMillis());
        var unused = thread.scheduleWithFixedDelay(this::once, millis, millis, TimeUnit.MILLISECONDS);
    }

    private void once() {
        try {
            work.run();
        } catch (RuntimeException | Error fault) {
            // The next time may be better; without this there would be none.
            log.accept(name + ": " + fault);
        }
    }

    /** Ends; what is under way has ten seconds. */
    @Override
    public void close() {
        thread.shutdown();
        try {
            if (!thread.awaitTermination(10, TimeUnit.SECONDS)) {
                thread.shutdownNow();
            }
        } catch (InterruptedException e) {
            thread.shutdownNow();
            Thread.currentThread().interrupt();
        }
    }
}
