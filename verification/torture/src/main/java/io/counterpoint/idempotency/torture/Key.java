package io.counterpoint.idempotency.torture;

/** The names of keys. */
final class Key {

    static final String SCOPE = "torture";

    private static final int BRIEF_IN = 10;

    private Key() {}

    /** The key of a number; in modes that have them, one in ten is brief. */
    static String of(Mode mode, long number) {
        return (mode.hasBriefKeys() && number % BRIEF_IN == 0 ? "b" : "k") + number;
    }

    /** Whether the key's records are purged soon, so that it begins a new life. */
    static boolean isBrief(String key) {
        return key.startsWith("b");
    }
}
