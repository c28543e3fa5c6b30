package io.counterpoint.idempotency.mariadb;

import io.counterpoint.idempotency.spi.LockScope;
import java.util.List;
import java.util.Optional;

/** Where the SQL of MariaDB and MySQL differs. */
enum Server {
    MARIADB,
    /** A statement that begins a transaction here waits until this node has applied what all nodes have committed. */
    GALERA,
    MYSQL,
    /** A primary that is cut off from its group may not notice that another one leads: it locks, and cannot commit. */
    MYSQL_GROUP;

    /** In a block that begins a transaction. The server tells the driver. */
    static final String AUTOCOMMIT_OFF = "SET autocommit = 0";

    /** Reads, updates, deletions and inserts. */
    private static final String CURRENT = "wsrep_sync_wait=7";

    /** A statement under a bound for locks, where the statement itself can say so. */
    String bounded(long seconds, String sql) {
        return switch (this) {
            case MARIADB -> "SET STATEMENT innodb_lock_wait_timeout=" + seconds + " FOR " + sql;
            case GALERA -> "SET STATEMENT innodb_lock_wait_timeout=" + seconds + ", " + CURRENT + " FOR " + sql;
            case MYSQL, MYSQL_GROUP -> sql;
        };
    }

    /** A statement that sees what any node had committed when it was sent. On one server every statement does. */
    String current(String sql) {
        return this == GALERA ? "SET STATEMENT " + CURRENT + " FOR " + sql : sql;
    }

    /** Whether {@link #bounded} says it. Otherwise the bound is a setting of the session. */
    boolean boundsStatements() {
        return !isMySql();
    }

    /**
     * Statements in one round trip, where the server runs blocks. The first that fails ends the block. MySQL has none outside
     * of routines. On Galera a conflict can end a transaction at any time, so each statement goes alone.
     */
    Optional<String> block(String... statements) {
        return this == MARIADB ? Optional.of(blockOf(statements)) : Optional.empty();
    }

    static String blockOf(String... statements) {
        return "BEGIN NOT ATOMIC " + String.join("; ", statements) + "; END";
    }

    /** Whether the server tells its own session that a transaction has begun. */
    boolean showsTransactions() {
        return !isMySql();
    }

    /** Whether it may roll a transaction back while no statement runs, so that one that sets a savepoint does not show it. */
    boolean rollsBackBetweenStatements() {
        return isMySql();
    }

    boolean isMySql() {
        return this == MYSQL || this == MYSQL_GROUP;
    }

    LockScope lockScope() {
        return switch (this) {
            case MARIADB, MYSQL -> LockScope.GLOBAL;
            case MYSQL_GROUP -> LockScope.PRIMARY;
            case GALERA -> LockScope.NODE;
        };
    }

    /** Whether another node than this session's can lead for the same key, and does not see this session's locks. */
    boolean isOneOfMany() {
        return this == GALERA;
    }

    /** Reads what was committed last, and never waits. */
    String sharedLock() {
        return isMySql() ? " FOR SHARE NOWAIT" : " LOCK IN SHARE MODE NOWAIT";
    }

    String schemaFile() {
        return isMySql() ? "mysql.sql" : "mariadb.sql";
    }

    /** The call that makes its dialect. */
    String factory() {
        return switch (this) {
            case MARIADB -> "mariaDb()";
            case GALERA -> "galera()";
            case MYSQL -> "mySql()";
            case MYSQL_GROUP -> "mySqlGroup()";
        };
    }

    String product() {
        return isMySql() ? "MySQL" : "MariaDB";
    }

    /** A collation that compares exactly, also spaces at the end. */
    String collation() {
        return isMySql() ? "utf8mb4_0900_bin" : "utf8mb4_nopad_bin";
    }

    /** The first version that has what the statements use. */
    List<Integer> firstVersion() {
        return isMySql() ? List.of(8, 0, 17) : List.of(10, 6, 0);
    }
}
