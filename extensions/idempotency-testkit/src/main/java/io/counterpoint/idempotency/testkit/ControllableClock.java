package io.counterpoint.idempotency.testkit;

import io.counterpoint.idempotency.IdempotencyClock;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Consumer;

/**
 * A clock that advances only through {@link #advance} and sleeps. A sleep takes no real time and is an event that a
 * test can react to. Thread-safe.
 */
public final class ControllableClock implements IdempotencyClock {

    private final List<Duration> sleeps = new ArrayList<>();
    private Instant now = Instant.EPOCH;
    private Consumer<Duration> sleeper = pause -> {};

    /** Creates a clock at the epoch. */
    public ControllableClock() {}

    @Override
    public synchronized Instant now() {
        return now;
    }

    /**
     * Immediately advances the clock by the whole pause, after running the action set by {@link #onSleep} on this
     * thread.
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
     * Advances the clock.
     *
     * @param time by how much
     */
    public synchronized void advance(Duration time) {
        now = now.plus(time);
    }

    /**
     * Sets an action that runs when a thread sleeps, replacing any previous one.
     *
     * @param sleeper receives the pause; called on the sleeper's thread, before the clock advances
     */
    public synchronized void onSleep(Consumer<Duration> sleeper) {
        this.sleeper = sleeper;
    }

    /**
     * Returns the sleeps so far.
     *
     * @return the pauses, in order
     */
    public synchronized List<Duration> sleeps() {
        return List.copyOf(sleeps);
    }
}
