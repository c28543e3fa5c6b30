package io.counterpoint.idempotency.jdbc.postgresql;

import io.counterpoint.idempotency.jdbc.postgresql.PostgreSqlCatalogue.Fault;
import io.counterpoint.idempotency.jdbc.session.Sql;
import io.counterpoint.idempotency.jdbc.spi.RecordTable;
import io.counterpoint.idempotency.jdbc.spi.TableFacts;
import io.counterpoint.idempotency.jdbc.spi.TableFacts.Column;
import io.counterpoint.idempotency.jdbc.spi.TableFacts.Kind;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;

/** What the standard's catalogue says of the records' table. Without a schema it is the session's first one. */
public final class PlainCatalogue {

    /** Those that compare characters, and no letters for equal. */
    private static final Set<String> EXACT = Set.of("C", "POSIX", "ucs_basic", "default");

    private static final Set<String> DURABLE = Set.of("on", "remote_apply");

    private static final List<Fault> FAULTS = List.of(
            new Fault("it is a %s: make it an ordinary table", """
                SELECT table_type FROM information_schema.tables
                WHERE table_schema = ? AND table_name = ? AND table_type <> 'BASE TABLE'
                """),
            new Fault("the trigger %s could change or leave out what is stored: DROP TRIGGER", """
                SELECT DISTINCT trigger_name FROM information_schema.triggers
                WHERE event_object_schema = ? AND event_object_table = ? ORDER BY 1
                """),
            new Fault(
                    "the rule %s could leave out what is inserted: DROP RULE",
                    "SELECT rulename FROM pg_catalog.pg_rules WHERE schemaname = ? AND tablename = ?"),
            new Fault(
                    "%s is UNLOGGED or TEMPORARY, so its records are lost while the effects stay: make it an ordinary"
                            + " table",
                    """
                SELECT c.relname FROM pg_catalog.pg_class c JOIN pg_catalog.pg_namespace n ON n.oid = c.relnamespace
                WHERE n.nspname = ? AND c.relname = ? AND c.relpersistence <> 'p'
                """));

    private PlainCatalogue() {}

    public static Optional<TableFacts> facts(Connection connection, RecordTable table) throws SQLException {
        // Refuses a server whose primary keys decide nothing.
        PostgreSqlServer.Session session = PostgreSqlServer.of(connection);
        String schema = table.schema().isEmpty() ? String.valueOf(connection.getSchema()) : table.schema();
        Map<String, Column> columns = columns(connection, schema, table.name());
        return columns.isEmpty()
                ? Optional.empty()
                : Optional.of(new TableFacts(
                        columns,
                        TableFacts.primaryKey(connection, schema, table.name()),
                        faults(connection, session, schema, table.name())));
    }

    private static Map<String, Column> columns(Connection connection, String schema, String table) throws SQLException {
        Map<String, String> collations = new LinkedHashMap<>();
        Sql.all(connection, """
                SELECT column_name || ' ' || collation_name FROM information_schema.columns
                WHERE table_schema = ? AND table_name = ? AND collation_name IS NOT NULL
                """, schema, table).forEach(pair -> {
            String[] parts = pair.split(" ", 2);
            collations.put(parts[0], parts[1]);
        });
        Map<String, Column> columns = new LinkedHashMap<>();
        // In a pattern an underscore would stand for any character.
        String escaped = table.replace("_", connection.getMetaData().getSearchStringEscape() + "_");
        try (ResultSet rows = connection.getMetaData().getColumns(null, schema, escaped, null)) {
            while (rows.next()) {
                String name = rows.getString("COLUMN_NAME");
                String type = rows.getString("TYPE_NAME");
                String collation = collations.get(name);
                boolean nullable = "YES".equals(rows.getString("IS_NULLABLE"));
                columns.put(
                        name,
                        new Column(
                                kind(type),
                                type + (collation == null ? "" : " COLLATE \"" + collation + '"'),
                                rows.getLong("COLUMN_SIZE"),
                                nullable,
                                nullable || rows.getString("COLUMN_DEF") != null,
                                collation == null || EXACT.contains(collation)));
            }
        }
        return columns;
    }

    private static Kind kind(String type) {
        return switch (type) {
            case "varchar", "text", "bpchar" -> Kind.TEXT;
            case "bytea" -> Kind.BYTES;
            case "uuid" -> Kind.UUID;
            case "timestamptz" -> Kind.TIME;
            default -> Kind.OTHER;
        };
    }

    private static List<String> faults(
            Connection connection, PostgreSqlServer.Session session, String schema, String table) throws SQLException {
        List<String> faults = Fault.found(connection, FAULTS, schema, table);
        PostgreSqlServer.encodingFault(connection).ifPresent(faults::add);
        PostgreSqlServer.writeFault(connection).ifPresent(faults::add);
        String durability = String.valueOf(Sql.single(connection, "SHOW synchronous_commit"));
        if (!DURABLE.contains(durability)) {
            faults.add(
                    "synchronous_commit is " + durability + ", so a crash loses commits that were answered: set it to"
                            + " on for the sessions of this store");
        }
        session.fault().ifPresent(faults::add);
        return faults;
    }
}
