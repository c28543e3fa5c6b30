package io.counterpoint.idempotency.examples.appplatform.usecase;

import java.sql.SQLException;

/** The request is invalid or cannot be fulfilled. Nothing was changed, and the key can be used again. */
public final class Refusal extends Exception {
    private static final long serialVersionUID = 1L;

    private final int status;
    private final String code;

    /** Creates a refusal with its HTTP status and a machine-readable code. */
    public Refusal(int status, String code, String message) {
        super(message);
        this.status = status;
        this.code = code;
    }

    public static Refusal charged() {
        return new Refusal(
                422,
                "transaction-charged",
                "This transaction was charged before, but its response is no longer stored. It is not charged again.");
    }

    public static Refusal payment() {
        return new Refusal(
                402, "payment-refused", "The payment provider refused this transaction. The quota is unchanged.");
    }

    public static Refusal providerAway() {
        return new Refusal(
                503, "provider-away", "The payment provider could not be reached. Retry with the same transaction id.");
    }

    /**
     * The app has been returned to draft, so the client can try again; if even that failed, the publication is resumed
     * later.
     */
    public static Refusal publicationFailed(Throwable why) {
        Refusal refusal = new Refusal(
                500,
                "publication-failed",
                "Publishing failed: " + kind(why) + ". The app is a draft again or will be resumed soon. Retry later.");
        Throwable unused = refusal.initCause(why);
        return refusal;
    }

    /** The type of the root cause, without its message, because drivers repeat values in their messages. */
    public static String kind(Throwable thrown) {
        if (thrown instanceof Refusal) {
            return String.valueOf(thrown.getMessage());
        }
        Throwable root = thrown;
        for (Throwable at = thrown; at != null; at = at.getCause()) {
            root = at;
            if (at instanceof SQLException sql && sql.getSQLState() != null) {
                return "the database refused it with SQLSTATE " + sql.getSQLState();
            }
        }
        return root.getClass().getSimpleName();
    }

    public static Refusal missing(String what) {
        return new Refusal(404, "not-found", "There is no such " + what + ".");
    }

    public static Refusal quota(long left) {
        return new Refusal(402, "quota-exhausted", "The remaining quota is " + left + ".");
    }

    public int status() {
        return status;
    }

    public String code() {
        return code;
    }
}
