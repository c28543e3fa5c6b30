package io.counterpoint.idempotency.consistency.outbox;

import io.counterpoint.idempotency.consistency.outbox.OutboxPublisher.Listener;
import io.counterpoint.idempotency.consistency.outbox.OutboxPublisher.Round;
import io.counterpoint.idempotency.internal.Backoff;
import java.time.Duration;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/** Runs rounds on its own thread until it is closed. It may be closed without being started. Thread-safe. */
final class PublishingThread {

    private final String topic;
    private final Supplier<Round> publishOnce;
    private final Duration poll;
    private final Backoff retry;
    private final Listener listener;
    private final CountDownLatch closing = new CountDownLatch(1);
    private @Nullable Thread thread;

    PublishingThread(String topic, Supplier<Round> publishOnce, Duration poll, Backoff retry, Listener listener) {
        this.topic = topic;
        this.publishOnce = publishOnce;
        this.poll = poll;
        this.retry = retry;
        this.listener = listener;
    }

    synchronized void start() {
        if (thread != null || isClosing()) {
            throw new IllegalStateException("A publisher can be started only once, and not after it was closed.");
        }
        Thread started = new Thread(this::run, "outbox-publisher-" + topic);
        started.setDaemon(true);
        started.start();
        thread = started;
    }

    boolean isClosing() {
        return closing.getCount() == 0;
    }

    /** Lets the current round finish, and waits for that unless called by the round itself. */
    void close() {
        closing.countDown();
        Thread running;
        synchronized (this) {
            running = thread;
        }
        if (running != null && running != Thread.currentThread()) {
            try {
                running.join();
            } catch (InterruptedException interrupted) {
                Thread.currentThread().interrupt();
            }
        }
    }

    private void run() {
        for (int faults = 0; !isClosing(); ) {
            Duration pause = Duration.ZERO;
            try {
                Round round = publishOnce.get();
                faults = 0;
                listener.published(topic, round);
                pause = round.isEmpty() ? poll : Duration.ZERO;
            } catch (Throwable thrown) {
                // Catches everything, because events that wait for this thread must not wait forever.
                faults++;
                listener.failed(topic, thrown);
                pause = retry.pause(faults);
            }
            awaitClosing(pause);
        }
    }

    private void awaitClosing(Duration pause) {
        try {
            if (!pause.isZero() && closing.await(pause.toNanos(), TimeUnit.NANOSECONDS)) {
                return;
            }
        } catch (InterruptedException interrupted) {
            // Another thread wants this one to stop.
            closing.countDown();
        }
    }
}
