package io.counterpoint.idempotency.explorer;

import io.counterpoint.idempotency.internal.Rethrow;
import org.jspecify.annotations.Nullable;

/**
 * A caller's thread. It stops at every gate until the schedule lets it continue with a reply or a fault, or lets it
 * die.
 */
abstract class Actor implements Runnable {

    private final int index;
    private final Signal signal = new Signal();
    private final StringBuilder history = new StringBuilder();

    private @Nullable Execution schedule;
    private @Nullable Request request;
    private @Nullable Object answer;
    private @Nullable Throwable thrown;
    private boolean started;
    private boolean over;
    private boolean dead;

    Actor(int index) {
        this.index = index;
    }

    final void start() {
        Thread thread = new Thread(this, "caller-" + this);
        thread.setDaemon(true);
        thread.start();
    }

    // ---- called by the schedule ----------------------------------------------------------------------------------

    final void prepare(Execution next) {
        schedule = next;
        request = null;
        started = false;
        over = false;
        reset();
    }

    /** Called before each call. */
    void reset() {
        dead = false;
        history.setLength(0);
    }

    final void quit() {
        schedule = null;
        signal.raise();
    }

    final void resume() {
        started = true;
        signal.raise();
    }

    void answered(String code, Object got) {
        answer = got;
        history.append(code)
                .append('=')
                .append(execution().names().ofAnswer(got))
                .append(';');
    }

    void failed(String code, Throwable fault) {
        thrown = fault;
        history.append(code)
                .append('!')
                .append(fault instanceof Injected injected ? injected.fault() : "")
                .append(';');
    }

    final void dies() {
        dead = true;
    }

    final @Nullable Request request() {
        return request;
    }

    final @Nullable Object answer() {
        return answer;
    }

    final @Nullable Throwable thrown() {
        return thrown;
    }

    final boolean isStarted() {
        return started;
    }

    final boolean isOver() {
        return over;
    }

    final boolean isDead() {
        return dead;
    }

    // ---- the thread ----------------------------------------------------------------------------------------------

    @Override
    public final void run() {
        for (; ; ) {
            signal.await();
            Execution now = schedule;
            if (now == null) {
                return;
            }
            act(now);
            over = true;
            request = null;
            now.finished();
        }
    }

    /** Makes all calls of a schedule. */
    abstract void act(Execution now);

    final Execution execution() {
        Execution now = schedule;
        if (now == null) {
            throw new IllegalStateException("Nothing is explored.");
        }
        return now;
    }

    /** Waits until the schedule handles this request. */
    final Object pass(Request asked) {
        Execution now = execution();
        requireNotGone();
        request = asked;
        answer = null;
        thrown = null;
        Caller next = now.decide();
        if (next != this) {
            now.handOver(next);
            signal.await();
        }
        request = null;
        requireNotGone();
        if (thrown != null) {
            met(thrown);
            throw Rethrow.unchanged(thrown);
        }
        Object got = answer;
        if (got == null) {
            throw new IllegalStateException("Resumed without an answer.");
        }
        return got;
    }

    /** Called with what is thrown to the engine, or to the code that it calls. */
    abstract void met(Throwable fault);

    /** Whether it is dead or no longer of interest. */
    final boolean isGone() {
        return dead || execution().isAborted();
    }

    final void requireNotGone() {
        if (isGone()) {
            throw new Gone();
        }
    }

    final int index() {
        return index;
    }

    /** What the call has observed so far. */
    final StringBuilder history() {
        return history;
    }

    @Override
    public final String toString() {
        return String.valueOf((char) ('A' + index));
    }
}
