package io.counterpoint.idempotency.examples.appplatform.page;

/** What was asked for is not possible now, or was not understood. Nothing was done. */
final class Refused extends Exception {
    private static final long serialVersionUID = 1L;

    private final int status;

    private Refused(int status, String message) {
        super(message);
        this.status = status;
    }

    static Refused malformed(String message) {
        return new Refused(400, message);
    }

    static Refused unknown(String message) {
        return new Refused(404, message);
    }

    static Refused notNow(String message) {
        return new Refused(409, message);
    }

    int status() {
        return status;
    }
}
