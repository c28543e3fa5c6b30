package io.counterpoint.idempotency.jdbc.postgresql;

import io.counterpoint.idempotency.jdbc.session.Sql;
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
import java.util.Map;
import java.util.Optional;

/**
 * What PostgreSQL's catalogue says about the records' table, resolved on the search path like that of a statement.
 * Partitions are examined like the table itself.
 */
final class PostgreSqlCatalogue {

    /** The table and its partitions; for a table that is not partitioned, the table alone. */
    private static final String TREE = """
            WITH tree AS (
                SELECT to_regclass(?)::oid AS oid
                UNION SELECT relid::oid FROM pg_partition_tree(to_regclass(?)))
            """;

    private static final String COLUMNS = """
            SELECT a.attname, t.typname, coalesce(b.typname, t.typname), format_type(a.atttypid, a.atttypmod),
                CASE WHEN a.atttypmod >= 0 THEN a.atttypmod WHEN t.typtypmod >= 0 THEN t.typtypmod ELSE -1 END,
                NOT (a.attnotnull OR t.typnotnull),
                NOT (a.attnotnull OR t.typnotnull) OR a.atthasdef OR a.attidentity <> '' OR t.typdefault IS NOT NULL,
                c.collname, coalesce(c.collisdeterministic, false)
            FROM pg_attribute a JOIN pg_type t ON t.oid = a.atttypid
                LEFT JOIN pg_type b ON b.oid = t.typbasetype
                LEFT JOIN pg_collation c ON c.oid = a.attcollation
            WHERE a.attrelid = to_regclass(?) AND a.attnum > 0 AND NOT a.attisdropped ORDER BY a.attnum
            """;

    private static final String PRIMARY_KEY = """
            SELECT a.attname FROM pg_index i
                CROSS JOIN LATERAL unnest(i.indkey::int2[]) WITH ORDINALITY AS k(attnum, at)
                JOIN pg_attribute a ON a.attrelid = i.indrelid AND a.attnum = k.attnum
            WHERE i.indrelid = to_regclass(?) AND i.indisprimary AND k.at <= i.indnkeyatts ORDER BY k.at
            """;

    /** Each row of the query is a fault and contains the name to insert into the sentence. */
    record Fault(String sentence, String query) {

        /** The faults of a table. All queries take the table's name in the same way. */
        static List<String> found(Connection connection, List<Fault> faults, String... table) throws SQLException {
            List<String> found = new ArrayList<>();
            for (Fault fault : faults) {
                for (String name : Sql.all(connection, fault.query(), table)) {
                    found.add(String.format(fault.sentence(), name));
                }
            }
            return found;
        }
    }

    private static final List<Fault> FAULTS = List.of(
            new Fault("it is a %s: use an ordinary or a partitioned table", TREE + """
                SELECT CASE c.relkind WHEN 'v' THEN 'view' WHEN 'm' THEN 'materialized view'
                    WHEN 'f' THEN 'foreign table' ELSE 'relation of another kind' END || ' (' || c.relname || ')'
                FROM pg_class c JOIN tree USING (oid) WHERE c.relkind NOT IN ('r', 'p')
                """),
            new Fault(
                    "%s is UNLOGGED, so a crash of the server empties it but keeps the effects: ALTER TABLE … SET LOGGED",
                    TREE + "SELECT c.relname FROM pg_class c JOIN tree USING (oid) WHERE c.relpersistence = 'u'"),
            new Fault(
                    "%s is TEMPORARY, so other sessions cannot see its records: use an ordinary table",
                    TREE + "SELECT c.relname FROM pg_class c JOIN tree USING (oid) WHERE c.relpersistence = 't'"),
            new Fault("the trigger %s could change or discard what is stored: DROP TRIGGER, or disable it", TREE + """
                SELECT t.tgname || ' of ' || c.relname FROM pg_trigger t JOIN tree ON tree.oid = t.tgrelid
                    JOIN pg_class c ON c.oid = t.tgrelid
                WHERE NOT t.tgisinternal AND t.tgenabled IN ('O', 'A') ORDER BY 1
                """),
            new Fault("the rule %s would replace or add to what is stored: DROP RULE", TREE + """
                SELECT r.rulename || ' of ' || c.relname FROM pg_rewrite r JOIN tree ON tree.oid = r.ev_class
                    JOIN pg_class c ON c.oid = r.ev_class
                WHERE c.relkind IN ('r', 'p') AND r.ev_enabled <> 'D' ORDER BY 1
                """),
            new Fault("it inherits from %s, whose primary key it does not share: NO INHERIT", TREE + """
                SELECT p.relname FROM pg_inherits i JOIN pg_class p ON p.oid = i.inhparent
                WHERE i.inhrelid IN (SELECT oid FROM tree) AND p.relkind <> 'p' ORDER BY 1
                """),
            new Fault(
                    "%s inherits from it and does not share its primary key, so a key could be claimed twice: NO INHERIT",
                    TREE + """
                SELECT h.relname FROM pg_inherits i JOIN pg_class h ON h.oid = i.inhrelid
                WHERE i.inhparent IN (SELECT oid FROM tree) AND NOT h.relispartition ORDER BY 1
                """),
            new Fault(
                    "it is partitioned by %s, so several partitions could have the same key: partition by scope, operation or"
                            + " key_value, never by arrival time",
                    TREE + """
                SELECT '[' || coalesce(a.attname, 'an expression') || ']' FROM pg_partitioned_table p
                    JOIN tree ON tree.oid = p.partrelid CROSS JOIN LATERAL unnest(p.partattrs::int2[]) AS k(attnum)
                    LEFT JOIN pg_attribute a ON a.attrelid = p.partrelid AND a.attnum = k.attnum AND k.attnum > 0
                WHERE coalesce(a.attname NOT IN ('scope', 'operation', 'key_value'), true) ORDER BY 1
                """),
            new Fault(
                    "its primary key %s: otherwise a key could be claimed twice. Attach the indexes of all partitions, or"
                            + " re-create it as NOT DEFERRABLE",
                    TREE + """
                SELECT CASE WHEN i.indisvalid THEN 'is deferrable' ELSE 'is not valid' END
                FROM pg_index i WHERE i.indrelid IN (SELECT oid FROM tree) AND i.indisprimary
                    AND NOT (i.indisvalid AND i.indimmediate) ORDER BY 1
                """),
            new Fault("the role %s: GRANT it SELECT, INSERT, UPDATE and DELETE on the table", """
                SELECT current_user || ' lacks ' || string_agg(missing, ', ')
                FROM unnest(ARRAY['SELECT', 'INSERT', 'UPDATE', 'DELETE']) AS missing
                WHERE NOT CASE missing WHEN 'DELETE' THEN has_table_privilege(to_regclass(?), missing)
                    ELSE has_any_column_privilege(to_regclass(?), missing) END
                HAVING count(*) > 0
                """));

    private PostgreSqlCatalogue() {}

    static Optional<TableFacts> facts(Connection connection, RecordTable table) throws SQLException {
        PostgreSqlServer.Session session = PostgreSqlServer.of(connection);
        String name = table.toString();
        if (Sql.all(connection, "SELECT to_regclass(?)::text", name).contains(null)) {
            return Optional.empty();
        }
        List<String> faults = Fault.found(connection, FAULTS, name, name);
        PostgreSqlServer.encodingFault(connection).ifPresent(faults::add);
        PostgreSqlServer.writeFault(connection).ifPresent(faults::add);
        session.fault().ifPresent(faults::add);
        return Optional.of(new TableFacts(columns(connection, name), Sql.all(connection, PRIMARY_KEY, name), faults));
    }

    private static Map<String, Column> columns(Connection connection, String table) throws SQLException {
        Map<String, Column> columns = new LinkedHashMap<>();
        try (PreparedStatement statement = connection.prepareStatement(COLUMNS)) {
            statement.setString(1, table);
            try (ResultSet rows = statement.executeQuery()) {
                while (rows.next()) {
                    String type = rows.getString(3);
                    String collation = rows.getString(8);
                    columns.put(
                            rows.getString(1),
                            new Column(
                                    kind(type),
                                    rows.getString(4) + (collation == null ? "" : " COLLATE \"" + collation + '"'),
                                    size(rows.getInt(5)),
                                    rows.getBoolean(6),
                                    rows.getBoolean(7),
                                    (type.equals("varchar") || type.equals("text")) && rows.getBoolean(9)));
                }
            }
        }
        return columns;
    }

    /** Citext is text except for how it compares. */
    private static Kind kind(String type) {
        return switch (type) {
            case "varchar", "text", "bpchar", "citext" -> Kind.TEXT;
            case "bytea" -> Kind.BYTES;
            case "uuid" -> Kind.UUID;
            case "timestamptz" -> Kind.TIME;
            default -> Kind.OTHER;
        };
    }

    /** The modifier of a text type includes its own four bytes. */
    private static long size(int modifier) {
        return modifier < 4 ? Long.MAX_VALUE : modifier - 4;
    }
}
