package io.counterpoint.idempotency.spring;

import java.util.function.Supplier;

/** A part of the work that commits on its own, on purpose: it stands even if the operation fails, and per run. */
public final class SeparateTransaction {

    private SeparateTransaction() {}

    /**
     * Runs code that may suspend the operation's transaction. Outside of an operation's work it only runs the code.
     *
     * @param <T> the type of the result
     * @param name a name that the store {@linkplain SpringIdempotencyStore#allowingSeparateTransactions allows}
     * @param code for example calls a service with {@code REQUIRES_NEW}
     * @return what the code returned
     * @throws SeparateTransactionException if the store of the running operation does not allow the name
     */
    public static <T> T call(String name, Supplier<? extends T> code) {
        return code.get();
    }

    /**
     * As {@link #call}, without a result.
     *
     * @param name as there
     * @param code as there
     * @throws SeparateTransactionException as there
     */
    public static void run(String name, Runnable code) {
        code.run();
    }
}
