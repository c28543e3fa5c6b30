package io.counterpoint.idempotency.examples.appplatform.page;

import java.util.List;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;

/** Looks at tables several times a second, while a page is open. What is new goes to the open pages. */
final class Watch implements AutoCloseable {

    private static final long EVERY_MILLIS = 250;

    private final EventStream stream;
    private final List<Runnable> looks;
    private final Consumer<String> log;
    private final ScheduledExecutorService scheduler = Executors.newSingleThreadScheduledExecutor(work -> {
        Thread thread = new Thread(work, "page-watch");
        thread.setDaemon(true);
        return thread;
    });

    Watch(EventStream stream, List<Runnable> looks, Consumer<String> log) {
        this.stream = stream;
        this.looks = looks;
        this.log = log;
    }

    void start() {
        var unused = scheduler.scheduleWithFixedDelay(this::look, 0, EVERY_MILLIS, TimeUnit.MILLISECONDS);
    }

    private void look() {
        if (!stream.isWatched()) {
            return;
        }
        for (Runnable look : looks) {
            try {
                look.run();
            } catch (RuntimeException | Error fault) {
                // The next look may be better; without this there would be none.
                log.accept("page: " + fault);
            }
        }
    }

    @Override
    public void close() {
        scheduler.shutdownNow();
    }
}
