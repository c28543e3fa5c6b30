package io.counterpoint.idempotency.consistency;

/**
 * The commit was sent and its answer lost, so the transaction may be there or not. It was not run again: that could do
 * it twice. Look at the domain, or protect what is run with an idempotency key, which finds out by itself.
 */
public final class CommitUnknownException extends RuntimeException {
    private static final long serialVersionUID = 1L;

    CommitUnknownException(Throwable cause) {
        super(
                "The commit was not answered, so it is unknown whether the transaction is there: look before it is run"
                        + " again.",
                cause);
    }
}
