package io.counterpoint.idempotency.jdbc.spi;

import java.sql.Connection;
import java.sql.DatabaseMetaData;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Types;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/**
 * What the catalogue of a database says about the records' table.
 *
 * @param columns the columns by name, in lower case
 * @param primaryKey the columns of the primary key in order, in lower case; empty if there is none
 * @param faults what is wrong according to rules specific to that database: one sentence each, with the remedy
 */
public record TableFacts(Map<String, Column> columns, List<String> primaryKey, List<String> faults) {

    /**
     * Returns the facts from the driver's metadata, for a database where that is reliable. JDBC provides no information
     * about comparisons, so the dialect specifies which columns compare exactly. A type that JDBC does not know, such
     * as a UUID of 16 bytes, gets the kind of its bytes or {@link Kind#OTHER}: the dialect must replace that column.
     *
     * @param connection the connection
     * @param schema the table's schema as the database stores it; null if the driver has none
     * @param table the table's name as the database stores it
     * @param exact the columns that compare exactly, in lower case
     * @param faults what is wrong according to rules specific to that database
     * @return the facts; empty if there is no such table
     * @throws SQLException if they cannot be read
     */
    public static Optional<TableFacts> ofMetaData(
            Connection connection, @Nullable String schema, String table, Set<String> exact, List<String> faults)
            throws SQLException {
        DatabaseMetaData catalogue = connection.getMetaData();
        String escape = catalogue.getSearchStringEscape();
        Map<String, Column> columns = new LinkedHashMap<>();
        try (ResultSet rows = catalogue.getColumns(
                connection.getCatalog(),
                schema == null ? null : schema.replace("_", escape + "_"),
                table.replace("_", escape + "_"),
                "%")) {
            while (rows.next()) {
                String name = rows.getString("COLUMN_NAME").toLowerCase(Locale.ROOT);
                columns.put(name, column(rows, exact.contains(name)));
            }
        }
        return columns.isEmpty()
                ? Optional.empty()
                : Optional.of(new TableFacts(columns, primaryKey(connection, schema, table), faults));
    }

    private static Column column(ResultSet row, boolean exact) throws SQLException {
        String type = row.getString("TYPE_NAME");
        boolean nullable = row.getInt("NULLABLE") != DatabaseMetaData.columnNoNulls;
        boolean filled = nullable
                || row.getString("COLUMN_DEF") != null
                || "YES".equals(row.getString("IS_AUTOINCREMENT"))
                || "YES".equals(row.getString("IS_GENERATEDCOLUMN"));
        Kind kind = kind(type, row.getInt("DATA_TYPE"));
        return new Column(kind, type, row.getLong("COLUMN_SIZE"), nullable, filled, exact && kind == Kind.TEXT);
    }

    private static Kind kind(String name, int type) {
        if (name.equals("UUID") || name.equals("uuid")) {
            return Kind.UUID;
        }
        return switch (type) {
            case Types.VARCHAR, Types.CHAR, Types.NVARCHAR, Types.NCHAR -> Kind.TEXT;
            case Types.VARBINARY, Types.BINARY, Types.LONGVARBINARY, Types.BLOB -> Kind.BYTES;
            case Types.TIMESTAMP_WITH_TIMEZONE -> Kind.TIME;
            default -> Kind.OTHER;
        };
    }

    /**
     * Returns the columns of a primary key from the driver's metadata.
     *
     * @param connection the connection
     * @param schema the table's schema as the database stores it; null if the driver has none
     * @param table the table's name as the database stores it
     * @return the columns in order, in lower case; empty if there is none
     * @throws SQLException if they cannot be read
     */
    public static List<String> primaryKey(Connection connection, @Nullable String schema, String table)
            throws SQLException {
        Map<Integer, String> columns = new TreeMap<>();
        try (ResultSet rows = connection.getMetaData().getPrimaryKeys(connection.getCatalog(), schema, table)) {
            while (rows.next()) {
                columns.put(
                        rows.getInt("KEY_SEQ"), rows.getString("COLUMN_NAME").toLowerCase(Locale.ROOT));
            }
        }
        return List.copyOf(columns.values());
    }

    /** What a column can hold. */
    public enum Kind {
        /** Text of a bounded length. */
        TEXT("varchar"),
        /** Bytes. */
        BYTES("bytea on PostgreSQL, varbinary on H2"),
        /** A UUID, or the dialect's equivalent. */
        UUID("uuid"),
        /** A point in time. */
        TIME("timestamp with time zone"),
        /** Anything else. */
        OTHER("");

        private final String expected;

        Kind(String expected) {
            this.expected = expected;
        }

        /**
         * Returns what to change a column to.
         *
         * @return types, for messages
         */
        public String expected() {
            return expected;
        }
    }

    /**
     * One column.
     *
     * @param kind what it can hold
     * @param type its type as named by the database, with its collation
     * @param size the maximum number of characters or bytes
     * @param nullable whether it can be NULL
     * @param filled whether an insert that omits it can succeed
     * @param exact whether two values are equal only if all their characters are equal
     */
    public record Column(Kind kind, String type, long size, boolean nullable, boolean filled, boolean exact) {}
}
