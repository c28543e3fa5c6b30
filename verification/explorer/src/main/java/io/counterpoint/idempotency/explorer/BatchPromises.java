package io.counterpoint.idempotency.explorer;

import io.counterpoint.idempotency.BatchResult;
import io.counterpoint.idempotency.Failure;
import io.counterpoint.idempotency.IdempotencyException.NotStartedException;
import io.counterpoint.idempotency.IdempotencyException.OutcomeUnknownException;
import io.counterpoint.idempotency.IdempotencyKey;
import io.counterpoint.idempotency.Outcome;
import io.counterpoint.idempotency.spi.IdempotencyRecord;
import io.counterpoint.idempotency.spi.IdempotencyRecord.Failed;
import io.counterpoint.idempotency.spi.IdempotencyRecord.Pending;
import io.counterpoint.idempotency.spi.IdempotencyRecord.Succeeded;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeSet;

/** What batches promise, checked for each key after every event, and whenever a batch is answered. */
final class BatchPromises extends Verdict {

    static final String SCOPE = "user:1";
    static final String OPERATION = "operation";

    private final BatchSchedule schedule;
    private final Set<String> never = new TreeSet<>();
    private final Map<IdempotencyKey, Object> returned = new HashMap<>();
    private final Map<IdempotencyKey, IdempotencyRecord> terminal = new HashMap<>();

    BatchPromises(BatchSchedule schedule) {
        this.schedule = schedule;
    }

    static IdempotencyKey key(String name) {
        return new IdempotencyKey(SCOPE, OPERATION, name);
    }

    private void breaksUnless(boolean kept, String which) {
        if (!kept) {
            breaks(which);
        }
    }

    // ---- answers -------------------------------------------------------------------------------------------------

    void returned(BatchCaller caller, List<? extends BatchResult<?>> answers) {
        schedule.note(caller + " gets: "
                + answers.stream().map(BatchPromises::inWords).toList());
        breaksUnless(
                answers.stream().map(answer -> answer.key().value()).toList().equals(caller.keys()),
                caller + " got its answers in another order");
        for (BatchResult<?> answer : answers) {
            boolean unused = answer.<Boolean>fold(outcome -> outcome(caller, outcome), thrown -> {
                thrown(caller, answer.key(), thrown);
                return false;
            });
        }
    }

    private static String inWords(BatchResult<?> answer) {
        return answer.key().value() + " "
                + answer.<String>fold(
                        outcome -> outcome.getClass().getSimpleName()
                                + outcome.asOptional()
                                        .map(result -> " " + Names.inWords(result.toString()))
                                        .orElse(""),
                        thrown -> thrown.getClass().getSimpleName());
    }

    private boolean outcome(BatchCaller caller, Outcome<?> outcome) {
        IdempotencyKey key = outcome.key();
        return outcome.fold(
                completed -> {
                    Object before = returned.putIfAbsent(key, completed.result());
                    breaksUnless(
                            before == null || before.equals(completed.result()), "callers of a key got two results");
                    return true;
                },
                inProgress -> {
                    breaksUnless(!schedule.isLastCall(), "a key is stuck: nobody works on it any more");
                    return false;
                },
                rejected -> {
                    failed(key, rejected.failure().code().equals(Failure.ABANDONED));
                    return false;
                },
                keyReused -> {
                    breaks(caller + " was refused its own key");
                    return false;
                });
    }

    private void thrown(BatchCaller caller, IdempotencyKey key, Throwable thrown) {
        if (thrown instanceof OutcomeUnknownException) {
            breaksUnless(
                    !schedule.isFaultless() && !schedule.isLastCall(),
                    caller + " learned nothing, and there was no fault");
            return;
        }
        never.addAll(caller.values(key));
        if (thrown instanceof WorkFailed) {
            failed(key, false);
        } else {
            breaksUnless(
                    thrown instanceof NotStartedException && !schedule.isFaultless() && !schedule.isLastCall(),
                    caller + " got an exception that nobody expects: " + thrown);
        }
    }

    /** Only poison fails, and what a dead leader has left. */
    private void failed(IdempotencyKey key, boolean abandoned) {
        breaksUnless(
                isFailed(key) || schedule.scenario().overNodes(),
                "a caller learned that an attempt has failed, and no Failed record is there");
        breaksUnless(
                abandoned || schedule.scenario().poison().contains(key.value()),
                "an attempt has failed by its neighbour");
    }

    private boolean isFailed(IdempotencyKey key) {
        return schedule.server().record(key).filter(Failed.class::isInstance).isPresent();
    }

    // ---- states --------------------------------------------------------------------------------------------------

    @Override
    void check() {
        schedule.scenario().batches().stream().flatMap(List::stream).distinct().forEach(name -> check(key(name)));
    }

    private void check(IdempotencyKey key) {
        Optional<IdempotencyRecord> record = schedule.server().record(key);
        List<String> effects = schedule.server().effects(key);
        breaksUnless(effects.size() <= 1, "there are two effects of a key");
        breaksUnless(effects.stream().noneMatch(never::contains), "an effect was denied, and is there");
        breaksUnless(
                record.filter(found ->
                                found instanceof Pending && schedule.scenario().together())
                        .isEmpty(),
                "a claim of a batch is committed before its work");
        breaksUnless(
                record.filter(Failed.class::isInstance).isEmpty() || effects.isEmpty(),
                "an attempt is Failed and has an effect");
        breaksUnless(
                record.filter(Succeeded.class::isInstance)
                        .map(found -> isResultOf(effects, Names.of(((Succeeded) found).result())))
                        .orElse(true),
                "a record is Succeeded without its effect");
        Object result = returned.get(key);
        breaksUnless(result == null || isResultOf(effects, result), "a caller got a result that is not there");
        checkTerminal(key, record);
    }

    private boolean isResultOf(List<String> effects, Object result) {
        return schedule.scenario().withResults() ? effects.contains(result) : !effects.isEmpty();
    }

    private void checkTerminal(IdempotencyKey key, Optional<IdempotencyRecord> record) {
        Optional<IdempotencyRecord> now = record.filter(found -> !(found instanceof Pending));
        IdempotencyRecord before = now.isPresent() ? terminal.putIfAbsent(key, now.get()) : terminal.get(key);
        breaksUnless(before == null || before.equals(now.orElse(null)), "a terminal record has changed");
    }

    String state() {
        StringBuilder state = new StringBuilder();
        returned.keySet().stream().sorted().forEach(key -> state.append(key.value()));
        return state.append(never.size()).toString();
    }
}
