package io.counterpoint.idempotency.mariadb;

import io.counterpoint.idempotency.spi.LockScope;
import java.util.List;
import java.util.Optional;

/** Where the SQL of MariaDB and MySQL differs. */
enum Server {
    MARIADB("MariaDB", "mariadb.sql", 10, 6, 0, "utf8mb4_nopad_bin", " LOCK IN SHARE MODE NOWAIT") {
        @Override
        String bounded(long seconds, String sql) {
            return "SET STATEMENT innodb_lock_wait_timeout=" + seconds + " FOR " + sql;
        }
    },
    /** A statement that begins a transaction here waits until this node has applied what all nodes have committed. */
    GALERA("MariaDB", "mariadb.sql", 10, 6, 0, "utf8mb4_nopad_bin", " LOCK IN SHARE MODE NOWAIT") {
        @Override
        String bounded(long seconds, String sql) {
            return "SET STATEMENT innodb_lock_wait_timeout=" + seconds + ", " + CURRENT + " FOR " + sql;
        }

        @Override
        String current(String sql) {
            return "SET STATEMENT " + CURRENT + " FOR " + sql;
        }
    },
    MYSQL("MySQL", "mysql.sql", 8, 0, 17, "utf8mb4_0900_bin", " FOR SHARE NOWAIT") {
        @Override
        String bounded(long seconds, String sql) {
            return sql;
        }
    },
    /** A primary that is cut off from its group may not notice that another one leads: it locks, and cannot commit. */
    MYSQL_GROUP("MySQL", "mysql.sql", 8, 0, 17, "utf8mb4_0900_bin", " FOR SHARE NOWAIT") {
        @Override
        String bounded(long seconds, String sql) {
            return sql;
        }
    };

    /** Reads, updates, deletions and inserts. */
    private static final String CURRENT = "wsrep_sync_wait=7";

    private final String product;
    private final String schemaFile;
    private final int major;
    private final int minor;
    private final int patch;
    private final String collation;
    private final String sharedLock;

    Server(String product, String schemaFile, int major, int minor, int patch, String collation, String sharedLock) {
        this.product = product;
        this.schemaFile = schemaFile;
        this.major = major;
        this.minor = minor;
        this.patch = patch;
        this.collation = collation;
        this.sharedLock = sharedLock;
    }

    /** A statement under a bound for locks, where the statement itself can say so. */
    abstract String bounded(long seconds, String sql);

    /** A statement that sees what any node had committed when it was sent. On one server every statement does. */
    String current(String sql) {
        return sql;
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
        return this == MARIADB
                ? Optional.of("BEGIN NOT ATOMIC " + String.join("; ", statements) + "; END")
                : Optional.empty();
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
        return sharedLock;
    }

    String schemaFile() {
        return schemaFile;
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
        return product;
    }

    /** A collation that compares exactly, also spaces at the end. */
    String collation() {
        return collation;
    }

    /** The first version that has what the statements use. */
    List<Integer> firstVersion() {
        return List.of(major, minor, patch);
    }
}
