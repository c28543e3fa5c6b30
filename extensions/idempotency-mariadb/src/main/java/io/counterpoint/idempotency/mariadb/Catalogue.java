package io.counterpoint.idempotency.mariadb;

import io.counterpoint.idempotency.jdbc.spi.RecordTable;
import io.counterpoint.idempotency.jdbc.spi.TableFacts;
import io.counterpoint.idempotency.jdbc.spi.TableFacts.Column;
import io.counterpoint.idempotency.jdbc.spi.TableFacts.Kind;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/** What the catalogue says about the records' table. {@link Settings} reads the server's settings. */
record Catalogue(Server server, RecordTable table) {

    private static final Set<String> KEY = Set.of("key_value", "scope", "operation");
    private static final Set<String> TIMES = Set.of("created_at", "updated_at", "expires_at");

    private static final String THIS_TABLE = " WHERE table_schema = COALESCE(?, DATABASE()) AND table_name = ?";

    /** The name of a level, which SQL spells with a space and the server's variables with a hyphen. */
    static String isolation(int level) {
        return switch (level) {
            case Connection.TRANSACTION_READ_UNCOMMITTED -> "READ UNCOMMITTED";
            case Connection.TRANSACTION_READ_COMMITTED -> "READ COMMITTED";
            case Connection.TRANSACTION_REPEATABLE_READ -> "REPEATABLE READ";
            case Connection.TRANSACTION_SERIALIZABLE -> "SERIALIZABLE";
            default -> throw new IllegalArgumentException("Expected an isolation level of JDBC, found " + level);
        };
    }

    Optional<TableFacts> facts(Connection connection) throws SQLException {
        new Settings(server).requireServer(connection);
        List<String> faults = new ArrayList<>();
        if (!isThere(connection, faults)) {
            return Optional.empty();
        }
        addPrivileges(connection, faults);
        addTriggers(connection, faults);
        if (server.isOneOfMany()
                && ClusterSettings.hasProvider(LockBound.single(connection, "SELECT @@wsrep_provider"))) {
            addTablesWithoutKeys(connection, faults);
        }
        Map<String, String> settings = Settings.values(connection);
        faults.addAll(new Settings(server).faults(connection, settings));
        return Optional.of(new TableFacts(columns(connection, faults), primaryKey(connection), faults));
    }

    private interface Row {
        void read(ResultSet row) throws SQLException;
    }

    private void forEach(Connection connection, String sql, Row reader) throws SQLException {
        try (PreparedStatement statement = connection.prepareStatement(sql)) {
            statement.setString(1, table.schema().isEmpty() ? null : table.schema());
            statement.setString(2, table.name());
            try (ResultSet rows = statement.executeQuery()) {
                while (rows.next()) {
                    reader.read(rows);
                }
            }
        }
    }

    private boolean isThere(Connection connection, List<String> faults) throws SQLException {
        List<String> found = new ArrayList<>();
        forEach(connection, "SELECT table_type, engine FROM information_schema.tables" + THIS_TABLE, row -> {
            String type = row.getString(1);
            String engine = String.valueOf(row.getString(2));
            found.add(type);
            if (!type.equals("BASE TABLE")) {
                faults.add("it is a " + type + ": use an ordinary table");
            } else if (!engine.equalsIgnoreCase("InnoDB")) {
                faults.add("its engine is " + engine + ", which has no transactions like those of InnoDB, so an"
                        + " effect could be committed without its record: ALTER TABLE " + table + " ENGINE = InnoDB");
            }
        });
        return !found.isEmpty();
    }

    /** Runs statements that affect no row but need one privilege each. Any other error of theirs proves nothing. */
    private void addPrivileges(Connection connection, List<String> faults) {
        for (String statement : List.of(
                "SELECT * FROM %s",
                "INSERT INTO %s (state) SELECT 'P' FROM DUAL", "UPDATE %s SET state = 'P'", "DELETE FROM %s")) {
            try {
                LockBound.execute(connection, statement.formatted(table) + " WHERE FALSE");
            } catch (SQLException thrown) {
                if (MariaDbErrors.DENIED.contains(thrown.getErrorCode())) {
                    faults.add("the user lacks " + statement.substring(0, 6) + ": GRANT it SELECT, INSERT, UPDATE and"
                            + " DELETE on the table");
                }
            }
        }
    }

    private void addTriggers(Connection connection, List<String> faults) throws SQLException {
        String sql = "SELECT trigger_name FROM information_schema.triggers"
                + " WHERE event_object_schema = COALESCE(?, DATABASE()) AND event_object_table = ?";
        forEach(
                connection,
                sql,
                row -> faults.add(
                        "the trigger " + row.getString(1) + " could change or discard what is stored: DROP TRIGGER"));
    }

    /**
     * Nodes find the rows of other nodes' transactions by primary key. That of the records' table is checked for every
     * server.
     */
    private void addTablesWithoutKeys(Connection connection, List<String> faults) throws SQLException {
        String sql = "SELECT t.table_name FROM information_schema.tables t"
                + " WHERE t.table_schema = COALESCE(?, DATABASE()) AND t.table_name <> ? AND t.table_type = 'BASE TABLE'"
                + " AND NOT EXISTS (SELECT 1 FROM information_schema.statistics s WHERE s.table_schema = t.table_schema"
                + " AND s.table_name = t.table_name AND s.index_name = 'PRIMARY') ORDER BY t.table_name LIMIT 5";
        forEach(
                connection,
                sql,
                row -> faults.add("the table " + row.getString(1) + " of the same database has no primary key, so"
                        + " Galera cannot detect every conflict between two nodes in it: add a primary key"));
    }

    private Map<String, Column> columns(Connection connection, List<String> faults) throws SQLException {
        Map<String, Column> columns = new LinkedHashMap<>();
        String sql =
                "SELECT column_name, data_type, column_type, character_maximum_length, is_nullable, column_default,"
                        + " extra, collation_name, datetime_precision, generation_expression"
                        + " FROM information_schema.columns" + THIS_TABLE + " ORDER BY ordinal_position";
        forEach(connection, sql, row -> {
            String name = row.getString(1).toLowerCase(Locale.ROOT);
            columns.put(name, column(name, row, faults));
        });
        return columns;
    }

    private Column column(String name, ResultSet row, List<String> faults) throws SQLException {
        String data = row.getString(2).toLowerCase(Locale.ROOT);
        String collation = row.getString(8);
        String type = row.getString(3) + (collation == null ? "" : " COLLATE " + collation);
        boolean nullable = row.getString(5).equals("YES");
        String generated = row.getString(10);
        boolean filled = nullable
                || row.getString(6) != null
                || row.getString(7).contains("auto_increment")
                || (generated != null && !generated.isEmpty());
        addColumn(name, data, collation, type, faults);
        return new Column(kind(name, data, row.getInt(9), faults), type, size(row), nullable, filled, true);
    }

    /** Other collations treat different letters as equal or ignore trailing spaces, as do fixed-length texts. */
    private void addColumn(String name, String data, @Nullable String collation, String type, List<String> faults) {
        boolean isExact = data.equals("varchar")
                && (Server.MARIADB.collation().equals(collation)
                        || Server.MYSQL.collation().equals(collation));
        if (KEY.contains(name) && !isExact) {
            faults.add("the column [" + name + "] of type " + type + " treats different texts as equal, so one key"
                    + " could return another key's result: change it to varchar(255) COLLATE " + server.collation());
        }
    }

    private static long size(ResultSet row) throws SQLException {
        long size = row.getLong(4);
        return row.wasNull() ? 0 : size;
    }

    /** Maps the database's types to {@link Kind} and reports unsuitable ones in its own terms. */
    private static Kind kind(String name, String data, int fraction, List<String> faults) {
        Kind kind = kind(name, data, fraction);
        if (kind == Kind.OTHER && name.equals("token")) {
            faults.add("the column token must be binary(16), because the type uuid rejects some random tokens");
            return Kind.UUID;
        }
        if (kind == Kind.OTHER && TIMES.contains(name)) {
            faults.add("the column " + name + " must be datetime(6), because the type timestamp depends on the"
                    + " session's time zone and other types lose microseconds");
            return Kind.TIME;
        }
        return kind;
    }

    private static Kind kind(String name, String data, int fraction) {
        return switch (data) {
            case "varchar", "char" -> Kind.TEXT;
            case "binary" -> name.equals("token") ? Kind.UUID : Kind.BYTES;
            case "varbinary", "tinyblob", "blob", "mediumblob", "longblob" -> Kind.BYTES;
            case "datetime" -> fraction == 6 ? Kind.TIME : Kind.OTHER;
            default -> Kind.OTHER;
        };
    }

    private List<String> primaryKey(Connection connection) throws SQLException {
        List<String> columns = new ArrayList<>();
        String sql = "SELECT column_name, sub_part FROM information_schema.statistics" + THIS_TABLE
                + " AND index_name = 'PRIMARY' ORDER BY seq_in_index";
        forEach(connection, sql, row -> {
            String prefix = row.getString(2);
            columns.add(row.getString(1).toLowerCase(Locale.ROOT) + (prefix == null ? "" : "(" + prefix + ")"));
        });
        return columns;
    }
}
