package io.counterpoint.idempotency.consistency;

/**
 * The reply to COMMIT was lost, so it is unknown whether the transaction committed. It was not run again: that could do
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
                "The reply to COMMIT was lost, so it is unknown whether the transaction took effect: check before you"
                        + " run it again.",
                cause);
    }

    static CommitUnknownException ended() {
        return new CommitUnknownException(
                "The database's transaction had ended before its commit, because of a deadlock or because SQL text of"
                        + " the work committed or rolled back. Later statements are rolled back; whether earlier ones"
                        + " took effect is unknown. Check before you run it again, and let the work rethrow what the"
                        + " database throws.");
    }
}
