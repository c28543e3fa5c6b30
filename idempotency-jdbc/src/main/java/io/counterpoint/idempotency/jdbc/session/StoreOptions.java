package io.counterpoint.idempotency.jdbc.session;

import java.util.Optional;
import java.util.function.BooleanSupplier;
import java.util.function.Supplier;
import org.jdbi.v3.core.transaction.TransactionIsolationLevel;

/**
 * The options of a store that its views may change.
 *
 * @param isolation of domain transactions; empty: that of the connection
 * @param relaxedClaims whether the claims of CLAIM_FIRST may commit asynchronously
 * @param coalescing how reads share statements, if they do
 * @param insideForeignTransaction whether a transaction that the store does not know is open on this thread
 */
public record StoreOptions(
        Optional<TransactionIsolationLevel> isolation,
        boolean relaxedClaims,
        Optional<Coalescing> coalescing,
        BooleanSupplier insideForeignTransaction) {

    public static final StoreOptions DEFAULT = new StoreOptions(Optional.empty(), true, Optional.empty(), () -> false);

    /**
     * How reads share statements.
     *
     * @param few how many callers read for themselves
     * @param database names the database of the calling thread
     */
    public record Coalescing(int few, Supplier<?> database) {}

    public StoreOptions withIsolation(TransactionIsolationLevel level) {
        return new StoreOptions(Optional.of(level), relaxedClaims, coalescing, insideForeignTransaction);
    }

    public StoreOptions withDurableClaims() {
        return new StoreOptions(isolation, false, coalescing, insideForeignTransaction);
    }

    public StoreOptions withCoalescing(Coalescing other) {
        return new StoreOptions(isolation, relaxedClaims, Optional.of(other), insideForeignTransaction);
    }

    /** Each question that was given before is asked too. */
    public StoreOptions refusingInside(BooleanSupplier foreignTransaction) {
        return new StoreOptions(
                isolation,
                relaxedClaims,
                coalescing,
                () -> insideForeignTransaction.getAsBoolean() || foreignTransaction.getAsBoolean());
    }
}
