package io.counterpoint.idempotency.servlet;

/** Thrown when the handler has responded with a response that must not be stored. */
final class Ended extends Exception {
    private static final long serialVersionUID = 1L;

    private final Meaning meaning;

    Ended(int status, Meaning meaning) {
        super("The handler returned status " + status + ".", null, false, false);
        this.meaning = meaning;
    }

    Meaning meaning() {
        return meaning;
    }
}
