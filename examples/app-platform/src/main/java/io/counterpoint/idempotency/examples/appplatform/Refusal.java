package io.counterpoint.idempotency.examples.appplatform;

/** The domain does not want what was asked for. Nothing was changed, and the key can be used again. */
final class Refusal extends Exception {
    private static final long serialVersionUID = 1L;

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

    static Refusal nobody() {
        return new Refusal(401, "caller-unknown", "The header Workspace has to be the number of a workspace.");
    }

    static Refusal missing(String what) {
        return new Refusal(404, "not-found", "There is no such " + what + " in this workspace.");
    }

    static Refusal elsewhere(String message) {
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
