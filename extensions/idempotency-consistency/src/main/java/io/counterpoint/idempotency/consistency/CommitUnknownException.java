package io.counterpoint.idempotency.consistency;

/**
 * The commit was sent and its answer lost, so the transaction may be there or not. It was not run again: that could do
 * it twice. Or the work has ended its transaction, or has kept an exception by which the database ended it. Look at the
 * domain, or protect what is run with an idempotency key, which finds out by itself.
 */
public final class CommitUnknownException extends RuntimeException {
    private static final long serialVersionUID = 1L;

    private CommitUnknownException(String message) {
        super(message);
    }

    CommitUnknownException(Throwable cause) {
        super(
                "The commit was not answered, so it is unknown whether the transaction is there: look before it is run"
                        + " again.",
                cause);
    }

    static CommitUnknownException ended() {
        return new CommitUnknownException(
                "The database's transaction had ended before its commit. A deadlock does that,"
                        + " and so does SQL text of the work that commits or rolls back. What came after is rolled back, and"
                        + " what came before is not known: look before it is run again, and let what the database throws out"
                        + " of the work.");
    }
}
