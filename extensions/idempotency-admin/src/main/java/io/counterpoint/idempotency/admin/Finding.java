package io.counterpoint.idempotency.admin;

/**
 * Something that an examination found. It contains settings, counts and the names of columns and indexes. It contains
 * no key, scope, payload, password or URL.
 *
 * @param diagnosis what is wrong, with its remedy
 * @param found what was found
 */
public record Finding(Diagnosis diagnosis, String found) {

    /** The severity of a finding. */
    public enum Severity {
        /** A promise of the library does not hold, or will not. */
        ERROR,
        /** Calls may wait, cost or fail more than they have to, or records wait for an operator. */
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
     * What to do.
     *
     * @return a sentence
     */
    public String remedy() {
        return diagnosis.remedy();
    }
}
