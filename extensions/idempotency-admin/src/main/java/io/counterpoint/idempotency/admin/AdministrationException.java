package io.counterpoint.idempotency.admin;

import java.sql.SQLException;
import org.jspecify.annotations.Nullable;

/** Why something could not be seen or done. Messages name no key, scope, payload or password. */
public abstract sealed class AdministrationException extends RuntimeException {
    private static final long serialVersionUID = 1L;

    private AdministrationException(String message, @Nullable Throwable cause) {
        super(message, cause);
    }

    /** What was asked for is not possible as it was asked. Nothing was changed. */
    public static final class RefusedException extends AdministrationException {
        private static final long serialVersionUID = 1L;

        /**
         * A refusal.
         *
         * @param message what was expected, what was found, and what to do
         */
        public RefusedException(String message) {
            super(message, null);
        }

        RefusedException(String message, Throwable cause) {
            super(message, cause);
        }
    }

    /** There is no record of that key or hash. Nothing was changed. */
    public static final class NotFoundException extends AdministrationException {
        private static final long serialVersionUID = 1L;

        /** There is none. */
        public NotFoundException() {
            super("There is no record of this key. It was never claimed, or it was purged.", null);
        }
    }

    /** The database did not answer, or refused a statement. */
    public static final class DatabaseException extends AdministrationException {
        private static final long serialVersionUID = 1L;

        DatabaseException(String doing, SQLException thrown) {
            super(
                    doing + " failed (SQLSTATE " + thrown.getSQLState() + ", "
                            + thrown.getClass().getSimpleName() + ").",
                    thrown);
        }
    }
}
