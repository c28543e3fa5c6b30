package io.counterpoint.idempotency.explorer;

import io.counterpoint.idempotency.Attempt;
import io.counterpoint.idempotency.BatchResult;
import io.counterpoint.idempotency.Idempotency;
import io.counterpoint.idempotency.Outcome;
import io.counterpoint.idempotency.explorer.Scenario.Memory;
import io.counterpoint.idempotency.internal.CallEffects;
import io.counterpoint.idempotency.memory.InMemoryIdempotencyStore.Transaction;
import java.util.Collections;
import java.util.IdentityHashMap;
import java.util.List;
import java.util.Set;
import java.util.UUID;

/** A client that calls repeatedly through one process, and through another one when that has died. */
final class Caller extends Actor {

    private final CallerClock clock = new CallerClock(this);
    private final ClientProcess process = new ClientProcess(clock);
    private final UserCode userCode = new UserCode(this);

    private int triesLeft;
    private boolean acted;
    private boolean waitBroke;
    private boolean failedBesideEffect;
    private int purgesAtStart;
    private final Set<Throwable> met = Collections.newSetFromMap(new IdentityHashMap<>());
    private boolean interrupted;
    private String tokens = "";
    private final Place place = new Place(this);

    Caller(int index) {
        super(index);
    }

    void prepare(Execution next, int tries) {
        triesLeft = tries;
        place.beginsAt(index());
        process.end();
        prepare(next);
    }

    @Override
    void reset() {
        super.reset();
        acted = false;
        waitBroke = false;
        failedBesideEffect = false;
        interrupted = false;
        met.clear();
        clock.reset();
        tokens = "";
        userCode.reset();
    }

    // ---- the thread ----------------------------------------------------------------------------------------------

    @Override
    void act(Execution now) {
        while (triesLeft > 0 && !now.isAborted()) {
            triesLeft--;
            reset();
            call(now);
            if (isDead() || now.scenario().memory() == Memory.EMPTY) {
                process.end();
            }
        }
    }

    private void call(Execution now) {
        Idempotency<Transaction> idempotency =
                process.idempotency(now, now.scenario().above().apply(new GatedStore(this)));
        Outcome<String> outcome;
        Batches batches = now.scenario().batches();
        CallEffects calls = new CallEffects();
        Attempt attempt = configuration().attempt(calls);
        try {
            if (batches != null) {
                List<? extends BatchResult<?>> answers = batches.call(this, idempotency);
                if (!isGone()) {
                    now.promises().returned(this, batches, answers);
                }
                return;
            }
            outcome = configuration().call(idempotency, attempt, userCode);
        } catch (Throwable failure) {
            boolean keeps = Thread.interrupted();
            process.called(tokens);
            if (!isGone()) {
                now.promises().ended(this, keeps);
                now.promises().left(this, calls, failure);
            }
            return;
        }
        boolean keeps = Thread.interrupted();
        process.called(outcome, tokens);
        if (!isGone()) {
            now.promises().ended(this, keeps);
            now.promises().returned(this, outcome);
        }
    }

    @Override
    void answered(String code, Object got) {
        beginsToAct();
        super.answered(code, got);
    }

    @Override
    void failed(String code, Throwable fault) {
        beginsToAct();
        super.failed(code, configuration().thrownFor(fault));
    }

    @Override
    void met(Throwable fault) {
        met.add(fault);
        if (fault instanceof InterruptedException) {
            interrupted = true;
        } else if (fault.getCause() instanceof InterruptedException) {
            interrupted = true;
            Thread.currentThread().interrupt();
        }
    }

    /** Whether exactly this object was thrown to the engine, or to the code that it calls. */
    boolean hasMet(Throwable thrown) {
        return met.contains(thrown);
    }

    /** Whether this call's thread was interrupted during the call. */
    boolean wasInterrupted() {
        return interrupted;
    }

    private void beginsToAct() {
        if (!acted) {
            acted = true;
            purgesAtStart = execution().database().purges();
        }
    }

    /** Records a token that the engine writes or tries to write. */
    void writes(UUID token, String name) {
        tokens += name;
        execution().tokens().add(token);
    }

    /** Records that a commit of this call has no reply because its wait for the standby was broken. */
    void waitBroke() {
        waitBroke = true;
    }

    boolean hasWaitBroken() {
        return waitBroke;
    }

    /** Records that the work throws, and whether the key's effect is committed. */
    void fails(boolean besideEffect) {
        failedBesideEffect = besideEffect;
    }

    boolean hasFailedBesideEffect() {
        return failedBesideEffect;
    }

    String lastAnswer() {
        if (isDead()) {
            return "";
        }
        Throwable fault = thrown();
        Object got = answer();
        return fault != null
                ? " -> " + (fault instanceof Injected injected ? injected.fault() : fault.getMessage())
                : got == null || got.equals("ok")
                        ? ""
                        : " -> " + execution().names().inWords(got);
    }

    /** Whether this call has already done anything that its death would interrupt. */
    boolean hasActed() {
        return acted;
    }

    /** Whether the key has not been purged since this call began. Otherwise its outcome may be older than the purge. */
    boolean isOfToday() {
        return purgesAtStart == execution().database().purges();
    }

    /** Whether an effect of this call was committed, and its record was then purged. */
    boolean hasPurgedEffect() {
        return userCode.values(Configuration.KEY).stream().anyMatch(execution().database()::isPurged);
    }

    Place place() {
        return place;
    }

    UserCode userCode() {
        return userCode;
    }

    Configuration configuration() {
        // The last call is like the first caller's.
        return execution().scenario().configuration(execution().isLastCall() ? 0 : index());
    }

    String state() {
        return index() < execution().scenario().configurations().size()
                ? code()
                        + (index() + 1
                                        == execution()
                                                .scenario()
                                                .configurations()
                                                .size()
                                ? "*"
                                : index())
                : code() + "*";
    }

    /** What the promises to the caller of a batch depend on. */
    private String whatItLearned() {
        return (isDead() ? "dead" : "") + clock.state() + history();
    }

    private String code() {
        return isOver()
                ? "over" + (execution().scenario().batches() == null ? "" : whatItLearned())
                : triesLeft
                        + process.state()
                        + (isOfToday() ? "t" : hasPurgedEffect() ? "p" : "y")
                        + clock.state()
                        + place.code()
                        + history();
    }
}
