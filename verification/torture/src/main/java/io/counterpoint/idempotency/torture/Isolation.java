package io.counterpoint.idempotency.torture;

import java.util.Locale;

/** The isolation level with which all sessions of a server begin. */
enum Isolation {
    READ_COMMITTED,
    REPEATABLE_READ;

    /** As HikariCP names it. */
    String ofPool() {
        return "TRANSACTION_" + name();
    }

    /** As on a command line. The variables of MariaDB and MySQL take it as well. */
    String option() {
        return name().toLowerCase(Locale.ROOT).replace('_', '-');
    }
}
