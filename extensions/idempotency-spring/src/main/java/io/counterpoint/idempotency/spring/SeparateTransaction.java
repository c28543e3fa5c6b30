package io.counterpoint.idempotency.spring;

import java.util.function.Supplier;

/**
 * Part of the work that deliberately commits independently. Its effects persist even if the operation fails, and occur
 * once per run of the work. It takes a second connection while the operation holds its own.
 */
public final class SeparateTransaction {

    private SeparateTransaction() {}

    /**
     * Runs code that may suspend the operation's transaction. Outside an operation's work, it simply runs the code.
     *
     * @param <T> the type of the result
     * @param name a name that the store {@linkplain SpringIdempotencyStore#allowingSeparateTransactions allows}
     * @param code the code, which for example calls a service with {@code REQUIRES_NEW}
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
     * @param name as in {@link #call}
     * @param code as in {@link #call}
     * @throws SeparateTransactionException as in {@link #call}
     */
    public static void run(String name, Runnable code) {
        SeparateTransaction.<Boolean>call(name, () -> {
            code.run();
            return true;
        });
    }

    /**
     * Rejects a call that would commit independently if it is made by the work of an operation. Use it in code that
     * passes calls to another thread, which does not take part in the operation's transaction. It does nothing outside
     * an operation's work, after the operation's commit, or inside {@link #call}.
     *
     * @param what a name for the message, such as the name of an asynchronous method
     * @throws SeparateTransactionException if the work of an operation runs on this thread
     */
    public static void requireOutsideOfWork(String what) {
        SpringConnection current = SpringConnection.current();
        if (current != null && current.isWorking()) {
            throw SeparateTransactionException.onAnotherThread(what);
        }
    }
}
