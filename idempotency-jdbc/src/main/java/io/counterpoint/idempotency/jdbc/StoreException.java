package io.counterpoint.idempotency.jdbc;

import io.counterpoint.idempotency.spi.Fault;
import java.sql.Connection;
import java.sql.SQLException;
import org.jspecify.annotations.Nullable;

/**
 * What the store itself throws: what it was doing, and what the database's answer proves. The database's own text may
 * contain keys and values, so it stays in the cause.
 */
final class StoreException extends RuntimeException {
    private static final long serialVersionUID = 1L;

    private final Fault fault;

    StoreException(String doing, Fault fault, @Nullable Throwable cause) {
        super(cause instanceof SQLException sql ? doing + ": " + DatabaseErrors.inShort(sql) : doing, cause);
        this.fault = fault;
    }

    /** What a failed statement or commit proves: an answer of the database counts only while the connection is open. */
    static StoreException of(String doing, Connection connection, SQLException thrown) {
        Fault fault = SqlErrorClassifier.classify(thrown);
        boolean open;
        try {
            open = !connection.isClosed();
        } catch (SQLException unknown) {
            open = false;
        }
        return new StoreException(doing, open ? fault : Fault.CONNECTION_LOST, thrown);
    }

    Fault fault() {
        return fault;
    }
}
