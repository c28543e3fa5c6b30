package io.counterpoint.idempotency.engine;

import java.util.Map;
import java.util.Optional;
import java.util.concurrent.ConcurrentHashMap;

/** Which definitions of operations share a name, though they look like different use cases. */
public final class Definitions {

    /** Names that are made anew for each call are no reason to run out of memory. */
    private static final int MOST = 1000;

    private final Map<String, String> first = new ConcurrentHashMap<>();

    /** By name; empty once it is reported. */
    private final Map<String, String> shared = new ConcurrentHashMap<>();

    /**
     * An operation is built.
     *
     * @param name its name
     * @param definition what two definitions of one use case have in common
     */
    public void add(String name, String definition) {
        String before = first.size() < MOST ? first.putIfAbsent(name, definition) : first.get(name);
        if (before != null && !before.equals(definition)) {
            shared.putIfAbsent(name, before + " and " + definition);
        }
    }

    /** The definitions that share a name. The first caller gets them. */
    Optional<String> toTell(String name) {
        String both = shared.getOrDefault(name, "");
        return both.isEmpty() || !shared.replace(name, both, "") ? Optional.empty() : Optional.of(both);
    }
}
