package io.counterpoint.idempotency.examples.appplatform.http;

import io.counterpoint.idempotency.examples.appplatform.usecase.Refusal;

/** Refusals that are not decided by a use case, or that translate its outcome. */
public final class Refusals {

    public static final String OPERATOR = "operator-only";

    public static Refusal malformed(String message) {
        return new Refusal(400, "malformed", message);
    }

    public static Refusal transactionId(String message) {
        return new Refusal(400, "transaction-id-required", message);
    }

    public static Refusal unstorable(String what) {
        return new Refusal(
                422,
                "text-unstorable",
                what + " contains NUL or an unpaired surrogate, which cannot be stored. Nothing was done.");
    }

    public static Refusal closed() {
        return new Refusal(403, OPERATOR, "This is for operators only, and no operator's token is configured.");
    }

    public static Refusal noOperator() {
        return new Refusal(401, OPERATOR, "This is for operators only. Send Authorization: Bearer with the token.");
    }

    public static Refusal nobody() {
        return new Refusal(401, "caller-unknown", "The header Workspace must be the number of a workspace.");
    }

    public static Refusal busy(String message) {
        return new Refusal(409, "busy", message);
    }

    /** As far as is known, nothing was done; the client may retry. */
    public static Refusal pause(String message) {
        return new Refusal(503, "try-again", message);
    }

    public static Refusal missingPage() {
        return Refusal.missing("page");
    }

    /** The migration's state does not allow this. */
    public static Refusal migration(String message) {
        return new Refusal(422, "migration", message);
    }

    private Refusals() {}
}
