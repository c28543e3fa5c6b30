package io.counterpoint.idempotency.jackson3;

/**
 * A result that has no exact JSON, or a stored result that is not exactly one of its type. Messages name components and
 * never show values. For the same reason there is no cause, since Jackson's messages quote values.
 */
public class JsonResultException extends RuntimeException {
    private static final long serialVersionUID = 1L;

    JsonResultException(String message) {
        super(message);
    }

    /** A stored result of a version that this codec does not read: written by newer code, or too old. */
    public static final class UnknownVersionException extends JsonResultException {
        private static final long serialVersionUID = 1L;

        /** The version that the stored result has. */
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
}
