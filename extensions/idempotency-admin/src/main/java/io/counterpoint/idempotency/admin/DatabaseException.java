package io.counterpoint.idempotency.admin;

import java.sql.SQLException;

/** The database did not answer, or refused a statement. */
public final class DatabaseException extends AdministrationException {
    private static final long serialVersionUID = 1L;

    DatabaseException(String doing, SQLException thrown) {
        super(
                doing + " failed (SQLSTATE " + thrown.getSQLState() + ", "
                        + thrown.getClass().getSimpleName() + ").",
                thrown);
    }
}
