package io.counterpoint.idempotency.jdbc.session;

import java.sql.Connection;
import java.util.OptionalInt;
import java.util.function.BooleanSupplier;

/**
 * The options of a store that its views may change.
 *
 * @param isolation of domain transactions, as {@link Connection#setTransactionIsolation} names it; empty: that of the connection
 * @param relaxedClaims whether the claims of CLAIM_FIRST may commit asynchronously
 * @param boundedBySession whether claims in domain transactions wait as long as the session's own bound allows
 * @param durableReplays whether a follower's answer waits for a commit of its own
 * @param turns whether a transaction without a claim asks for its key's turn
 * @param insideForeignTransaction whether a transaction that the store does not know is open on this thread
 */
public record StoreOptions(
        OptionalInt isolation,
        boolean relaxedClaims,
        boolean boundedBySession,
        boolean durableReplays,
        boolean turns,
        BooleanSupplier insideForeignTransaction) {

    public static final StoreOptions DEFAULT =
            new StoreOptions(OptionalInt.empty(), true, false, false, false, () -> false);
}
