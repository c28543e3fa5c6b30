package io.counterpoint.idempotency.benchmarks;

import org.jspecify.annotations.Nullable;

/**
 * One way to create a group under a key.
 *
 * @param name what tables call it
 * @param floor the name of the same statements written by hand; null if this is one, or if there is none
 * @param guarantee in one line, what a caller may rely on, and what not
 * @param action the call that is measured
 */
record Variant(String name, @Nullable String floor, String guarantee, Action action) {

    private static final String REPLAY = ", a replay";

    /** What the replays of a variant are called. */
    static String replay(String name) {
        return name + REPLAY;
    }

    /** The same for keys that have their answer. */
    Variant replaying() {
        return new Variant(replay(name), floor == null ? null : replay(floor), guarantee, action);
    }

    boolean isReplay() {
        return name.endsWith(REPLAY);
    }

    /** One call, by the thread that waits for its answer. */
    @FunctionalInterface
    interface Action {
        Answer call(String key) throws Exception;
    }

    /** What a call said. */
    enum Answer {
        EXECUTED,
        REPLAYED,
        IN_PROGRESS
    }
}
