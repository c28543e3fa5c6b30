package io.counterpoint.idempotency.admin.cli;

/** What the process returns. */
enum ExitCode {
    /** All is done. */
    DONE(0),
    /** The examination found an error, or retries get something else than what was stated. */
    FOUND(1),
    /** The command line is wrong, or what it asks for is refused. Nothing was changed. */
    REFUSED(2),
    /** The database did not answer, or refused a statement. */
    DATABASE(3),
    /** There is no such record. */
    NOT_FOUND(4),
    /** Whether the record was changed is not known: look it up. */
    UNKNOWN(5);

    private final int number;

    ExitCode(int number) {
        this.number = number;
    }

    int number() {
        return number;
    }
}
