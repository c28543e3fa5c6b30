package io.counterpoint.idempotency.consistency.check;

/** How bad it is if a check finds something; the exit code of a report follows the worst. */
public enum Severity {
    /** Worth knowing: exit code 0. */
    INFO(0),
    /** To be repaired: exit code 1. */
    WARNING(1),
    /** Wrong now: exit code 2. */
    ERROR(2);

    private final int exitCode;

    Severity(int exitCode) {
        this.exitCode = exitCode;
    }

    /**
     * The exit code of a program that found it.
     *
     * @return 0, 1 or 2; 3 is for a check that could not run
     */
    public int exitCode() {
        return exitCode;
    }
}
