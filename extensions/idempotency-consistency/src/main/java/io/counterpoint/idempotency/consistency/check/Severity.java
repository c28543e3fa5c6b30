package io.counterpoint.idempotency.consistency.check;

/** The severity of a finding; the most severe one determines the exit code of a report. */
public enum Severity {
    /** Informational: exit code 0. */
    INFO(0),
    /** A warning: exit code 1. */
    WARNING(1),
    /** An error: exit code 2. */
    ERROR(2);

    private final int exitCode;

    Severity(int exitCode) {
        this.exitCode = exitCode;
    }

    /**
     * Returns the exit code for this severity.
     *
     * @return 0, 1 or 2; 3 is for a check that could not run
     */
    public int exitCode() {
        return exitCode;
    }
}
