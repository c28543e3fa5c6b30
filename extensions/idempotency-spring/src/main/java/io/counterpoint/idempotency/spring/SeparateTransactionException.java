package io.counterpoint.idempotency.spring;

import org.springframework.transaction.IllegalTransactionStateException;

/** The work of an operation tried to commit something on its own. Nothing of that has begun. */
public final class SeparateTransactionException extends IllegalTransactionStateException {

    private static final long serialVersionUID = 1L;

    SeparateTransactionException(String message) {
        super(message);
    }
}
