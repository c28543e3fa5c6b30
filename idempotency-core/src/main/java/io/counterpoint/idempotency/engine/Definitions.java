package io.counterpoint.idempotency.engine;

import java.util.Map;
import java.util.Optional;
import java.util.concurrent.ConcurrentHashMap;

/** Detects operations that share a name although they look like different use cases. */
public final class Definitions {

    /** A limit, so that names generated for each call cannot exhaust memory. */
    private static final int MOST = 1000;

    private final Map<String, String> first = new ConcurrentHashMap<>();

    /** By name; empty once reported. */
    private final Map<String, String> shared = new ConcurrentHashMap<>();

    /**
     * Adds an operation that is built.
     *
     * @param name the name of the operation
     * @param definition what all definitions of one use case have in common
     */
    public void add(String name, String definition) {
        String before = first.size() < MOST ? first.putIfAbsent(name, definition) : first.get(name);
        if (before != null && !before.equals(definition)) {
            shared.putIfAbsent(name, before + " and " + definition);
        }
    }

    /** Returns the definitions that share a name, to the first caller only. */
    Optional<String> toTell(String name) {
        String both = shared.getOrDefault(name, "");
        return both.isEmpty() || !shared.replace(name, both, "") ? Optional.empty() : Optional.of(both);
    }
}
