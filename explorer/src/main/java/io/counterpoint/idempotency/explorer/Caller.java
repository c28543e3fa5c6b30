package io.counterpoint.idempotency.explorer;

import io.counterpoint.idempotency.Failure;
import io.counterpoint.idempotency.Idempotency;
import io.counterpoint.idempotency.IdempotencyClock;
import io.counterpoint.idempotency.IdempotencyKey;
import io.counterpoint.idempotency.Outcome;
import io.counterpoint.idempotency.memory.InMemoryIdempotencyStore.Transaction;
import io.counterpoint.idempotency.spi.Fault;
import io.counterpoint.idempotency.spi.IdempotencyRecord;
import io.counterpoint.idempotency.spi.IdempotencyStore;
import io.counterpoint.idempotency.spi.RecordSteps;
import io.counterpoint.idempotency.spi.Session;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * A client: calls, again and again, through one process, and through another one when that has died. It stops at every gate until the schedule lets
 * it go on, with an answer, with a fault, or dead. It is its own clock, which goes on only while it sleeps.
 */
final class Caller implements IdempotencyClock, Runnable {

    private static final Duration SLEEP = Duration.ofSeconds(3);

    private final int index;
    private final Signal signal = new Signal();
    private final List<String> values = new ArrayList<>(2);
    private final StringBuilder history = new StringBuilder();

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
    private int purgesAtStart;
    private int sleeps;
    private @Nullable ServerTransaction current;

    /** The process that it calls: it keeps which keys it has met. Its store is another one for every call. */
    private @Nullable Idempotency<Transaction> process;

    private boolean hasMetTheKey;

    /** Tokens of calls of this process that have ended without an answer: it may remember them. */
    private String unfinished = "";

    private String tokens = "";
    private @Nullable IdempotencyStore<Transaction> store;

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
        endProcess();
        reset();
    }

    private void reset() {
        dead = false;
        acted = false;
        waitBroke = false;
        current = null;
        sleeps = 0;
        tokens = "";
        values.clear();
        history.setLength(0);
    }

    private void endProcess() {
        process = null;
        hasMetTheKey = false;
        unfinished = "";
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
                hasMetTheKey = true;
                if (dead) {
                    endProcess();
                }
            }
            over = true;
            request = null;
            now.finished();
        }
    }

    private void call(Execution now) {
        Outcome<String> outcome;
        try {
            outcome = configuration().call(this);
        } catch (RuntimeException | Error told) {
            unfinished += tokens;
            if (!isGone()) {
                now.promises().thrown(this, told);
            }
            return;
        }
        unfinished = outcome instanceof Outcome.InProgress ? unfinished + tokens : "";
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
        if (isGone()) {
            throw new Gone();
        }
        request = asked;
        answer = null;
        thrown = null;
        Caller next = now.decide();
        if (next != this) {
            now.handOver(next);
            signal.await();
        }
        request = null;
        if (isGone()) {
            throw new Gone();
        }
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

    void dies() {
        dead = true;
    }

    /** Dead, or nobody is interested any more. */
    boolean isGone() {
        return dead || execution().isAborted();
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
                : got == null ? "" : " -> " + execution().names().inWords(got);
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

    List<String> values() {
        return values;
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
                : triesLeft + (hasMetTheKey ? "m" : "n") + unfinished + (isOfToday() ? "t" : "y") + sleeps + history;
    }

    @Override
    public String toString() {
        return String.valueOf((char) ('A' + index));
    }

    // ---- what the engine is given --------------------------------------------------------------------------------

    Idempotency<Transaction> idempotency() {
        store = execution().scenario().above().apply(new GatedStore(this));
        Idempotency<Transaction> now = process;
        if (now == null) {
            now = Idempotency.builder(new StoreOfTheCall()).clock(this).build();
            process = now;
        }
        return now;
    }

    private final class StoreOfTheCall implements IdempotencyStore<Transaction> {

        private IdempotencyStore<Transaction> now() {
            IdempotencyStore<Transaction> now = store;
            if (now == null) {
                throw new IllegalStateException("Nobody calls.");
            }
            return now;
        }

        @Override
        public Session<Transaction> open(IdempotencyKey key) {
            return now().open(key);
        }

        @Override
        public Session<Transaction> openForClaim(IdempotencyKey key, Duration maxWait) {
            return now().openForClaim(key, maxWait);
        }

        @Override
        public Optional<IdempotencyRecord> read(IdempotencyKey key) {
            return now().read(key);
        }

        @Override
        public Optional<Failure> describe(Throwable thrown) {
            return now().describe(thrown);
        }

        @Override
        public Fault classify(Throwable thrown) {
            return now().classify(thrown);
        }

        @Override
        public int purgeExpired(int batch) {
            return now().purgeExpired(batch);
        }
    }

    @Override
    public Instant now() {
        return Instant.EPOCH.plus(SLEEP.multipliedBy(sleeps));
    }

    @Override
    public void sleep(Duration pause) {
        if (isGone()) {
            throw new Gone();
        }
        sleeps++;
    }

    // ---- what the user's code does -------------------------------------------------------------------------------

    String freshValue() {
        String value = execution().names().freshValue();
        values.add(value);
        return value;
    }

    void in(ServerTransaction transaction) {
        current = transaction;
    }

    private ServerTransaction current() {
        ServerTransaction now = current;
        if (now == null) {
            throw new IllegalStateException("The work is not in a transaction.");
        }
        return now;
    }

    /** The work. */
    String write(String value) {
        ServerTransaction transaction = current();
        pass(new Requests.Work(this, value));
        List<String> effects = execution().database().effects;
        transaction.perform(new Step(Step.Kind.EFFECT, value, false, false, (steps, scope) -> {
            scope.handle().onCommit(() -> effects.add(value));
            return true;
        }));
        return value;
    }

    Optional<String> lookUp() {
        Step step = Step.of(Step.Kind.LOOK_UP, "", this::find);
        return found(pass(new Requests.InTransaction(this, current(), step)));
    }

    private Optional<String> find(RecordSteps unused) {
        return execution().database().allEffects().stream().findFirst();
    }

    String writeElsewhere(String value) {
        pass(new Requests.Elsewhere(this, value));
        return value;
    }

    Optional<String> lookUpElsewhere() {
        return found(pass(new Requests.LookUpElsewhere(this)));
    }

    private static Optional<String> found(Object answer) {
        return ((Optional<?>) answer).map(String.class::cast);
    }
}
