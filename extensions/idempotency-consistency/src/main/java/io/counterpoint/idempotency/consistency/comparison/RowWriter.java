package io.counterpoint.idempotency.consistency.comparison;

import io.counterpoint.idempotency.consistency.internal.Database;
import java.sql.Types;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import org.jdbi.v3.core.Handle;
import org.jdbi.v3.core.statement.Query;
import org.jdbi.v3.core.statement.Update;
import org.jspecify.annotations.Nullable;

/** The writes of a repair in one transaction, each on condition that its row is as it was found. */
final class RowWriter<K> {

    private final Database database;
    private final Handle handle;
    private final TableColumns columns;
    private final String condition;
    private final ColumnTypes types;

    RowWriter(Database database, Handle handle, TableColumns columns, ColumnTypes types, Optional<String> condition) {
        this.database = database;
        this.handle = handle;
        this.columns = columns;
        this.types = types;
        this.condition = condition.map(sql -> " AND (" + sql + ")").orElse("");
    }

    /**
     * Writes exactly one row, or none.
     *
     * @return whether the row was as it was found
     * @throws IllegalStateException if it was more than one, or a row that is outside of the comparison: roll it back
     */
    boolean write(Change<K> change) {
        int rows = change.<Integer>fold(this::insert, this::update, this::delete);
        if (rows > 1) {
            throw new IllegalStateException(rows + " rows of " + columns.table() + " have this " + columns.key()
                    + ". Compare a key that identifies a row, or add to where(...) what does. Nothing was changed.");
        }
        return rows == 1;
    }

    private int insert(Change.Insert<K> insert) {
        List<@Nullable Object> values = new ArrayList<>();
        StringBuilder names = new StringBuilder(columns.key());
        StringBuilder row = new StringBuilder("?");
        values.add(database.bound(insert.key()));
        columns.fields().forEach((field, column) -> {
            names.append(", ").append(column.settable());
            row.append(", ").append(written(field));
            values.add(bound(field, insert.wanted()));
        });
        String inserted = " FROM " + table() + " WHERE " + columns.key() + " = ?" + condition;
        values.add(database.bound(insert.key()));
        int rows = execute(
                "INSERT INTO " + table() + " (" + names + ") SELECT " + row
                        + (database == Database.POSTGRESQL ? "" : " FROM dual") + " WHERE NOT EXISTS (SELECT 1"
                        + inserted
                        + ")",
                values);
        int there = rows == 0 ? 0 : count("SELECT COUNT(*)" + inserted, insert.key());
        if (rows > 0 && there == 0) {
            throw new IllegalStateException("The row that is missing in " + columns.table()
                    + " would not meet the condition of its table. List the columns that it needs as fields."
                    + " Nothing was changed.");
        }
        return there;
    }

    private int count(String sql, K key) {
        try (Query query = handle.createQuery(sql)) {
            return query.bind(0, database.bound(key)).mapTo(Integer.class).one();
        }
    }

    private int update(Change.Update<K> update) {
        List<@Nullable Object> values = new ArrayList<>();
        List<String> settings = new ArrayList<>();
        for (String field : update.fields()) {
            settings.add(column(field).settable() + " = " + written(field));
            values.add(bound(field, update.wanted()));
        }
        columns.version().ifPresent(column -> settings.add(column.column() + " = " + column.next()));
        String sql = "UPDATE " + table() + " SET " + String.join(", ", settings);
        return execute(sql + asFound(update.found(), update.compared(), values), values);
    }

    private int delete(Change.Delete<K> delete) {
        List<@Nullable Object> values = new ArrayList<>();
        return execute("DELETE FROM " + table() + asFound(delete.found(), delete.compared(), values), values);
    }

    private String asFound(Row<K> found, List<String> compared, List<@Nullable Object> values) {
        StringBuilder sql = new StringBuilder(" WHERE ").append(columns.key()).append(" = ?");
        values.add(database.bound(found.key()));
        for (String field : compared) {
            sql.append(" AND ")
                    .append(types.of(field).isSame(database, column(field).read()));
            values.add(bound(field, found));
        }
        columns.version().ifPresent(column -> {
            ColumnType type = types.version().orElseThrow();
            sql.append(" AND ").append(type.isSame(database, column.column()));
            values.add(type.bound(database, found.version()));
        });
        return sql.append(condition).toString();
    }

    private @Nullable Object bound(String field, Row<K> row) {
        return types.of(field).bound(database, row.fields().get(field));
    }

    private String table() {
        return Database.name("a table to repair", columns.table());
    }

    private String written(String field) {
        return column(field).written().replace("?", types.of(field).written());
    }

    private TableColumns.Field column(String field) {
        return Objects.requireNonNull(
                columns.fields().get(field), () -> "The table " + columns.table() + " has no field " + field + ".");
    }

    private int execute(String sql, List<@Nullable Object> values) {
        try (Update update = handle.createUpdate(sql)) {
            for (int i = 0; i < values.size(); i++) {
                Object value = values.get(i);
                if (value == null) {
                    update.bindNull(i, Types.NULL);
                } else {
                    update.bind(i, value);
                }
            }
            return update.execute();
        }
    }
}
