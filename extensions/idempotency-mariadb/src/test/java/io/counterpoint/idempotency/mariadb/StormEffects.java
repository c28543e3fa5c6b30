package io.counterpoint.idempotency.mariadb;

import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Queue;
import java.util.UUID;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.Collectors;
import org.jdbi.v3.core.Handle;
import org.jdbi.v3.core.Jdbi;

/** What work has done: rows of the domain's table in the cluster, and entries of a system outside of it. */
final class StormEffects {

    /** The call made it, and answers with the result. */
    record Effect(String key, String caller, String result) {}

    private final Map<String, Queue<Effect>> outside = new ConcurrentHashMap<>();

    /** How often the work of each key has run, in all calls. */
    private final Map<String, AtomicInteger> runs = new ConcurrentHashMap<>();

    /** No key of its own but a random one: a second effect shows, and is not refused by a conflict of two nodes. */
    static void createTable(Jdbi jdbi) {
        jdbi.useHandle(handle -> handle.execute("CREATE TABLE effect (id char(36) NOT NULL PRIMARY KEY,"
                + " key_value varchar(100) NOT NULL, caller char(36) NOT NULL, result char(36) NOT NULL)"));
    }

    /** Counts a run of the work of a key. */
    int countRun(String key) {
        return runs.computeIfAbsent(key, unused -> new AtomicInteger()).incrementAndGet();
    }

    void add(Handle handle, Effect effect) {
        handle.execute(
                "INSERT INTO effect (id, key_value, caller, result) VALUES (?, ?, ?, ?)",
                UUID.randomUUID().toString(),
                effect.key(),
                effect.caller(),
                effect.result());
    }

    void addOutside(Effect effect) {
        outside.computeIfAbsent(effect.key(), unused -> new ConcurrentLinkedQueue<>())
                .add(effect);
    }

    Optional<String> findOutside(String key) {
        return outside.getOrDefault(key, new ConcurrentLinkedQueue<>()).stream()
                .map(Effect::result)
                .findFirst();
    }

    /**
     * All of them, by key.
     *
     * @param jdbi a node that has all of the state
     */
    Map<String, List<Effect>> byKey(Jdbi jdbi) {
        List<Effect> all = jdbi.withHandle(handle -> handle.createQuery("SELECT key_value, caller, result FROM effect")
                .map((row, context) -> new Effect(row.getString(1), row.getString(2), row.getString(3)))
                .list());
        outside.values().forEach(all::addAll);
        return all.stream().collect(Collectors.groupingBy(Effect::key));
    }
}
