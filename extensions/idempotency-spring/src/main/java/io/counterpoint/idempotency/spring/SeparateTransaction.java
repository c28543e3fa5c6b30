package io.counterpoint.idempotency.spring;

import java.util.function.Supplier;

/**
 * Part of the work that deliberately commits independently. Its effects persist even if the operation fails, and are
 * repeated with each run of the work. It needs a second connection in addition to the operation's own.
 */
public final class SeparateTransaction {

    private SeparateTransaction() {}

    /**
     * Runs code that may suspend the operation's transaction. Outside an operation's work, it just runs the code.
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
     * @param name as in that method
     * @param code as in that method
     * @throws SeparateTransactionException as in that method
     */
    public static void run(String name, Runnable code) {
        SeparateTransaction.<Boolean>call(name, () -> {
            code.run();
            return true;
        });
    }

    /**
     * Rejects code that would commit independently, if it is called from the work of an operation. For code that hands
     * calls to another thread, which does not take part in the operation's transaction. It does nothing outside an
     * operation's work, after the operation's commit, and inside {@link #call}.
     *
     * @param what a name for the message, such as that of an asynchronous method
     * @throws SeparateTransactionException if the work of an operation is running on this thread
     */
    public static void requireOutsideOfWork(String what) {
        SpringConnection current = SpringConnection.current();
        if (current != null && current.isWorking()) {
            throw SeparateTransactionException.onAnotherThread(what);
        }
    }
}
