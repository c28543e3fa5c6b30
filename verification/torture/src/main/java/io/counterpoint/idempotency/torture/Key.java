package io.counterpoint.idempotency.torture;

/** The names of keys. */
final class Key {

    static final String SCOPE = "torture";

    private static final int BRIEF_IN = 10;
    private static final int CONTENDED_IN = 2;

    private Key() {}

    /**
     * The key with a number. In modes and engines that support this, some keys are brief and some are contended; keys
     * in batches are not contended, because the attempts of a batch share a transaction.
     */
    static String of(Mode mode, Engine engine, long number) {
        if (mode.hasBriefKeys() && number % BRIEF_IN == 0) {
            return "b" + number;
        }
        boolean mayContend = engine.losesTransactionsSilently() && !mode.isExternal() && !mode.hasBatches();
        return (mayContend && number % CONTENDED_IN == 1 ? "c" : "k") + number;
    }

    /** Whether the key's records are purged soon, so that the key begins a new life. */
    static boolean isBrief(String key) {
        return key.startsWith("b");
    }

    /** Whether the work for the key provokes deadlocks, and may end with a record that nobody runs again. */
    static boolean isContended(String key) {
        return key.startsWith("c");
    }
}
