package io.counterpoint.idempotency.jdbc.h2;

import io.counterpoint.idempotency.MisuseException;
import io.counterpoint.idempotency.jdbc.session.Sql;
import io.counterpoint.idempotency.jdbc.spi.RecordTable;
import io.counterpoint.idempotency.jdbc.spi.TableFacts;
import io.counterpoint.idempotency.jdbc.spi.TableFacts.Column;
import io.counterpoint.idempotency.jdbc.spi.TableFacts.Kind;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.ResultSetMetaData;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * What H2's catalogue says about the records' table. H2 has a setting for the case of its own names and keywords, too.
 */
final class H2Catalogue {

    private static final String NO_SUCH_TABLE = "42S0";
    private static final String NO_SUCH_SCHEMA = "90079";

    private H2Catalogue() {}

    static Optional<TableFacts> facts(Connection connection, RecordTable table) throws SQLException {
        String product = connection.getMetaData().getDatabaseProductName();
        if (!product.equals("H2")) {
            throw new MisuseException("Expected H2, found " + product + ": create the store for that database.");
        }
        Name name = resolved(connection, table);
        if (name == null) {
            return Optional.empty();
        }
        return Optional.of(new TableFacts(
                columns(connection, name),
                TableFacts.primaryKey(connection, name.schema(), name.table()),
                faults(connection, name)));
    }

    /** The table that a statement would use, resolved by H2 itself; null if there is none. */
    private static @Nullable Name resolved(Connection connection, RecordTable table) throws SQLException {
        try (Statement statement = connection.createStatement();
                ResultSet none = statement.executeQuery("SELECT * FROM " + table + " WHERE FALSE")) {
            ResultSetMetaData columns = none.getMetaData();
            return new Name(columns.getSchemaName(1), columns.getTableName(1));
        } catch (SQLException thrown) {
            String state = String.valueOf(thrown.getSQLState());
            if (state.startsWith(NO_SUCH_TABLE) || state.equals(NO_SUCH_SCHEMA)) {
                return null;
            }
            throw thrown;
        }
    }

    private static Map<String, Column> columns(Connection connection, Name name) throws SQLException {
        Map<String, Column> columns = new LinkedHashMap<>();
        try (PreparedStatement statement = connection.prepareStatement("""
                SELECT COLUMN_NAME, UPPER(DATA_TYPE), CHARACTER_MAXIMUM_LENGTH, UPPER(IS_NULLABLE), COLUMN_DEFAULT,
                    UPPER(IS_IDENTITY), UPPER(IS_GENERATED), UPPER(COLLATION_NAME)
                FROM INFORMATION_SCHEMA.COLUMNS WHERE TABLE_SCHEMA = ? AND TABLE_NAME = ?
                ORDER BY ORDINAL_POSITION
                """)) {
            statement.setString(1, name.schema());
            statement.setString(2, name.table());
            ResultSet rows = statement.executeQuery();
            while (rows.next()) {
                String type = rows.getString(2);
                String collation = rows.getString(8);
                boolean nullable = rows.getString(4).equals("YES");
                columns.put(
                        rows.getString(1).toLowerCase(Locale.ROOT),
                        new Column(
                                kind(type),
                                isNone(collation) ? type : type + " COLLATE " + collation,
                                rows.getLong(3),
                                nullable,
                                nullable
                                        || rows.getString(5) != null
                                        || !rows.getString(6).equals("NO")
                                        || !rows.getString(7).equals("NEVER"),
                                // CHARACTER ignores trailing spaces; Java collations treat even more texts as equal.
                                type.equals("CHARACTER VARYING") && collation != null && isNone(collation)));
            }
        }
        return columns;
    }

    private static boolean isNone(@Nullable String collation) {
        return collation == null || collation.equals("OFF");
    }

    private static Kind kind(String type) {
        return switch (type) {
            case "CHARACTER VARYING", "CHARACTER", "VARCHAR_IGNORECASE" -> Kind.TEXT;
            case "BINARY VARYING", "BINARY", "BINARY LARGE OBJECT" -> Kind.BYTES;
            case "UUID" -> Kind.UUID;
            case "TIMESTAMP WITH TIME ZONE" -> Kind.TIME;
            default -> Kind.OTHER;
        };
    }

    private static List<String> faults(Connection connection, Name name) throws SQLException {
        List<String> faults = new ArrayList<>();
        for (String type : name.all(
                connection,
                "SELECT UPPER(TABLE_TYPE) FROM INFORMATION_SCHEMA.TABLES WHERE TABLE_SCHEMA = ? AND TABLE_NAME = ?")) {
            if (type.endsWith("TEMPORARY")) {
                faults.add("it is " + type + ", so its records disappear with the session or the process: use an"
                        + " ordinary table");
            } else if (!type.equals("BASE TABLE")) {
                faults.add("it is a " + type + ": use an ordinary table");
            }
        }
        for (String trigger : name.all(connection, """
                SELECT TRIGGER_NAME FROM INFORMATION_SCHEMA.TRIGGERS
                WHERE EVENT_OBJECT_SCHEMA = ? AND EVENT_OBJECT_TABLE = ?
                """)) {
            faults.add("the trigger " + trigger + " could change or discard what is stored: DROP TRIGGER");
        }
        return faults;
    }

    /** A table's name as stored. */
    private record Name(String schema, String table) {
        List<String> all(Connection connection, String sql) throws SQLException {
            return Sql.all(connection, sql, schema, table);
        }
    }
}
