package io.counterpoint.idempotency.explorer;

import io.counterpoint.idempotency.Failure;
import io.counterpoint.idempotency.IdempotencyException.NotStartedException;
import io.counterpoint.idempotency.IdempotencyException.OutcomeUnknownException;
import io.counterpoint.idempotency.Outcome;
import io.counterpoint.idempotency.explorer.Configuration.Abandoned;
import io.counterpoint.idempotency.spi.IdempotencyRecord.Protocol;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/** What the engine promises, checked after every event, and whenever a caller gets an answer or an exception. */
final class Promises extends Verdict {

    private final Execution execution;
    private final Set<String> never = new TreeSet<>();
    private @Nullable String returnedResult;
    private boolean returnedFailed;
    private boolean hasFailed;
    private boolean unresolved;
    private @Nullable String terminal;
    private int purges;
    private int recoveries;
    private @Nullable Caller alive;
    private long aliveAt;

    Promises(Execution execution) {
        this.execution = execution;
    }

    // ---- answers -------------------------------------------------------------------------------------------------

    void returned(Caller caller, Outcome<String> outcome) {
        note(
                caller,
                () -> outcome.getClass().getSimpleName()
                        + outcome.asOptional()
                                .map(result -> " (" + Names.inWords(result) + ")")
                                .orElse(""));
        startAgainIfPurged();
        boolean ofToday = caller.isOfToday() && !isReadFromABrokenWait(caller, outcome);
        outcome.fold(
                completed -> ofToday && succeeded(completed.result()),
                inProgress -> execution.isLastCall() && stuck(),
                rejected -> mayHaveEnded(rejected.failure()) && ofToday && failed(caller, "was answered Rejected"),
                keyReused -> breaksWith(caller + " was refused its own key"));
    }

    /** A key that is left waits for an operator, however long its leader has been gone. */
    private boolean mayHaveEnded(Failure failure) {
        if (failure.code().equals(Failure.ABANDONED)
                && execution.scenario().configurations().stream()
                        .allMatch(configuration -> configuration.abandoned() == Abandoned.LEAVE)) {
            breaks("an attempt that is left to an operator was ended as abandoned");
        }
        return true;
    }

    /**
     * What PostgreSQL itself shows of a commit whose wait for the standby is broken is lost with it. Only a follower that
     * had no doubt of its own may return that.
     */
    private boolean isReadFromABrokenWait(Caller caller, Outcome<String> outcome) {
        return execution.scenario().replicated()
                && execution.database().hasTail()
                && !caller.hasWaitBroken()
                && (outcome instanceof Outcome.Replayed || outcome instanceof Outcome.Rejected);
    }

    void thrown(Caller caller, Throwable thrown) {
        note(caller, () -> thrown instanceof WorkFailed ? "its own exception" : thrown.toString());
        startAgainIfPurged();
        if (thrown instanceof OutcomeUnknownException unknown) {
            unresolved |= !unknown.retryable();
            boolean accused = String.valueOf(unknown.getMessage()).contains("the work ended the transaction");
            if (caller.userCode().hasEndedATransaction()) {
                if (!accused) {
                    breaks("the work of " + caller + " has ended its transaction, and its exception does not say so");
                }
            } else if (accused) {
                breaks("the work of " + caller + " was accused of having ended its transaction");
            } else if (execution.isLastCall()) {
                breaks("the last call learned nothing: " + thrown);
            }
        } else if (thrown instanceof NotStartedException) {
            neverHappens(caller);
        } else if (thrown instanceof WorkFailed || thrown instanceof Injected) {
            neverHappens(caller);
            if (caller.isOfToday() && !mayRelease(caller, thrown)) {
                failed(caller, "got its own exception");
            } else if (caller.isOfToday() && caller.hasFailedBesideEffect()) {
                breaks(caller + " learned that the key is released, and its effect was there before");
            } else if (!execution.scenario().hasGlobalLocks()
                    && caller.configuration().excludesOlderRuns()) {
                never.addAll(execution.valuesOnTheirWay());
            }
        } else {
            breaks(caller + " got an exception that nobody expects: " + thrown);
        }
    }

    /** What this call would have done. A plan, once stored, may be carried out by others. */
    private void neverHappens(Caller caller) {
        if (!caller.configuration().planned()) {
            if (caller.hasPurgedEffect()) {
                breaks(caller + " learned that its call had no effect, and it had one, whose record is purged");
            }
            never.addAll(caller.userCode().values());
        }
    }

    private boolean mayRelease(Caller caller, Throwable thrown) {
        return thrown instanceof WorkFailed && caller.configuration().releases();
    }

    private boolean succeeded(String result) {
        if (returnedResult != null && !returnedResult.equals(result)) {
            breaks("two callers got different results");
        }
        returnedResult = result;
        return true;
    }

    private boolean failed(Caller caller, String how) {
        if (!execution.database().failedDurably()) {
            breaks(caller + " " + how + " although no Failed record was durable");
        }
        returnedFailed = true;
        return true;
    }

    private boolean stuck() {
        List<Configuration> all = execution.scenario().configurations();
        if (unresolved || isUnresolved(all)) {
            // An operator has to look.
            return true;
        }
        if (!execution.database().allEffects().isEmpty()) {
            breaks("the effect is committed, and the last call did not find it");
        } else if (all.stream().allMatch(Configuration::endsEverything)) {
            breaks("the key is stuck: the last call, after the grace period, learned that a leader may be at work");
        }
        return true;
    }

    /** A caller has left a record that nobody runs again, and has died before it could say so. */
    private boolean isUnresolved(List<Configuration> all) {
        return all.stream().noneMatch(Configuration::isExternal)
                && execution
                        .database()
                        .record()
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
     * A stored plan may be carried out by others, and then by its own caller in the key's next life. A commit that brings its
     * record may be on its way for longer than its caller's call and the retention: nothing is promised then.
     */
    void committed(Caller caller, String value) {
        if (caller.hasPurgedEffect()
                && !caller.isOver()
                && caller.userCode().values().contains(value)
                && !caller.configuration().planned()) {
            breaks("a call made its effect again, after the record of the first was purged");
        }
    }

    // ---- heartbeats ----------------------------------------------------------------------------------------------

    /** A leader got the answer to a heartbeat. Where locks are global, its lock protects it as well. */
    void heartbeat(Caller leader) {
        if (!execution.scenario().hasGlobalLocks()) {
            alive = leader;
            aliveAt = execution.database().minutes();
        }
    }

    /** A caller has ended an attempt, or has taken it over. */
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

    private void startAgainIfPromoted() {
        if (execution.scenario().replicated()
                && recoveries != execution.database().recoveries()) {
            recoveries = execution.database().recoveries();
            hasFailed = execution.database().failedDurably();
            terminal = null;
        }
    }

    private void startAgainIfPurged() {
        startAgainIfPromoted();
        if (purges != execution.database().purges()) {
            purges = execution.database().purges();
            returnedResult = null;
            returnedFailed = false;
            hasFailed = false;
            terminal = null;
            never.clear();
        }
    }

    @Override
    void check() {
        startAgainIfPurged();
        Database database = execution.database();
        List<String> effects = database.allEffects();
        if (effects.size() > 1) {
            breaks("there are two effects");
        }
        hasFailed |= database.isFailed();
        if (hasFailed && !effects.isEmpty()) {
            breaks("the attempt was Failed and has an effect");
        }
        if (returnedFailed && !effects.isEmpty()) {
            breaks("a caller learned that the attempt had failed, and it has an effect");
        }
        if (returnedResult != null && !effects.contains(returnedResult)) {
            breaks("a caller got a result that is not, or no longer, there");
        }
        if (effects.stream().anyMatch(never::contains)) {
            breaks("a caller learned that its call had no effect, and it has one");
        }
        database.record()
                .ifPresent(record -> record.fold(
                        pending -> true,
                        succeeded -> effects.contains(Names.of(succeeded.result()))
                                || breaksWith("the record is Succeeded, and its effect is not there"),
                        failed -> true));
        checkTerminal(database);
    }

    private void checkTerminal(Database database) {
        String now = database.record()
                .filter(record -> record.fold(pending -> false, succeeded -> true, failed -> true))
                .map(execution.names()::of)
                .orElse(null);
        if (terminal != null && !terminal.equals(now)) {
            breaks("a terminal record has changed");
        }
        terminal = now;
    }

    String state(String late) {
        StringBuilder state = new StringBuilder();
        state.append(returnedResult).append(returnedFailed).append(hasFailed).append(unresolved ? "u" : "");
        never.stream().filter(late::contains).forEach(state::append);
        if (alive != null) {
            state.append(alive).append(execution.database().minutes() - aliveAt);
        }
        return state.toString();
    }
}
