package io.counterpoint.idempotency.jdbc;

import java.sql.Connection;

/**
 * How far a domain transaction is isolated from others. With a weaker level, a lookup would find effects that are later
 * rolled back.
 */
public enum Isolation {
    /** Each statement sees what was committed before it. */
    READ_COMMITTED(Connection.TRANSACTION_READ_COMMITTED),
    /** All statements see what was committed before the first one. */
    REPEATABLE_READ(Connection.TRANSACTION_REPEATABLE_READ),
    /** As if transactions ran one after the other. */
    SERIALIZABLE(Connection.TRANSACTION_SERIALIZABLE);

    private final int level;

    Isolation(int level) {
        this.level = level;
    }

    int level() {
        return level;
    }
}
