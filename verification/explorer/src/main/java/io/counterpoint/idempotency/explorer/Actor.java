package io.counterpoint.idempotency.explorer;

import org.jspecify.annotations.Nullable;

/**
 * A caller on a thread of its own. It stops at every gate until the schedule lets it go on, with an answer, with a fault,
 * or dead.
 *
 * @param <S> the schedules that it is in
 */
abstract class Actor<S extends Schedule> implements Runnable {

    private final int index;
    private final Signal signal = new Signal();
    private final StringBuilder history = new StringBuilder();

    private @Nullable S schedule;
    private @Nullable Request request;
    private @Nullable Object answer;
    private @Nullable RuntimeException thrown;
    private boolean started;
    private boolean over;
    private boolean dead;

    Actor(int index) {
        this.index = index;
    }

    static <A extends Actor<?>> A onItsThread(A actor) {
        Thread thread = new Thread(actor, "caller-" + actor);
        thread.setDaemon(true);
        thread.start();
        return actor;
    }

    // ---- called by the schedule ----------------------------------------------------------------------------------

    final void prepare(S next) {
        schedule = next;
        request = null;
        started = false;
        over = false;
        reset();
    }

    /** Before each call. */
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
                .append(schedule().names().ofAnswer(got))
                .append(';');
    }

    void failed(String code, RuntimeException fault) {
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

    final @Nullable RuntimeException thrown() {
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
            S now = schedule;
            if (now == null) {
                return;
            }
            act(now);
            over = true;
            request = null;
            now.finished();
        }
    }

    /** All calls of a schedule. */
    abstract void act(S now);

    final S schedule() {
        S now = schedule;
        if (now == null) {
            throw new IllegalStateException("Nothing is explored.");
        }
        return now;
    }

    /** Waits until the schedule comes to this request. */
    final Object pass(Request asked) {
        S now = schedule();
        requireNotGone();
        request = asked;
        answer = null;
        thrown = null;
        Actor<?> next = now.decide();
        if (next != this) {
            now.handOver(next);
            signal.await();
        }
        request = null;
        requireNotGone();
        if (thrown != null) {
            throw thrown;
        }
        Object got = answer;
        if (got == null) {
            throw new IllegalStateException("Resumed without an answer.");
        }
        return got;
    }

    /** Dead, or no longer of interest. */
    final boolean isGone() {
        return dead || schedule().isAborted();
    }

    final void requireNotGone() {
        if (isGone()) {
            throw new Gone();
        }
    }

    final int index() {
        return index;
    }

    /** What the call has seen so far. */
    final StringBuilder history() {
        return history;
    }

    @Override
    public final String toString() {
        return String.valueOf((char) ('A' + index));
    }
}
