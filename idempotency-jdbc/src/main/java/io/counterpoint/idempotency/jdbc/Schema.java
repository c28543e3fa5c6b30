package io.counterpoint.idempotency.jdbc;

import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.sql.Connection;
import java.sql.DatabaseMetaData;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.TreeMap;
import java.util.TreeSet;
import org.jdbi.v3.core.Handle;
import org.jspecify.annotations.Nullable;

/** The table: made from the file that users copy, and checked before it is used. */
final class Schema {

    private static final List<String> COLUMNS = List.of(
            "scope",
            "operation",
            "key_value",
            "protocol",
            "state",
            "token",
            "fingerprint",
            "payload",
            "failure_code",
            "failure_message",
            "created_at",
            "updated_at",
            "expires_at");
    private static final List<String> KEY = List.of("scope", "operation", "key_value");

    private Schema() {}

    static void create(Handle handle, Dialect dialect) {
        try {
            handle.createScript(script(dialect)).execute();
            commit(handle);
        } catch (RuntimeException thrown) {
            // Two processes that create at once collide in the catalogue; what counts is what is there now.
            rollback(handle, thrown);
            try {
                check(handle, dialect);
            } catch (RuntimeException notThere) {
                notThere.addSuppressed(thrown);
                throw notThere;
            }
        }
    }

    static String script(Dialect dialect) {
        Table table = dialect.table;
        String index = table.name() + "_expires_at";
        return file(dialect.schemaFile())
                .replace("idempotency_record_expires_at", dialect.indexesAreQualified() ? table.qualify(index) : index)
                .replace("idempotency_record (", table.qualified() + " (");
    }

    private static String file(String name) {
        try (InputStream in = Schema.class.getResourceAsStream(name)) {
            if (in == null) {
                throw new IllegalStateException("The file " + name + " is missing from this library's jar.");
            }
            return new String(in.readAllBytes(), StandardCharsets.UTF_8);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    static void check(Handle handle, Dialect dialect) {
        Table table = dialect.table;
        try {
            DatabaseMetaData catalogue = handle.getConnection().getMetaData();
            List<String> columns = columns(catalogue, table);
            if (columns.isEmpty()) {
                throw refused(dialect, "there is no such table");
            }
            List<String> missing = new ArrayList<>(COLUMNS);
            missing.removeAll(columns);
            if (!missing.isEmpty()) {
                throw refused(dialect, "the columns " + missing + " are missing, found " + columns);
            }
            if (!keys(catalogue, table).contains(KEY)) {
                throw refused(
                        dialect,
                        "its primary key has to be " + KEY + ", in this order, found " + keys(catalogue, table)
                                + "; without it a key can be claimed twice");
            }
        } catch (SQLException thrown) {
            throw JdbiSession.failed("Could not check table " + table, handle.getConnection(), thrown);
        }
    }

    private static IllegalStateException refused(Dialect dialect, String why) {
        return new IllegalStateException("Table " + dialect.table + " cannot keep idempotency records: " + why
                + ". Create it with the file io/counterpoint/idempotency/jdbc/" + dialect.schemaFile()
                + " of this module, or call createTableIfMissing().");
    }

    private static List<String> columns(DatabaseMetaData catalogue, Table table) throws SQLException {
        TreeSet<String> columns = new TreeSet<>();
        try (ResultSet rows = catalogue.getColumns(
                null,
                schema(catalogue, table),
                stored(catalogue, table.name()).replace("_", escaped(catalogue)),
                null)) {
            while (rows.next()) {
                columns.add(rows.getString("COLUMN_NAME").toLowerCase(Locale.ROOT));
            }
        }
        return List.copyOf(columns);
    }

    /** The primary keys of the tables of that name, one for each schema if none is given. */
    private static List<List<String>> keys(DatabaseMetaData catalogue, Table table) throws SQLException {
        Map<String, Map<Integer, String>> bySchema = new TreeMap<>();
        try (ResultSet rows =
                catalogue.getPrimaryKeys(null, schema(catalogue, table), stored(catalogue, table.name()))) {
            while (rows.next()) {
                bySchema.computeIfAbsent(String.valueOf(rows.getString("TABLE_SCHEM")), schema -> new TreeMap<>())
                        .put(
                                rows.getInt("KEY_SEQ"),
                                rows.getString("COLUMN_NAME").toLowerCase(Locale.ROOT));
            }
        }
        return bySchema.values().stream()
                .map(columns -> List.copyOf(columns.values()))
                .toList();
    }

    private static String escaped(DatabaseMetaData catalogue) throws SQLException {
        return catalogue.getSearchStringEscape() + "_";
    }

    private static @Nullable String schema(DatabaseMetaData catalogue, Table table) throws SQLException {
        return table.schema().isEmpty() ? null : stored(catalogue, table.schema());
    }

    /** An unquoted identifier as the database stores it. */
    private static String stored(DatabaseMetaData catalogue, String name) throws SQLException {
        return catalogue.storesUpperCaseIdentifiers() ? name.toUpperCase(Locale.ROOT) : name.toLowerCase(Locale.ROOT);
    }

    private static void commit(Handle handle) {
        try {
            Connection connection = handle.getConnection();
            if (!connection.getAutoCommit()) {
                connection.commit();
            }
        } catch (SQLException thrown) {
            throw JdbiSession.failed("Could not create the table", handle.getConnection(), thrown);
        }
    }

    private static void rollback(Handle handle, RuntimeException because) {
        try {
            Connection connection = handle.getConnection();
            if (!connection.getAutoCommit()) {
                connection.rollback();
            }
        } catch (SQLException thrown) {
            because.addSuppressed(thrown);
        }
    }
}
