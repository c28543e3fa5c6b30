package io.counterpoint.idempotency.explorer;

import io.counterpoint.idempotency.BatchResult;
import io.counterpoint.idempotency.Failure;
import io.counterpoint.idempotency.IdempotencyException;
import io.counterpoint.idempotency.IdempotencyException.Reason;
import io.counterpoint.idempotency.IdempotencyKey;
import io.counterpoint.idempotency.MisuseException;
import io.counterpoint.idempotency.NotStartedException;
import io.counterpoint.idempotency.Outcome;
import io.counterpoint.idempotency.OutcomeUnknownException;
import io.counterpoint.idempotency.RejectedException;
import io.counterpoint.idempotency.explorer.Configuration.Abandoned;
import io.counterpoint.idempotency.internal.CallEffects;
import io.counterpoint.idempotency.spi.IdempotencyRecord.Protocol;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.TreeMap;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/** The engine's promises, checked after every event, and whenever a caller gets an outcome or an exception. */
final class Promises {

    private final Execution execution;
    private final Map<IdempotencyKey, KeyPromises> keys = new TreeMap<>();
    private final @Nullable Batches batches;
    private @Nullable String broken;
    private boolean unresolved;
    private int purges;
    private int recoveries;
    private @Nullable Caller alive;
    private long aliveAt;

    Promises(Scenario scenario, Execution execution) {
        this.execution = execution;
        this.batches = scenario.batches();
        scenario.keys().forEach(key -> keys.put(key, new KeyPromises(execution, key)));
    }

    private KeyPromises of(IdempotencyKey key) {
        return Objects.requireNonNull(keys.get(key));
    }

    /** The first promise that was broken. */
    @Nullable
    String broken() {
        return broken;
    }

    void breaks(String which) {
        if (broken == null) {
            broken = which;
        }
    }

    // ---- answers -------------------------------------------------------------------------------------------------

    void returned(Caller caller, Outcome<?> outcome) {
        note(caller, () -> inWords(outcome));
        startAgainIfPurged();
        KeyPromises key = of(outcome.key());
        boolean ofToday = caller.isOfToday() && !isReadFromABrokenWait(caller, outcome);
        boolean unused = outcome.fold(
                completed -> isFor(caller, completed.result().toString())
                        && ofToday
                        && key.succeeded(completed.result().toString()),
                inProgress -> execution.isLastCall() && stuck(outcome.key()),
                rejected -> mayHaveEnded(rejected.failure())
                        && ofToday
                        && key.failed(caller, "was answered Rejected")
                        && isOwnFailure(outcome.key(), rejected.failure().code()),
                keyReused ->
                        execution.scenario().isAboutOneRequest() && breaksWith(caller + " was refused its own key"));
    }

    private static String inWords(Outcome<?> outcome) {
        return outcome.getClass().getSimpleName()
                + outcome.asOptional()
                        .map(result -> " (" + Names.inWords(result.toString()) + ")")
                        .orElse("");
    }

    /** Checks the outcomes of a batch. */
    void returned(Caller caller, Batches calls, List<? extends BatchResult<?>> answers) {
        if (!answers.stream().map(BatchResult::key).toList().equals(calls.keysOf(caller))) {
            breaks(caller + " got its answers in another order");
        }
        for (BatchResult<?> answer : answers) {
            boolean unused = answer.<Boolean>fold(
                    outcome -> {
                        returned(caller, outcome);
                        return true;
                    },
                    thrown -> {
                        thrown(caller, answer.key(), thrown);
                        return true;
                    });
        }
    }

    /** A record that was left behind waits for an operator, however long its leader has been gone. */
    private boolean mayHaveEnded(Failure failure) {
        if (failure.code().equals(Failure.ABANDONED)
                && execution.scenario().configurations().stream()
                        .allMatch(configuration -> configuration.abandoned() == Abandoned.LEAVE)) {
            breaks("an attempt that is left to an operator was ended as abandoned");
        }
        return true;
    }

    /** In a batch, only poison fails, and what a dead leader has left behind. */
    private boolean isOwnFailure(IdempotencyKey key, String code) {
        if (batches != null && !batches.poison().contains(key) && !code.equals(Failure.ABANDONED)) {
            breaks("an attempt has failed by its neighbour");
        }
        return true;
    }

    /**
     * If a commit's wait for the standby is broken, PostgreSQL itself shows the commit, and loses it in a promotion.
     * Only a follower without a doubt of its own may return it.
     */
    private boolean isReadFromABrokenWait(Caller caller, Outcome<?> outcome) {
        return execution.scenario().replicated()
                && execution.database().hasTail()
                && !caller.hasWaitBroken()
                && (outcome instanceof Outcome.Replayed || outcome instanceof Outcome.Rejected);
    }

    /** The caller's thread has reached the end of its call. */
    void ended(Caller caller, boolean isInterrupted) {
        if (caller.wasInterrupted() && !isInterrupted) {
            breaks("the interrupt of " + caller + " is lost");
        }
    }

    /** Checks that what a call throws agrees with what its attempt reports about the effect. */
    void left(Caller caller, CallEffects calls, Throwable thrown) {
        thrown(caller, thrown);
        if (batches == null && !calls.mayExist()) {
            if (thrown instanceof Error) {
                breaks(caller + " got an error, and its attempt says that there is no effect");
            }
            neverHappens(caller, Configuration.KEY);
        }
    }

    private void thrown(Caller caller, Throwable thrown) {
        if (batches == null) {
            thrown(caller, Configuration.KEY, thrown);
        } else {
            breaks(caller + ": the batch threw " + thrown);
        }
    }

    private void thrown(Caller caller, IdempotencyKey key, Throwable thrown) {
        note(caller, () -> caller.hasMet(thrown) ? "its own exception" : thrown.toString());
        startAgainIfPurged();
        if (thrown instanceof IdempotencyException
                && thrown.getCause() instanceof Error error
                && caller.hasMet(error)) {
            breaks(caller + " got an error as a cause: " + thrown);
        } else if (thrown instanceof OutcomeUnknownException unknown) {
            unknown(caller, unknown);
        } else if (thrown instanceof NotStartedException
                || (thrown instanceof MisuseException && caller.hasMet(thrown))) {
            neverHappens(caller, key);
            requireAFault(caller, thrown);
        } else if (thrown instanceof Error error && caller.hasMet(error)) {
            // It says nothing about the effect.
            requireAFault(caller, thrown);
        } else if (thrown instanceof Injected injected && injected.isOfTheClock()) {
            neverHappens(caller, key);
        } else if (caller.hasMet(thrown) || isOfWork(caller, thrown) || thrown instanceof RejectedException) {
            neverHappens(caller, key);
            ownException(caller, key, thrown);
        } else {
            breaks(caller + " got an exception that nobody expects: " + thrown);
        }
    }

    /** Nobody gets the result of a different request. */
    private boolean isFor(Caller caller, String result) {
        if (!execution.scenario().isAboutOneRequest()
                && !execution.requestOf(result).equals(caller.configuration().request())) {
            breaks(caller + " got the result of another request");
        }
        return true;
    }

    /** Whether it is the exact object that the work threw. The work of batches throws its own exceptions. */
    private boolean isOfWork(Caller caller, Throwable thrown) {
        return thrown instanceof WorkFailed
                || (caller.hasMet(thrown) && WorkFailed.in(thrown).isPresent());
    }

    private void unknown(Caller caller, OutcomeUnknownException unknown) {
        unresolved |= !unknown.isRetryable();
        boolean accused = String.valueOf(unknown.getMessage()).contains("ended the transaction it was given");
        if (caller.userCode().hasEndedATransaction()) {
            if (!accused) {
                breaks("the work of " + caller + " has ended its transaction, and its exception does not say so");
            }
        } else if (accused && batches == null) {
            breaks("the work of " + caller + " was accused of having ended its transaction");
        } else if (execution.isLastCall() && unknown.reason() != Reason.ENDED_BY_WORK) {
            breaks("the last call learned nothing: " + unknown);
        }
        requireAFault(caller, unknown);
    }

    /** A batch learns the outcome of each key unless there was a fault. */
    private void requireAFault(Caller caller, Throwable thrown) {
        if (batches != null && (execution.isFaultless() || execution.isLastCall())) {
            breaks(caller + " learned nothing, and there was no fault: " + thrown);
        }
    }

    private void ownException(Caller caller, IdempotencyKey key, Throwable thrown) {
        boolean released = isOfWork(caller, thrown) && caller.configuration().releases();
        boolean unused = isOwnFailure(key, "");
        if (caller.isOfToday() && !released) {
            unused = of(key).failed(caller, "got its own exception");
        } else if (caller.isOfToday() && caller.hasFailedBesideEffect()) {
            breaks(caller + " learned that the key is released, and its effect was there before");
        } else if (batches == null
                && !execution.scenario().hasGlobalLocks()
                && caller.configuration().excludesOlderRuns()) {
            of(key).neverHappens(execution.valuesOnTheirWay());
        }
    }

    /** Records that what this call would have done never happens. A plan, once stored, may be carried out by others. */
    private void neverHappens(Caller caller, IdempotencyKey key) {
        if (!caller.configuration().planned()) {
            if (caller.hasPurgedEffect()) {
                breaks(caller + " learned that its call had no effect, and it had one, whose record is purged");
            }
            of(key).neverHappens(caller.userCode().values(key));
        }
    }

    private boolean stuck(IdempotencyKey key) {
        List<Configuration> all = execution.scenario().configurations();
        if (unresolved || isUnresolved(all, key)) {
            // An operator has to check.
            return true;
        }
        if (!execution.database().allEffects(key).isEmpty()) {
            breaks("the effect is committed, and the last call did not find it");
        } else if (all.stream().allMatch(Configuration::endsEverything)) {
            breaks("the key is stuck: the last call, after the grace period, learned that a leader may be at work");
        }
        return true;
    }

    /** A caller has left a record that nobody runs again, and has died before it could report that. */
    private boolean isUnresolved(List<Configuration> all, IdempotencyKey key) {
        return all.stream().noneMatch(Configuration::isExternal)
                && execution
                        .database()
                        .record(key)
                        .filter(record -> record.protocol() == Protocol.EXTERNAL)
                        .isPresent();
    }

    private boolean breaksWith(String which) {
        breaks(which);
        return true;
    }

    private void note(Caller caller, Supplier<String> what) {
        if (execution.isRecorded()) {
            execution.note(caller + " gets: " + what.get());
        }
    }

    // ---- effects -------------------------------------------------------------------------------------------------

    /**
     * A stored plan may be carried out by others, and then by its own caller in the key's next life. A commit with its
     * record may be in flight for longer than its call and the retention; nothing is promised in that case.
     */
    void committed(Caller caller, String value) {
        if (caller.hasPurgedEffect()
                && !caller.isOver()
                && caller.userCode().values(Configuration.KEY).contains(value)
                && !caller.configuration().planned()) {
            breaks("a call made its effect again, after the record of the first was purged");
        }
    }

    // ---- heartbeats ----------------------------------------------------------------------------------------------

    /** A leader got the reply to a heartbeat. If locks are global, its lock protects it as well. */
    void heartbeat(Caller leader) {
        if (!execution.scenario().hasGlobalLocks()) {
            alive = leader;
            aliveAt = execution.database().minutes();
        }
    }

    /** A caller has ended an attempt or taken it over. */
    void arbitrated(Caller arbiter) {
        Caller leader = alive;
        if (leader != null && leader != arbiter) {
            if (execution.database().minutes() - aliveAt < Configuration.GRACE.toMinutes()) {
                breaks(arbiter + " ended the attempt of " + leader
                        + ", whose heartbeat was answered within the grace period");
            }
            alive = null;
        }
    }

    // ---- states --------------------------------------------------------------------------------------------------

    private void startAgainIfPurged() {
        ExploredDatabase database = execution.database();
        if (execution.scenario().replicated() && recoveries != database.recoveries()) {
            recoveries = database.recoveries();
            keys.values().forEach(KeyPromises::startAgainAfterPromotion);
        }
        if (purges != database.purges()) {
            purges = database.purges();
            keys.values().forEach(KeyPromises::startAgainAfterPurge);
        }
    }

    void check() {
        startAgainIfPurged();
        for (KeyPromises key : keys.values()) {
            key.check();
        }
        if (batches != null && isPendingBeforeWork(batches)) {
            breaks("a claim of a batch is committed before its work");
        }
    }

    /** A record that is inserted last is claimed after a fault, to keep out what is in flight. */
    private boolean isPendingBeforeWork(Batches calls) {
        Configuration configuration = execution.scenario().configuration(0);
        return calls.inOneTransaction(configuration)
                && (configuration.protocol() != Configuration.Protocol.RECORD_LAST || execution.isFaultless())
                && execution.database().hasPending();
    }

    String state(String late) {
        StringBuilder state = new StringBuilder(unresolved ? "u" : "");
        for (KeyPromises key : keys.values()) {
            state.append(key.state(late));
        }
        if (alive != null) {
            state.append(alive).append(execution.database().minutes() - aliveAt);
        }
        return state.toString();
    }
}
