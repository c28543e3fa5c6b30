package io.counterpoint.idempotency.admin;

import io.counterpoint.idempotency.spi.StoreException;
import java.sql.SQLException;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/** Thrown if the database did not respond or rejected a statement. */
public final class DatabaseException extends AdministrationException {
    private static final long serialVersionUID = 1L;

    /**
     * PostgreSQL's state; that of H2 and MariaDB; H2's two states for a name that exists in another schema and for an
     * empty database.
     */
    private static final Set<String> TABLE_MISSING = Set.of("42P01", "42S02", "42S03", "42S04");

    /** PostgreSQL's. On MariaDB and MySQL, a missing privilege has the same state as a syntax error. */
    private static final String PRIVILEGE_MISSING = "42501";

    DatabaseException(String doing, SQLException thrown) {
        super(
                doing + " failed (SQLSTATE " + thrown.getSQLState() + ", "
                        + thrown.getClass().getSimpleName() + ")." + remedy(thrown.getSQLState()),
                thrown);
    }

    /** Its message has the SQLSTATE, and none of the database's own text. */
    DatabaseException(StoreException thrown) {
        super(
                thrown.getMessage() + "."
                        + (thrown.getCause() instanceof SQLException refused ? remedy(refused.getSQLState()) : ""),
                thrown);
    }

    private static String remedy(@Nullable String state) {
        if (PRIVILEGE_MISSING.equals(state)) {
            return " The user lacks a privilege on the table: docs/operate-reference.md#commands lists what each command"
                    + " needs.";
        }
        return state != null && TABLE_MISSING.contains(state)
                ? " The table does not exist: check its name and schema, or create it. The command audit-schema prints"
                        + " the definition of the audit table."
                : "";
    }
}
