package io.counterpoint.idempotency.jdbc.session;

import io.counterpoint.idempotency.IdempotencyKey;
import io.counterpoint.idempotency.jdbc.spi.ErrorRules;
import io.counterpoint.idempotency.spi.Fault;
import io.counterpoint.idempotency.spi.StoreException;
import java.sql.Connection;
import java.sql.SQLException;

/** Converts database exceptions into store exceptions. */
public final class StoreFailures {

    private StoreFailures() {}

    /** There is no connection, or a new one is broken. A pool or a data source may throw anything. */
    public static StoreException noConnection(Exception thrown) {
        String why = thrown instanceof SQLException sql
                ? DatabaseErrors.state(sql)
                : thrown.getClass().getSimpleName();
        return new StoreException("No connection to the database: " + why, Fault.CONNECTION_LOST, thrown);
    }

    /** What a failed statement or commit proves: a reply from the database counts only while the connection is open. */
    public static StoreException of(String doing, ErrorRules rules, Connection connection, SQLException thrown) {
        boolean open;
        try {
            open = !connection.isClosed();
        } catch (SQLException unknown) {
            open = false;
        }
        return of(doing, open ? SqlErrorClassifier.classify(thrown, rules) : Fault.CONNECTION_LOST, rules, thrown);
    }

    /** The same for a step on a record. */
    static StoreException of(
            IdempotencyKey key, String doing, ErrorRules rules, Connection connection, SQLException thrown) {
        return of(key + ": could not " + doing + " the record", rules, connection, thrown);
    }

    /** Runs a step and converts exceptions of the database or driver. */
    public static <T> T unlessRefused(String doing, ErrorRules rules, Connection connection, Sql.Step<T> step) {
        try {
            return step.run();
        } catch (SQLException thrown) {
            throw of(doing, rules, connection, thrown);
        }
    }

    /** Uses the given fault, regardless of what the database's reply proves. */
    public static StoreException of(String doing, Fault fault, ErrorRules rules, SQLException thrown) {
        return new StoreException(doing + ": " + DatabaseErrors.inShort(thrown, rules), fault, thrown);
    }
}
