package io.counterpoint.idempotency.admin.cli;

/** The exit codes of the process. */
enum ExitCode {
    /** Success. */
    DONE(0),
    /** The examination found an error, or retries get something other than the stated outcome. */
    FOUND(1),
    /** The command line is invalid, or the request was rejected. Nothing was changed. */
    REFUSED(2),
    /** The database did not respond or rejected a statement. */
    DATABASE(3),
    /** There is no such record. */
    NOT_FOUND(4),
    /** It is unknown whether the record was changed: look it up. */
    UNKNOWN(5);

    private final int number;

    ExitCode(int number) {
        this.number = number;
    }

    int number() {
        return number;
    }
}
