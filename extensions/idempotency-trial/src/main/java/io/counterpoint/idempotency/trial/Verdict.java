package io.counterpoint.idempotency.trial;

import io.counterpoint.idempotency.IdempotencyException;
import java.util.ArrayList;
import java.util.Collection;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import java.util.stream.Collectors;

/** Compares all results for one key with the number of its effects. */
final class Verdict {

    private final List<Answer> answers = new ArrayList<>();
    private final List<Counted> counts = new ArrayList<>();
    private final Set<String> complaints = new LinkedHashSet<>();
    private final Set<Object> results = new LinkedHashSet<>();
    private Counted effects = Counted.NONE;

    /** Evaluates calls that ran at the same time, and the effects after them. */
    void calls(List<Answer> together, Counted counted) {
        long found = counted.most();
        answers.addAll(together);
        counts.add(counted);
        together.forEach(answer -> answer.result().ifPresent(results::add));
        if (found > 1) {
            complaints.add(found == 2 ? "effect twice" : "effect " + found + " times");
        }
        for (Answer answer : together) {
            if (answer.result().isPresent() && counted.least() == 0) {
                complaints.add(found == 0 ? "success without effect" : "success with only part of its effects");
            }
            if (answer.isKeyReused()) {
                complaints.add("the key belongs to a different request");
            }
            if (found > 0) {
                besideAnEffect(answer, found);
            }
        }
        if (results.size() > 1 || (!results.isEmpty() && answers.stream().anyMatch(Answer::isRejected))) {
            complaints.add("two callers got different results");
        }
        effects = counted;
    }

    /** An effect of another concurrent caller does not count if that caller got a corresponding result. */
    private void besideAnEffect(Answer answer, long found) {
        if (answer.isRejected()) {
            complaints.add("effect behind Failed");
        } else if (answer.isOwnFailure() && results.isEmpty()) {
            complaints.add("effect behind " + answer.name());
        } else if (answer.isNotStarted() && results.isEmpty() && found > effects.most()) {
            complaints.add("effect of a call that had not started");
        }
    }

    /**
     * Evaluates the end, when no call follows. A killed process may leave a key without an effect in progress for a
     * grace period.
     */
    void end(boolean mayWait) {
        Answer answer = answers.get(answers.size() - 1);
        if (isOpen(answer) && !(mayWait && answer.isInProgress() && effects.most() == 0)) {
            complaints.add(
                    effects.most() > 0 ? "effect behind " + answer.name() : "the retries end with " + answer.name());
        } else if (answer.isOwnFailure() && results.isEmpty() && effects.most() == 0) {
            complaints.add("the retries end with " + answer.name());
        }
    }

    /** Requires a success when no fault occurred: a use case that never succeeds has no effects to check. */
    void requireSuccess() {
        if (results.isEmpty()) {
            complaints.add("no success");
        }
    }

    /** Whether a retry may get a different result. */
    static boolean isOpen(Answer answer) {
        boolean decides = answer.isRejected() || answer.isKeyReused();
        return answer.isInProgress() || (answer.thrown() instanceof IdempotencyException && !decides);
    }

    void complain(Collection<String> also) {
        complaints.addAll(also);
    }

    boolean hasResult() {
        return !results.isEmpty();
    }

    Counted effects() {
        return effects;
    }

    List<Wrong> wrong(Wrong.Where where, String key) {
        String seen = "Answers: " + answers.stream().map(Answer::name).collect(Collectors.joining(", "))
                + "; effects then: " + counts;
        return complaints.stream()
                .map(complaint -> new Wrong(where, complaint, key, seen))
                .toList();
    }
}
