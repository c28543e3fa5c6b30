package io.counterpoint.idempotency.jdbc.postgresql;

import java.sql.Connection;
import java.sql.SQLException;
import java.util.Map;

/** The makers of servers that speak PostgreSQL, by the text that the server gives as its version. */
public enum PostgreSqlServer {
    POSTGRESQL,
    COCKROACH,
    YUGABYTE;

    private static final int SHOWN = 60;

    /** Servers that say they are PostgreSQL: why a key would not be safe there. */
    private static final Map<String, String> UNFIT = Map.of(
            "Redshift", "it does not enforce primary keys, so a key would be claimed twice",
            "Greenplum", "its segments lock for themselves, and an update locks the whole table",
            "openGauss", "it has no ON CONFLICT, so a claim could not be refused without an error",
            "GaussDB", "it has no ON CONFLICT, so a claim could not be refused without an error",
            "Materialize", "it has no transactions that read and write",
            "RisingWave", "it has no transactions that read and write");

    /** Amazon Aurora DSQL says that it is PostgreSQL. Its hosts have this in their names. */
    private static final String DSQL = ".dsql.";

    /** The server of a connection. */
    public static PostgreSqlServer of(Connection connection) throws SQLException {
        String product = connection.getMetaData().getDatabaseProductName();
        if (!product.equals("PostgreSQL")) {
            throw new IllegalStateException(
                    "Expected PostgreSQL, found " + product + ": make the store for that database.");
        }
        if (String.valueOf(connection.getMetaData().getURL()).contains(DSQL)) {
            throw unfit("Amazon Aurora DSQL", "its locks keep nobody waiting, so a rival at work is not seen");
        }
        String version = PlainStatement.single(connection, "SELECT version()");
        for (Map.Entry<String, String> server : UNFIT.entrySet()) {
            if (version.contains(server.getKey())) {
                throw unfit(server.getKey(), server.getValue());
            }
        }
        return byVersion(version);
    }

    private static IllegalStateException unfit(String server, String because) {
        return new IllegalStateException(
                server + " cannot keep idempotency records: " + because + ". Use a database that does.");
    }

    private static PostgreSqlServer byVersion(String version) {
        if (version.startsWith("CockroachDB")) {
            return COCKROACH;
        }
        if (version.startsWith("PostgreSQL")) {
            return version.contains("-YB-") ? YUGABYTE : POSTGRESQL;
        }
        throw new IllegalStateException("Expected PostgreSQL, CockroachDB or YugabyteDB, found the version '"
                + version.substring(0, Math.min(SHOWN, version.length()))
                + "'. Name a dialect yourself, after its contract has passed on this server.");
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
