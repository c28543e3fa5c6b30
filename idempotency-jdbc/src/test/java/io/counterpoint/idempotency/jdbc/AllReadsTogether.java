package io.counterpoint.idempotency.jdbc;

/** A store whose every read goes in company, be there a crowd or not. */
public final class AllReadsTogether {

    private AllReadsTogether() {}

    public static JdbiIdempotencyStore of(JdbiIdempotencyStore store) {
        return store.withCoalescedReads(0);
    }
}
