package io.counterpoint.idempotency.admin;

/**
 * Something that an examination found. It shows settings, counts and names of columns and indexes, but no key, scope,
 * payload, password or URL.
 *
 * @param diagnosis what is wrong, with its remedy
 * @param found what was found
 */
public record Finding(Diagnosis diagnosis, String found) {

    /** The severity of a finding. */
    public enum Severity {
        /** A promise of the library does not hold or will be broken. */
        ERROR,
        /** Calls may wait, cost or fail more than necessary, or records are waiting for an operator. */
        WARNING
    }

    /**
     * Returns the name of the diagnosis, which does not change between versions.
     *
     * @return lower-case words with hyphens
     */
    public String code() {
        return diagnosis.code();
    }

    /**
     * Returns the severity of this finding.
     *
     * @return the severity
     */
    public Severity severity() {
        return diagnosis.severity();
    }

    /**
     * Returns what to do.
     *
     * @return a sentence
     */
    public String remedy() {
        return diagnosis.remedy();
    }
}
