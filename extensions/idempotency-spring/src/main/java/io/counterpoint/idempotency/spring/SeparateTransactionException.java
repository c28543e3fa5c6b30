package io.counterpoint.idempotency.spring;

import java.util.Set;
import org.springframework.transaction.IllegalTransactionStateException;

/**
 * Thrown when the work of an operation tries to do something in a separate transaction, which would persist even if the
 * operation fails. That transaction has not begun. If the work lets this exception propagate, the operation fails.
 */
public final class SeparateTransactionException extends IllegalTransactionStateException {

    private static final long serialVersionUID = 1L;

    private SeparateTransactionException(String message) {
        super(message);
    }

    static SeparateTransactionException suspended() {
        return new SeparateTransactionException(
                "The work of an idempotent operation tried to suspend its transaction: by REQUIRES_NEW or"
                        + " NOT_SUPPORTED, or by a transaction manager other than the store's. The work behind it"
                        + " would commit independently. Use REQUIRED and the store's transaction manager, or do it"
                        + " after the operation; to commit it independently, run it in SeparateTransaction.call under"
                        + " a name that the store allows.");
    }

    static SeparateTransactionException onAnotherThread(String what) {
        return new SeparateTransactionException("The work of an idempotent operation tried to hand " + what + " to"
                + " another thread, where it would commit independently. Call it after the operation, or from a"
                + " listener after the commit. To commit it independently, call it in SeparateTransaction.call under"
                + " a name that the store allows.");
    }

    static SeparateTransactionException notAllowed(String name, Set<String> allowed) {
        return new SeparateTransactionException("The store allows the separate transactions " + allowed + ", but not "
                + name + ". Allow it with SpringIdempotencyStore.allowingSeparateTransactions.");
    }
}
