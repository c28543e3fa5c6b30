package io.counterpoint.idempotency.mariadb;

import io.counterpoint.idempotency.mariadb.StormAnswer.Kind;
import io.counterpoint.idempotency.mariadb.StormEffects.Effect;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Queue;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentLinkedQueue;

/** The answers that callers got, held against the database at the end. */
final class StormHistory {

    private final Map<String, Queue<StormAnswer>> told = new ConcurrentHashMap<>();
    private final Queue<String> broken = new ConcurrentLinkedQueue<>();
    private final Map<String, Set<Integer>> nodes = new ConcurrentHashMap<>();

    void answered(String key, StormAnswer answer) {
        told.computeIfAbsent(key, unused -> new ConcurrentLinkedQueue<>()).add(answer);
    }

    /** A promise was broken that shows in no answer. */
    void broken(String how) {
        broken.add(how);
    }

    void served(String key, int node) {
        if (!key.isEmpty()) {
            nodes.computeIfAbsent(key, unused -> ConcurrentHashMap.newKeySet()).add(node);
        }
    }

    Set<String> keys() {
        return told.keySet();
    }

    long calls() {
        return told.values().stream().mapToLong(Queue::size).sum();
    }

    long calls(Kind kind) {
        return told.values().stream()
                .flatMap(Queue::stream)
                .filter(answer -> answer.kind() == kind)
                .count();
    }

    /** Keys whose sessions were on more than one node. */
    long keysOnSeveralNodes() {
        return nodes.values().stream().filter(its -> its.size() > 1).count();
    }

    /**
     * What is wrong.
     *
     * @param effects what work has done, by key
     * @param last what each key is answered at the end, the same on every node
     */
    List<String> faults(Map<String, List<Effect>> effects, Map<String, StormAnswer> last) {
        List<String> faults = new ArrayList<>(broken);
        last.forEach((key, answer) -> add(key, answer, effects.getOrDefault(key, List.of()), faults));
        return faults;
    }

    private void add(String key, StormAnswer last, List<Effect> effects, List<String> faults) {
        Set<String> results = new HashSet<>();
        effects.forEach(effect -> results.add(effect.result()));
        Set<String> doers = new HashSet<>();
        effects.forEach(effect -> doers.add(effect.caller()));
        Map<String, String> wrong = new HashMap<>();
        int expected = last.kind() == Kind.RESULT ? 1 : 0;
        if (effects.size() != expected) {
            wrong.put("effects", effects.size() + " instead of " + expected);
        } else if (expected == 1 && !results.contains(last.text())) {
            wrong.put("answer", "not the one of the effect");
        }
        for (StormAnswer answer : told.getOrDefault(key, new ConcurrentLinkedQueue<>())) {
            switch (answer.kind()) {
                case RESULT -> {
                    if (!results.contains(answer.text())) {
                        wrong.put("told result", "without an effect");
                    }
                }
                case FAILURE -> {
                    if (last.kind() == Kind.RESULT || doers.contains(answer.call())) {
                        wrong.put("told failure", "and there is an effect");
                    }
                    if (!answer.text().isEmpty()) {
                        wrong.put("told", answer.text());
                    }
                }
                case RELEASED -> {
                    if (doers.contains(answer.call())) {
                        wrong.put("told released", "and there is an effect of the call");
                    }
                }
                case UNKNOWN -> {
                    if (answer.text().contains("the work ended the transaction")) {
                        wrong.put("told", "that the work ended its transaction, which it did not");
                    }
                }
                case IN_PROGRESS -> {}
            }
        }
        wrong.forEach((what, how) -> faults.add(key + ": " + what + " " + how + "; effects " + effects + ", answers "
                + told.get(key) + ", at the end " + last));
    }
}
