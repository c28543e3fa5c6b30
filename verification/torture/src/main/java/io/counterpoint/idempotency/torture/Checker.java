package io.counterpoint.idempotency.torture;

import io.counterpoint.idempotency.torture.Ledger.KeyHistory;
import io.counterpoint.idempotency.torture.Ledger.SlowCall;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;

/** Compares the callers' outcomes with the contents of the databases, without using the library. */
final class Checker {

    /** Allows for a busy machine. */
    private static final Duration MARGIN = Duration.ofSeconds(10);

    /** Separates the result from the time, in milliseconds of the machine's clock, in what a follow-up writes. */
    static final String AT = "@";

    private final Mode mode;
    private final Ledger ledger;
    private final Findings findings;
    private final Verdict verdict = new Verdict();

    private Checker(Mode mode, Ledger ledger, Findings findings) {
        this.mode = mode;
        this.ledger = ledger;
        this.findings = findings;
    }

    /**
     * The contents of the databases at the end.
     *
     * @param effects the results in the domain's table, by key, one per row
     * @param states the states of the records by key: P, E for a pending one that only an operator may resolve, S or F
     * @param removed the states of deleted records when they were deleted, by key
     * @param followUps what follow-ups have written, by key
     * @param effectsAt when the first effect of a key existed, if known
     */
    record Findings(
            Map<String, List<String>> effects,
            Map<String, String> states,
            Map<String, List<String>> removed,
            Map<String, List<String>> followUps,
            Map<String, Long> effectsAt) {

        /**
         * Returns the findings with the provider's decisions as the effects, and what was taken for effects as their
         * follow-ups.
         */
        Findings following(List<Provider.Decision> decisions) {
            Map<String, List<String>> charges = new HashMap<>();
            Map<String, Long> chargedAt = new HashMap<>();
            decisions.stream().filter(made -> !made.result().isEmpty()).forEach(made -> {
                charges.computeIfAbsent(made.key(), key -> new ArrayList<>()).add(made.result());
                chargedAt.putIfAbsent(made.key(), made.millis());
            });
            return new Findings(charges, states, removed, effects, chargedAt);
        }

        /** As numbers of keys. */
        @Override
        public String toString() {
            return effects.size() + " with an effect, " + followUps.size() + " followed up, "
                    + states.values().stream().filter("F"::equals).count() + " failed";
        }
    }

    static Verdict check(Mode mode, Ledger ledger, Findings findings) {
        return new Checker(mode, ledger, findings).check();
    }

    private Verdict check() {
        Set<String> keys = new HashSet<>(ledger.stories().keySet());
        keys.addAll(findings.effects().keySet());
        keys.addAll(findings.states().keySet());
        keys.addAll(findings.removed().keySet());
        keys.addAll(findings.followUps().keySet());
        for (String key : keys) {
            check(key, ledger.stories().getOrDefault(key, new KeyHistory()));
        }
        for (SlowCall call : ledger.slowCalls()) {
            if (call.net().compareTo(call.deadline().plus(MARGIN)) > 0) {
                verdict.found(
                        Violation.LATE,
                        call.what() + " took " + call.net() + " without stops, of " + call.deadline() + " at most");
            }
        }
        ledger.neverReturned().forEach(call -> verdict.found(Violation.LATE, call));
        ledger.unexpected().forEach(call -> verdict.found(Violation.UNEXPECTED, call));
        return verdict;
    }

    private void check(String key, KeyHistory story) {
        List<String> effects = findings.effects().getOrDefault(key, List.of());
        List<String> removed = findings.removed().getOrDefault(key, List.of());
        String state = findings.states().getOrDefault(key, "none");
        findLostReads(story, effects, state);
        // A key begins a new life whenever a terminal record is purged.
        long livesWithEffect = removed.stream().filter("S"::equals).count();
        long purged = removed.stream()
                .filter(removedState -> !removedState.equals("P"))
                .count();
        List<Violation> found = new ArrayList<>();

        if (effects.size() > livesWithEffect + 1) {
            found.add(Violation.DUPLICATE);
        }
        if (!effects.containsAll(story.results.keySet())) {
            found.add(Violation.FALSE_SUCCESS);
        }
        if (story.results.size() > livesWithEffect + 1
                || story.executed > livesWithEffect + 1
                || story.otherRequestsResult) {
            found.add(Violation.DIVERGENT);
        }
        if (effects.stream().anyMatch(effect -> story.denied.stream().anyMatch(effect::startsWith))) {
            found.add(Violation.DENIED);
        }
        boolean effectOfThisLife = effects.size() > livesWithEffect;
        if (effectOfThisLife && state.equals("F")) {
            found.add(Violation.FAILED_WITH_EFFECT);
        }
        if (!story.failures.isEmpty() && purged == 0) {
            if (!effects.isEmpty()) {
                found.add(Violation.EFFECT_AFTER_FAILED);
            }
            if (story.last != null && !story.last.isFailure()) {
                found.add(Violation.FORGOTTEN_FAILURE);
            }
        }
        if (effectOfThisLife && !(story.last != null && story.last.isSuccess() && effects.contains(story.lastDetail))) {
            found.add(Violation.UNDISCOVERABLE);
        }
        if (mode.hasFollowUp()) {
            checkFollowUps(story, key, effects, state, found);
        }
        if (isStuck(key, state, effectOfThisLife)) {
            found.add(Violation.STUCK_PENDING);
        }
        boolean mayBeReleased = story.mayHaveReleased && !mode.hasEffectsElsewhere();
        if (Key.isBrief(key) ? removed.contains("P") && !mayBeReleased : purged > 0) {
            found.add(Violation.PURGED_TOO_MUCH);
        }
        for (Violation violation : found) {
            verdict.found(
                    violation,
                    key + " has the effects " + effects + ", the follow-ups "
                            + findings.followUps().get(key) + " and the record " + state
                            + ", purged before: " + removed
                            + "; got results " + story.results + ", failures " + story.failures + ", at last "
                            + story.last + " " + story.lastDetail);
        }
    }

    /**
     * Requires that a follow-up exists once, together with its effect and its mark, and before anybody gets the result.
     */
    private void checkFollowUps(
            KeyHistory story, String key, List<String> effects, String state, List<Violation> found) {
        List<String> followUps = findings.followUps().getOrDefault(key, List.of());
        boolean isMarked = state.equals("S");
        if (followUps.size() > 1) {
            found.add(Violation.DUPLICATE);
        }
        if (followUps.isEmpty()
                ? isMarked || !effects.isEmpty()
                : Long.parseLong(followUps.get(0).split(AT, 2)[1]) > story.succeededAt) {
            found.add(Violation.NOT_FOLLOWED_UP);
        }
        if (followUps.stream().anyMatch(write -> !isMarked || !effects.contains(write.split(AT, 2)[0]))
                || story.owedAt < findings.effectsAt().getOrDefault(key, Long.MAX_VALUE)) {
            found.add(Violation.UNFOUNDED_FOLLOW_UP);
        }
    }

    /**
     * A commit that is in doubt for longer than the brief retention leaves a record for an operator, because the
     * effect's record may have been purged by then. So does work that has lost its transaction, but no other commit.
     */
    private boolean isStuck(String key, String state, boolean effectOfThisLife) {
        if (mode.hasEffectsElsewhere()) {
            return (state.equals("P") || state.equals("E")) && effectOfThisLife;
        }
        boolean mayBeLeft = Key.isBrief(key) || (Key.isContended(key) && !effectOfThisLife);
        return state.equals("P") || (state.equals("E") && !mayBeLeft);
    }

    /**
     * If a promotion removed an outcome that callers had only read, this is counted, but no promise was broken. An
     * outcome that it did not remove is compared with the databases like every other one.
     */
    private void findLostReads(KeyHistory story, List<String> effects, String state) {
        for (String result : story.readResults) {
            if (effects.contains(result) || story.results.containsKey(result)) {
                story.results.putIfAbsent(result, "a follower");
            } else {
                verdict.lostRead();
            }
        }
        for (String failure : story.readFailures) {
            if (state.equals("F") || !story.failures.isEmpty()) {
                story.failures.add(failure);
            } else {
                verdict.lostRead();
            }
        }
    }
}
