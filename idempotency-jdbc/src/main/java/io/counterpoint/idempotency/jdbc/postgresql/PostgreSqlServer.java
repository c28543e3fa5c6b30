package io.counterpoint.idempotency.jdbc.postgresql;

import io.counterpoint.idempotency.MisuseException;
import io.counterpoint.idempotency.internal.Symptom;
import io.counterpoint.idempotency.jdbc.session.Sql;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/** Determines from the version text whether a server that speaks PostgreSQL's protocol is PostgreSQL. */
public final class PostgreSqlServer {

    private static final int SHOWN = 60;

    /** Servers that claim to be PostgreSQL, and why a key would not be safe there. */
    private static final Map<String, String> UNFIT = Map.of(
            "ShardingSphere", "it commits each database separately",
            "Redshift", "it does not enforce primary keys, so a key could be claimed twice",
            "Greenplum", "its segments lock independently, and an update locks the whole table",
            "openGauss", "it has no ON CONFLICT, so rejecting a claim would raise an error",
            "GaussDB", "it has no ON CONFLICT, so rejecting a claim would raise an error",
            "Materialize", "it has no read-write transactions",
            "RisingWave", "it has no read-write transactions");

    /**
     * Servers that lack what the statements need, by a part of their version text. This library is not tested on them.
     */
    private static final Map<String, String> WITHOUT_DIALECT =
            Map.of("CockroachDB", "CockroachDB", "-YB-", "YugabyteDB");

    /** Amazon Aurora DSQL claims to be PostgreSQL. Its host names contain this. */
    private static final String DSQL = ".dsql.";

    /** Other servers may lack the setting and then have no row for it. */
    private static final String QUESTION =
            "SELECT version(), (SELECT setting FROM pg_catalog.pg_settings WHERE name = 'client_min_messages')";

    /**
     * Encodings that cover all characters. With any other, a failure that contains an unsupported character would never
     * be recorded, and every retry would run the work again. SQL_ASCII means no encoding: it stores the bytes as they
     * are.
     */
    private static final Set<String> COMPLETE = Set.of("UTF8", "SQL_ASCII");

    /** Levels above a warning. Versions before 12 report the last two. */
    private static final Set<String> WITHOUT_WARNINGS = Set.of("error", "fatal", "panic");

    private PostgreSqlServer() {}

    /**
     * A PostgreSQL session.
     *
     * @param messages the minimum level of server messages that it receives
     */
    public record Session(String messages) {

        /**
         * Returns what is wrong with it: PostgreSQL warns when it stops waiting for its standby, and the warning would
         * be lost.
         */
        Optional<String> fault() {
            return !WITHOUT_WARNINGS.contains(messages)
                    ? Optional.empty()
                    : Optional.of("client_min_messages is " + messages + ", expected warning or a lower level:"
                            + " otherwise a commit that did not reach its standby goes unnoticed. Set it to warning"
                            + " for the sessions of this store, by ALTER ROLE … SET client_min_messages = warning, by"
                            + " ALTER DATABASE, or in the options of the URL");
        }

        /** Rejects a session with a fault before a call. */
        public void requireFit() {
            fault().ifPresent(fault -> {
                throw new MisuseException("The session cannot store idempotency records: " + fault + ".");
            });
        }
    }

    /** Returns the session of a connection. Rejects servers that are not PostgreSQL, by name. */
    public static Session of(Connection connection) throws SQLException {
        String product = connection.getMetaData().getDatabaseProductName();
        if (!product.equals("PostgreSQL")) {
            throw new MisuseException(
                    "Expected PostgreSQL, found " + product + ": create the store for that database.");
        }
        if (String.valueOf(connection.getMetaData().getURL()).contains(DSQL)) {
            throw unfit("Amazon Aurora DSQL", "its locks make no session wait, so a concurrent leader goes unnoticed");
        }
        try (Statement statement = connection.createStatement();
                ResultSet row = statement.executeQuery(QUESTION)) {
            row.next();
            requirePostgreSql(String.valueOf(row.getString(1)));
            return new Session(String.valueOf(row.getString(2)));
        }
    }

    private static void requirePostgreSql(String version) {
        for (Map.Entry<String, String> server : UNFIT.entrySet()) {
            if (version.contains(server.getKey())) {
                throw unfit(server.getKey(), server.getValue());
            }
        }
        for (Map.Entry<String, String> server : WITHOUT_DIALECT.entrySet()) {
            if (version.contains(server.getKey())) {
                throw withoutDialect("There is no dialect for " + server.getValue() + ", which lacks features that"
                        + " PostgreSQL's statements need");
            }
        }
        if (!version.startsWith("PostgreSQL")) {
            throw withoutDialect("Expected PostgreSQL, found the version '"
                    + version.substring(0, Math.min(SHOWN, version.length())) + "'");
        }
    }

    /** Returns what is wrong with the encoding of the database. */
    static Optional<String> encodingFault(Connection connection) throws SQLException {
        return encodingFault(String.valueOf(Sql.single(connection, "SHOW server_encoding")));
    }

    private static Optional<String> encodingFault(String encoding) {
        return COMPLETE.contains(encoding)
                ? Optional.empty()
                : Optional.of("the encoding of its database is " + encoding + ", which cannot represent most"
                        + " characters of keys and failures: use a database created with ENCODING 'UTF8'");
    }

    /** Rejects such a database before a call. The driver may not know its encoding. */
    static void requireEncoding(@Nullable String encoding) {
        Optional<String> fault = encoding == null ? Optional.empty() : encodingFault(encoding);
        if (fault.isPresent()) {
            throw new MisuseException("The table cannot store idempotency records: " + fault.get() + ".");
        }
    }

    /** Returns what prevents its sessions from writing. */
    static Optional<String> writeFault(Connection connection) throws SQLException {
        return "on".equals(Sql.single(connection, "SHOW transaction_read_only"))
                ? Optional.of(
                        "transaction_read_only is on, as on a standby or with default_transaction_read_only, so no"
                                + " claim can be stored: connect to the primary, with targetServerType=primary in the"
                                + " URL, as a user whose sessions may write")
                : Optional.empty();
    }

    private static MisuseException unfit(String server, String because) {
        return new MisuseException(
                server + " cannot store idempotency records: " + because + ". Use a different database.");
    }

    private static MisuseException withoutDialect(String why) {
        return new MisuseException(Symptom.DATABASE_REFUSED.of(
                why + ". Use PostgreSQL, or write a dialect and run its contract on that server, starting from the"
                        + " template in docs/add-a-database.md."));
    }
}
