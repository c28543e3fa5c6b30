package io.counterpoint.idempotency.jakarta;

/** Refuses transactions of their own inside the work of an operation. */
final class SeparateTransactions {

    private SeparateTransactions() {}

    static void refuseInside(String method, String kind) {
        if (JtaConnection.isWorking()) {
            throw new SeparateTransactionException(method, kind);
        }
    }
}
