package io.counterpoint.idempotency.mariadb;

import io.counterpoint.idempotency.spi.LockScope;
import java.util.List;
import java.util.Optional;

/** The differences between the SQL of MariaDB and MySQL. */
enum Server {
    MARIADB,
    /** A statement that begins a transaction waits until this node has applied what all nodes have committed. */
    GALERA,
    MYSQL,
    /** A primary that is cut off from its group may not notice that another one leads: it can lock but not commit. */
    MYSQL_GROUP;

    /** Used in a block that begins a transaction. The server notifies the driver. */
    static final String AUTOCOMMIT_OFF = "SET autocommit = 0";

    /** Reads, updates, deletions and inserts. */
    private static final String CURRENT = "wsrep_sync_wait=7";

    /** Returns a statement with a lock timeout, if the statement itself can contain it. */
    String bounded(long seconds, String sql) {
        return switch (this) {
            case MARIADB -> "SET STATEMENT innodb_lock_wait_timeout=" + seconds + " FOR " + sql;
            case GALERA -> "SET STATEMENT innodb_lock_wait_timeout=" + seconds + ", " + CURRENT + " FOR " + sql;
            case MYSQL, MYSQL_GROUP -> sql;
        };
    }

    /**
     * Returns a statement that sees everything that any node had committed when it was sent. On a single server, every
     * statement does.
     */
    String current(String sql) {
        return this == GALERA ? "SET STATEMENT " + CURRENT + " FOR " + sql : sql;
    }

    /** Whether {@link #bounded} includes the timeout. Otherwise it is a session setting. */
    boolean boundsStatements() {
        return !isMySql();
    }

    /**
     * Returns statements for one round trip, if the server supports blocks. The first that fails ends the block. MySQL
     * has no blocks outside routines. On Galera, a conflict can end a transaction at any time, so statements are sent
     * individually.
     */
    Optional<String> block(String... statements) {
        return this == MARIADB ? Optional.of(blockOf(statements)) : Optional.empty();
    }

    static String blockOf(String... statements) {
        return "BEGIN NOT ATOMIC " + String.join("; ", statements) + "; END";
    }

    /** Whether the server reveals to its own session that a transaction has begun. */
    boolean showsTransactions() {
        return !isMySql();
    }

    /**
     * Whether it may roll back a transaction while no statement runs, so that setting a savepoint does not reveal it.
     */
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

    /** Whether a different node, which does not see this session's locks, can lead for the same key. */
    boolean isOneOfMany() {
        return this == GALERA;
    }

    /** Reads what was committed last and never waits. */
    String sharedLock() {
        return isMySql() ? " FOR SHARE NOWAIT" : " LOCK IN SHARE MODE NOWAIT";
    }

    String schemaFile() {
        return isMySql() ? "mysql.sql" : "mariadb.sql";
    }

    /** The method that returns its dialect. */
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

    /** A collation that compares exactly, including trailing spaces. */
    String collation() {
        return isMySql() ? "utf8mb4_0900_bin" : "utf8mb4_nopad_bin";
    }

    /** The first version with everything that the statements use. */
    List<Integer> firstVersion() {
        return isMySql() ? List.of(8, 0, 17) : List.of(10, 6, 0);
    }
}
