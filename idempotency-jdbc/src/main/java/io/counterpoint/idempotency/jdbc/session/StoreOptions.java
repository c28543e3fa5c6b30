package io.counterpoint.idempotency.jdbc.session;

import java.sql.Connection;
import java.util.OptionalInt;
import java.util.function.BooleanSupplier;

/**
 * The options of a store that its views may change.
 *
 * @param isolation the isolation of domain transactions, as a constant of {@link Connection}; if empty, the
 *     connection's
 * @param relaxedClaims whether the claims of CLAIM_FIRST may commit asynchronously
 * @param boundedBySession whether claims in domain transactions wait as long as the session's own timeout allows
 * @param durableReplays whether a follower waits for its own commit before it returns a result
 * @param turns whether a transaction without a claim requests the turn for its key
 * @param insideForeignTransaction returns whether a transaction that the store does not know is open on this thread
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
