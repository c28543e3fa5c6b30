package io.counterpoint.idempotency.explorer;

import io.counterpoint.idempotency.Idempotency;
import io.counterpoint.idempotency.Outcome;
import io.counterpoint.idempotency.memory.InMemoryIdempotencyStore.Transaction;
import org.jspecify.annotations.Nullable;

/**
 * A client: calls, again and again, through one process, and through another one when that has died. It stops at every
 * gate until the schedule lets it go on, with an answer, with a fault, or dead.
 */
final class Caller implements Runnable {

    private final int index;
    private final Signal signal = new Signal();
    private final StringBuilder history = new StringBuilder();
    private final CallerClock clock = new CallerClock(this, history);
    private final ClientProcess process = new ClientProcess(clock);
    private final UserCode userCode = new UserCode(this);

    private @Nullable Execution execution;
    private @Nullable Request request;
    private @Nullable Object answer;
    private @Nullable RuntimeException thrown;
    private int triesLeft;
    private boolean started;
    private boolean over;
    private boolean dead;
    private boolean acted;
    private boolean waitBroke;
    private boolean failedBesideEffect;
    private int purgesAtStart;
    private String tokens = "";
    private final Place place = new Place(this);

    Caller(int index) {
        this.index = index;
    }

    static Caller onItsThread(int index) {
        Caller caller = new Caller(index);
        Thread thread = new Thread(caller, "caller-" + caller);
        thread.setDaemon(true);
        thread.start();
        return caller;
    }

    // ---- the thread ----------------------------------------------------------------------------------------------

    void prepare(Execution next, int tries) {
        execution = next;
        request = null;
        triesLeft = tries;
        started = false;
        over = false;
        place.beginsAt(index);
        process.end();
        reset();
    }

    private void reset() {
        dead = false;
        acted = false;
        waitBroke = false;
        failedBesideEffect = false;
        clock.reset();
        tokens = "";
        history.setLength(0);
        userCode.reset();
    }

    void quit() {
        execution = null;
        signal.raise();
    }

    void resume() {
        started = true;
        signal.raise();
    }

    @Override
    public void run() {
        for (; ; ) {
            signal.await();
            Execution now = execution;
            if (now == null) {
                return;
            }
            while (triesLeft > 0 && !now.isAborted()) {
                triesLeft--;
                reset();
                call(now);
                if (dead) {
                    process.end();
                }
            }
            over = true;
            request = null;
            now.finished();
        }
    }

    private void call(Execution now) {
        Idempotency<Transaction> idempotency =
                process.idempotency(now.scenario().above().apply(new GatedStore(this)));
        Outcome<String> outcome;
        try {
            outcome = configuration().call(idempotency, userCode);
        } catch (RuntimeException | Error failure) {
            process.called(tokens);
            if (!isGone()) {
                now.promises().thrown(this, failure);
            }
            return;
        }
        process.called(outcome, tokens);
        if (!isGone()) {
            now.promises().returned(this, outcome);
        }
    }

    Execution execution() {
        Execution now = execution;
        if (now == null) {
            throw new IllegalStateException("Nothing is explored.");
        }
        return now;
    }

    // ---- gates ---------------------------------------------------------------------------------------------------

    /** Waits until the schedule comes to this request. */
    Object pass(Request asked) {
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
            throw thrown;
        }
        Object got = answer;
        if (got == null) {
            throw new IllegalStateException("Resumed without an answer.");
        }
        return got;
    }

    void answered(String code, Object got) {
        act();
        answer = got;
        history.append(code).append(execution().names().ofAnswer(got)).append(';');
    }

    void failed(String code, RuntimeException fault) {
        act();
        thrown = fault;
        history.append(code)
                .append('!')
                .append(fault instanceof Injected injected ? injected.fault() : "")
                .append(';');
    }

    private void act() {
        if (!acted) {
            acted = true;
            purgesAtStart = execution().database().purges();
        }
    }

    /** A token that the engine writes or tries to write. */
    void writes(String token) {
        tokens += token;
    }

    /** A commit of this call was not answered because its wait for the standby was broken. */
    void waitBroke() {
        waitBroke = true;
    }

    boolean hasWaitBroken() {
        return waitBroke;
    }

    /** The work throws, while the key's effect is committed, or not. */
    void fails(boolean besideEffect) {
        failedBesideEffect = besideEffect;
    }

    boolean hasFailedBesideEffect() {
        return failedBesideEffect;
    }

    void dies() {
        dead = true;
    }

    /** Dead, or no longer of interest. */
    boolean isGone() {
        return dead || execution().isAborted();
    }

    void requireNotGone() {
        if (isGone()) {
            throw new Gone();
        }
    }

    @Nullable
    Request request() {
        return request;
    }

    String lastAnswer() {
        if (dead) {
            return "";
        }
        RuntimeException fault = thrown;
        Object got = answer;
        return fault != null
                ? " -> " + (fault instanceof Injected injected ? injected.fault() : fault.getMessage())
                : got == null || got.equals("ok")
                        ? ""
                        : " -> " + execution().names().inWords(got);
    }

    boolean isStarted() {
        return started;
    }

    boolean isOver() {
        return over;
    }

    /** Whether this call has done anything yet that its death would interrupt. */
    boolean hasActed() {
        return acted;
    }

    /** Whether the key was purged since this call began, so that its answer may be from before. */
    boolean isOfToday() {
        return purgesAtStart == execution().database().purges();
    }

    /** Whether an effect of this call was committed, and its record is purged. */
    boolean hasPurgedEffect() {
        return userCode.values().stream().anyMatch(execution().database()::isPurged);
    }

    Place place() {
        return place;
    }

    UserCode userCode() {
        return userCode;
    }

    Configuration configuration() {
        // The last call is like the first caller's.
        return execution().scenario().configuration(execution().isLastCall() ? 0 : index);
    }

    String state() {
        return index < execution().scenario().configurations().size()
                ? code() + (index + 1 == execution().scenario().configurations().size() ? "*" : index)
                : code() + "*";
    }

    private String code() {
        return over
                ? "over"
                : triesLeft
                        + process.state()
                        + (isOfToday() ? "t" : hasPurgedEffect() ? "p" : "y")
                        + clock.state()
                        + place.code()
                        + history;
    }

    @Override
    public String toString() {
        return String.valueOf((char) ('A' + index));
    }
}
