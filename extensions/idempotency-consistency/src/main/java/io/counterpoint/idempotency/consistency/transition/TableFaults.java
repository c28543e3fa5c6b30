package io.counterpoint.idempotency.consistency.transition;

import io.counterpoint.idempotency.consistency.internal.DatabaseProduct;
import java.sql.ResultSetMetaData;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.List;
import org.jdbi.v3.core.Handle;
import org.jdbi.v3.core.statement.SqlStatements;

/** Problems that prevent a table with all columns from keeping the promises of its transitions. */
final class TableFaults {

    /** Unconditional keys that consist only of the identifier. */
    private static final String UNIQUE_IN_POSTGRESQL = """
            SELECT 1 FROM pg_index i JOIN pg_attribute a ON a.attrelid = i.indrelid AND a.attnum = i.indkey[0]
            WHERE i.indrelid = to_regclass(:table) AND a.attname = lower(:id) AND i.indisunique AND i.indisvalid
                AND i.indimmediate AND i.indpred IS NULL AND i.indnkeyatts = 1""";

    private static final String UNIQUE_IN_H2 = """
            SELECT 1 FROM information_schema.index_columns c
            WHERE c.table_schema = coalesce(upper(:schema), SCHEMA()) AND c.table_name = upper(:name) AND c.is_unique
            GROUP BY c.index_name HAVING count(*) = 1 AND max(c.column_name) = upper(:id)""";

    private static final String UNIQUE_IN_MARIADB = """
            SELECT 1 FROM information_schema.statistics
            WHERE table_schema = coalesce(:schema, DATABASE()) AND table_name = :name AND non_unique = 0
            GROUP BY index_name HAVING count(*) = 1 AND max(column_name) = :id AND max(sub_part) IS NULL""";

    private static final String TRANSACTIONAL = """
            SELECT 1 FROM information_schema.tables WHERE table_schema = coalesce(:schema, DATABASE())
                AND table_name = :name AND engine = 'InnoDB'""";

    private final Handle handle;
    private final DatabaseProduct database;
    private final String table;
    private final List<String> faults = new ArrayList<>();

    TableFaults(Handle handle, String table) {
        this.handle = handle;
        this.database = DatabaseProduct.of(handle);
        this.table = table;
    }

    List<String> all() {
        return faults;
    }

    /** An identifier shared by two rows would move both. */
    void requireKey(String id) {
        String unique = switch (database) {
            case POSTGRESQL -> UNIQUE_IN_POSTGRESQL;
            case H2 -> UNIQUE_IN_H2;
            case MARIADB, MYSQL -> UNIQUE_IN_MARIADB;
        };
        if (!isFound(unique, id)) {
            faults.add(id + " is not a key of its own: make it the primary key, or unique and not deferrable");
        }
    }

    void requireTransactions() {
        boolean hasEngines = database == DatabaseProduct.MARIADB || database == DatabaseProduct.MYSQL;
        if (hasEngines && !isFound(TRANSACTIONAL, "")) {
            faults.add("its engine does not support transactions: set ENGINE = InnoDB");
        }
    }

    private boolean isFound(String sql, String id) {
        int dot = table.indexOf('.');
        return handle.createQuery(sql)
                .bind("table", table)
                .bind("schema", dot < 0 ? null : table.substring(0, dot))
                .bind("name", table.substring(dot + 1))
                .bind("id", id)
                .configure(SqlStatements.class, it -> it.setUnusedBindingAllowed(true))
                .mapTo(Integer.class)
                .findFirst()
                .isPresent();
    }

    void requireToken(String owner) {
        column(
                owner,
                (type, length) -> type.equals("uuid") || type.equals("UUID") || (type.endsWith("CHAR") && length >= 36)
                        ? ""
                        : "uuid, or on MariaDB and MySQL char(36)");
    }

    /** A time without a zone is a different instant in each session, unless all use UTC. */
    void requireTime(String time) {
        String wanted = switch (database) {
            case POSTGRESQL -> "timestamptz";
            case H2 -> "TIMESTAMP WITH TIME ZONE";
            case MARIADB, MYSQL -> "DATETIME";
        };
        column(time, (type, length) -> type.equals(wanted) ? "" : wanted);
    }

    /** Returns what a column has to be instead; empty if it is suitable. */
    private interface Fit {
        String instead(String type, int length);
    }

    private void column(String column, Fit fit) {
        String found = handle.createQuery("SELECT " + column + " FROM " + table + " WHERE 1 = 0")
                .scanResultSet((rows, context) -> fault(rows.get().getMetaData(), fit));
        if (!found.isEmpty()) {
            faults.add(column + " " + found);
        }
    }

    private static String fault(ResultSetMetaData column, Fit fit) throws SQLException {
        String type = column.getColumnTypeName(1);
        String instead = fit.instead(type, column.getPrecision(1));
        if (!instead.isEmpty()) {
            return "is a " + type + ": make it a " + instead;
        }
        return column.isNullable(1) == ResultSetMetaData.columnNoNulls ? "is NOT NULL: make it nullable" : "";
    }
}
