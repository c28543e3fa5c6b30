package io.counterpoint.idempotency.spring;

import java.util.Set;
import org.springframework.transaction.IllegalTransactionStateException;

/**
 * The work of an operation tried to do something in a transaction of its own, which would stand even if the operation
 * fails. Nothing of that has begun. If the work lets this pass, the operation has failed.
 */
public final class SeparateTransactionException extends IllegalTransactionStateException {

    private static final long serialVersionUID = 1L;

    private SeparateTransactionException(String message) {
        super(message);
    }

    static SeparateTransactionException suspended() {
        return new SeparateTransactionException("Expected the work of an idempotent operation to stay in its"
                + " transaction, found that it suspends it: by REQUIRES_NEW or NOT_SUPPORTED, or by a transaction"
                + " manager other than the store's. What follows would commit on its own. Use REQUIRED and the store's"
                + " transaction manager, or do it after the operation. If it has to commit on its own, run it in"
                + " SeparateTransaction.call, under a name that the store allows.");
    }

    static SeparateTransactionException onAnotherThread(String what) {
        return new SeparateTransactionException("Expected the work of an idempotent operation to stay in its"
                + " transaction, found that it hands " + what + " to another thread. That would commit on its own."
                + " Call it after the operation, or from a listener after the commit. If it has to commit on its own,"
                + " call it in SeparateTransaction.call, under a name that the store allows.");
    }

    static SeparateTransactionException notAllowed(String name, Set<String> allowed) {
        return new SeparateTransactionException("Expected the name of a separate transaction that the store allows,"
                + " which are " + allowed + ", found " + name
                + ". Allow it with SpringIdempotencyStore.allowingSeparateTransactions.");
    }
}
