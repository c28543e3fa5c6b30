package io.counterpoint.idempotency.jdbc;

import java.sql.SQLException;
import java.util.Optional;
import org.postgresql.util.PSQLException;
import org.postgresql.util.ServerErrorMessage;

/** What the PostgreSQL driver tells of an error beyond its SQLSTATE, where that driver is present. */
final class PostgreSqlErrors {

    private static final boolean DRIVER_PRESENT = isDriverPresent();

    private PostgreSqlErrors() {}

    private static boolean isDriverPresent() {
        try {
            return PSQLException.class.getName() != null;
        } catch (NoClassDefFoundError absent) {
            return false;
        }
    }

    /** The constraint that was broken, if that is known. */
    static Optional<String> constraint(SQLException thrown) {
        return DRIVER_PRESENT ? Driver.constraint(thrown) : Optional.empty();
    }

    /** Loaded only where the driver is. */
    private static final class Driver {
        static Optional<String> constraint(SQLException thrown) {
            return thrown instanceof PSQLException error
                    ? Optional.ofNullable(error.getServerErrorMessage()).map(ServerErrorMessage::getConstraint)
                    : Optional.empty();
        }
    }
}
