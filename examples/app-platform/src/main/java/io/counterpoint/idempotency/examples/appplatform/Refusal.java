package io.counterpoint.idempotency.examples.appplatform;

import java.sql.SQLException;

/** What was asked for is not wanted, or not possible. Nothing was changed, and the key can be used again. */
final class Refusal extends Exception {
    private static final long serialVersionUID = 1L;

    static final String OPERATOR = "operator-only";

    private final int status;
    private final String code;

    private Refusal(int status, String code, String message) {
        super(message);
        this.status = status;
        this.code = code;
    }

    static Refusal malformed(String message) {
        return new Refusal(400, "malformed", message);
    }

    static Refusal transactionId(String message) {
        return new Refusal(400, "transaction-id-required", message);
    }

    static Refusal unstorable(String what) {
        return new Refusal(
                422,
                "text-unstorable",
                what + " has a NUL or half of a surrogate pair, which cannot be stored. Nothing was done.");
    }

    static Refusal charged() {
        return new Refusal(
                422,
                "transaction-charged",
                "This transaction was charged before, and its answer is kept no longer. It is not charged again.");
    }

    static Refusal payment() {
        return new Refusal(
                402, "payment-refused", "The payment provider has refused this transaction. The quota is as it was.");
    }

    static Refusal providerAway() {
        return new Refusal(
                503, "provider-away", "The payment provider was not reached. Ask again with the same transaction id.");
    }

    static Refusal closed() {
        return new Refusal(403, OPERATOR, "This is for operators, and no operator's token is configured.");
    }

    static Refusal noOperator() {
        return new Refusal(401, OPERATOR, "This is for operators: send Authorization: Bearer with the token.");
    }

    /** The state was put back, so that it can be tried again. */
    static Refusal publicationFailed(Throwable why) {
        return new Refusal(
                500,
                "publication-failed",
                "Publishing failed: " + kind(why) + ". The app is a draft again; try again.");
    }

    /** What kind of failure is at the bottom of it, without its text: drivers repeat values in theirs. */
    static String kind(Throwable thrown) {
        Throwable root = thrown;
        for (Throwable at = thrown; at != null; at = at.getCause()) {
            root = at;
            if (at instanceof SQLException sql && sql.getSQLState() != null) {
                return "the database refused it with SQLSTATE " + sql.getSQLState();
            }
        }
        return root.getClass().getSimpleName();
    }

    static Refusal nobody() {
        return new Refusal(401, "caller-unknown", "The header Workspace has to be the number of a workspace.");
    }

    static Refusal missing(String what) {
        return new Refusal(404, "not-found", "There is no such " + what + " in this workspace.");
    }

    static Refusal busy(String message) {
        return new Refusal(409, "busy", message);
    }

    static Refusal quota(long left) {
        return new Refusal(402, "quota-exhausted", "The quota has " + left + " left.");
    }

    int status() {
        return status;
    }

    String code() {
        return code;
    }
}
