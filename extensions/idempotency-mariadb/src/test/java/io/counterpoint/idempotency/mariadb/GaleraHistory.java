package io.counterpoint.idempotency.mariadb;

import io.counterpoint.idempotency.mariadb.GaleraMode.Answer;
import io.counterpoint.idempotency.mariadb.GaleraMode.Kind;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Queue;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.stream.Collectors;
import org.jdbi.v3.core.Jdbi;

/** The answers that callers got, held against the database at the end. */
final class GaleraHistory {

    private record Effect(String key, String caller, String result) {}

    private final Map<String, Queue<Answer>> told = new ConcurrentHashMap<>();
    private final Map<String, Set<Integer>> nodes = new ConcurrentHashMap<>();

    void answered(String key, Answer answer) {
        told.computeIfAbsent(key, unused -> new ConcurrentLinkedQueue<>()).add(answer);
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
     * @param jdbi a node that has all of the state
     * @param last what each key is answered at the end, the same on every node
     */
    List<String> faults(Jdbi jdbi, Map<String, Answer> last) {
        Map<String, List<Effect>> effects = jdbi.withHandle(handle -> handle
                .createQuery("SELECT key_value, caller, result FROM effect")
                .map((row, context) -> new Effect(row.getString(1), row.getString(2), row.getString(3)))
                .list()
                .stream()
                .collect(Collectors.groupingBy(Effect::key)));
        List<String> faults = new ArrayList<>();
        last.forEach((key, answer) -> add(key, answer, effects.getOrDefault(key, List.of()), faults));
        return faults;
    }

    private void add(String key, Answer last, List<Effect> effects, List<String> faults) {
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
        for (Answer answer : told.getOrDefault(key, new ConcurrentLinkedQueue<>())) {
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
                case UNKNOWN -> {}
            }
        }
        wrong.forEach((what, how) -> faults.add(key + ": " + what + " " + how));
    }
}
