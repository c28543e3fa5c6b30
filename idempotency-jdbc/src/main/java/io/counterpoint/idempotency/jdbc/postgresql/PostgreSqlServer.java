package io.counterpoint.idempotency.jdbc.postgresql;

import java.sql.Connection;
import java.sql.SQLException;

/** The makers of servers that speak PostgreSQL, by the text that the server gives as its version. */
public enum PostgreSqlServer {
    POSTGRESQL,
    COCKROACH,
    YUGABYTE,
    REDSHIFT,
    UNKNOWN;

    private static final int SHOWN = 60;

    /** The server of a connection. */
    public static PostgreSqlServer of(Connection connection) throws SQLException {
        String product = connection.getMetaData().getDatabaseProductName();
        if (!product.equals("PostgreSQL")) {
            throw new IllegalStateException(
                    "Expected PostgreSQL, found " + product + ": make the store for that database.");
        }
        String version = PlainStatement.single(connection, "SELECT version()");
        return byVersion(version).orRefused(version);
    }

    static PostgreSqlServer byVersion(String version) {
        if (version.startsWith("CockroachDB")) {
            return COCKROACH;
        }
        if (!version.startsWith("PostgreSQL")) {
            return UNKNOWN;
        }
        if (version.contains("Redshift")) {
            return REDSHIFT;
        }
        return version.contains("-YB-") ? YUGABYTE : POSTGRESQL;
    }

    private PostgreSqlServer orRefused(String version) {
        return switch (this) {
            case POSTGRESQL, COCKROACH, YUGABYTE -> this;
            case REDSHIFT ->
                throw new IllegalStateException("Amazon Redshift cannot keep idempotency records: it does not enforce"
                        + " primary keys, so a key would be claimed twice. Use a database that does.");
            case UNKNOWN ->
                throw new IllegalStateException("Expected PostgreSQL, CockroachDB or YugabyteDB, found the version '"
                        + version.substring(0, Math.min(SHOWN, version.length()))
                        + "'. Name a dialect yourself, after its contract has passed on this server.");
        };
    }

    /** Whether it needs the plain dialect. */
    public boolean isPlain() {
        return this != POSTGRESQL;
    }

    /** Refuses a server that has not what the combined statements need. */
    static void requirePostgreSql(Connection connection) throws SQLException {
        PostgreSqlServer server = of(connection);
        if (server.isPlain()) {
            throw new IllegalStateException("Expected PostgreSQL, found " + server + ", which lacks what the statements"
                    + " need: make the store with PlainPostgreSqlDialect.create().");
        }
    }
}
