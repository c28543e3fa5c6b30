package io.counterpoint.idempotency.jackson;

/**
 * Thrown for a stored result with a version that this codec cannot read, because newer code wrote it or it is too old.
 */
public final class UnknownVersionException extends JsonResultException {
    private static final long serialVersionUID = 1L;

    /** The version of the stored result. */
    private final int version;

    UnknownVersionException(int version, String message) {
        super(message);
        this.version = version;
    }

    /**
     * Returns the version of the stored result.
     *
     * @return the version
     */
    public int version() {
        return version;
    }
}
