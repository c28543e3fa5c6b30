package io.counterpoint.idempotency.torture;

import java.util.Locale;

/** The isolation level at which all sessions of a server begin. */
enum Isolation {
    READ_COMMITTED,
    REPEATABLE_READ;

    /** As HikariCP names it. */
    String ofPool() {
        return "TRANSACTION_" + name();
    }

    /** As on a command line, and as in the variables of MariaDB and MySQL. */
    String option() {
        return name().toLowerCase(Locale.ROOT).replace('_', '-');
    }
}
