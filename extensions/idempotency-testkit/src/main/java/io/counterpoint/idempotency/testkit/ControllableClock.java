package io.counterpoint.idempotency.testkit;

import io.counterpoint.idempotency.IdempotencyClock;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Consumer;

/**
 * A clock that stands still until {@link #advance} or a sleeper advances it. A sleep takes no real time and is an event
 * that a test can act on. Thread-safe.
 */
public final class ControllableClock implements IdempotencyClock {

    private final List<Duration> sleeps = new ArrayList<>();
    private Instant now = Instant.EPOCH;
    private Consumer<Duration> sleeper = pause -> {};

    /** A clock at the epoch. */
    public ControllableClock() {}

    @Override
    public synchronized Instant now() {
        return now;
    }

    /**
     * Advances by the whole pause at once. The action set by {@link #onSleep} runs first, on this thread.
     *
     * @param pause how long
     * @throws InterruptedException if the thread is interrupted
     */
    @Override
    public void sleep(Duration pause) throws InterruptedException {
        Consumer<Duration> action;
        synchronized (this) {
            sleeps.add(pause);
            action = sleeper;
        }
        action.accept(pause);
        if (Thread.interrupted()) {
            throw new InterruptedException();
        }
        advance(pause);
    }

    /**
     * Goes on.
     *
     * @param time how long
     */
    public synchronized void advance(Duration time) {
        now = now.plus(time);
    }

    /**
     * Sets what happens when a thread sleeps. It replaces the previous action.
     *
     * @param sleeper gets the pause; called on the sleeper's thread, before the time advances
     */
    public synchronized void onSleep(Consumer<Duration> sleeper) {
        this.sleeper = sleeper;
    }

    /**
     * The sleeps so far.
     *
     * @return the pauses, in their order
     */
    public synchronized List<Duration> sleeps() {
        return List.copyOf(sleeps);
    }
}
