package io.counterpoint.idempotency.consistency;

/**
 * Thrown if the reply to COMMIT was lost, so that it is unknown whether the transaction committed. The work was not run
 * again, because that could repeat its effect. Also thrown if the work ended its transaction or swallowed an exception
 * with which the database ended it. Check the domain, or protect the work with an idempotency key, which resolves this
 * automatically.
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
