package io.counterpoint.idempotency.spring;

import java.util.function.Supplier;

/**
 * Part of the work that deliberately commits independently. Its effects stand even if the operation fails, and there
 * is one for each run of the work. It takes a second connection while the operation holds its own.
 */
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
        SpringConnection current = SpringConnection.current();
        return current == null ? code.get() : current.<T>separately(name, code);
    }

    /**
     * Like {@link #call}, without a result.
     *
     * @param name as there
     * @param code as there
     * @throws SeparateTransactionException as there
     */
    public static void run(String name, Runnable code) {
        SeparateTransaction.<Boolean>call(name, () -> {
            code.run();
            return true;
        });
    }

    /**
     * Refuses what would commit on its own, where the work of an operation asks for it. For code that hands calls to
     * another thread, which has no part in the operation's transaction. It does nothing outside of an operation's work,
     * after the operation's commit, and inside of {@link #call}.
     *
     * @param what a name for the message, such as that of an asynchronous method
     * @throws SeparateTransactionException if the work of an operation runs on this thread
     */
    public static void requireOutsideOfWork(String what) {
        SpringConnection current = SpringConnection.current();
        if (current != null && current.isWorking()) {
            throw SeparateTransactionException.onAnotherThread(what);
        }
    }
}
