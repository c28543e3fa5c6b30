package io.counterpoint.idempotency.jdbc;

import java.sql.Connection;

/** The isolation level of domain transactions. At lower levels, a lookup would find effects that are rolled back. */
public enum Isolation {
    /** Each statement sees what was committed before it began. */
    READ_COMMITTED(Connection.TRANSACTION_READ_COMMITTED),
    /** All statements see what was committed before the first one began. */
    REPEATABLE_READ(Connection.TRANSACTION_REPEATABLE_READ),
    /** Transactions behave as if they ran one after the other. */
    SERIALIZABLE(Connection.TRANSACTION_SERIALIZABLE);

    private final int level;

    Isolation(int level) {
        this.level = level;
    }

    int level() {
        return level;
    }
}
