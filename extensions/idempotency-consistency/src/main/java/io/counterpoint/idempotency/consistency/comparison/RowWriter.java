package io.counterpoint.idempotency.consistency.comparison;

import io.counterpoint.idempotency.consistency.internal.DatabaseProduct;
import java.sql.Types;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import org.jdbi.v3.core.Handle;
import org.jdbi.v3.core.statement.Query;
import org.jdbi.v3.core.statement.SqlStatement;
import org.jdbi.v3.core.statement.Update;
import org.jspecify.annotations.Nullable;

/** The writes of a repair in one transaction, each conditional on its row being unchanged. */
final class RowWriter<K> {

    private final DatabaseProduct database;
    private final Handle handle;
    private final TableColumns columns;
    private final String condition;
    private final String outside;
    private final ColumnTypes types;

    RowWriter(
            DatabaseProduct database,
            Handle handle,
            TableColumns columns,
            ColumnTypes types,
            Optional<String> condition) {
        this.database = database;
        this.handle = handle;
        this.columns = columns;
        this.types = types;
        this.condition = condition.map(sql -> " AND (" + sql + ")").orElse("");
        this.outside = condition.map(sql -> " AND (" + sql + ") IS NOT TRUE").orElse("");
    }

    /**
     * Writes exactly one row or none.
     *
     * @return whether the row was unchanged
     * @throws IllegalStateException if there was more than one row, or a row outside the comparison: roll back
     */
    boolean write(Change<K> change) {
        int rows = change.<Integer>fold(this::insert, this::update, this::delete);
        if (rows > 1) {
            throw new IllegalStateException(rows + " rows of " + columns.table() + " have this " + columns.key()
                    + ". Nothing was changed. Compare by a key that identifies one row, or add the missing condition"
                    + " to where(...).");
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
        String ofKey = "SELECT COUNT(*) FROM " + table() + " WHERE " + columns.key() + " = ?";
        values.add(database.bound(insert.key()));
        int others = outside.isEmpty() ? 0 : count(ofKey + outside, insert.key());
        int rows = execute(
                "INSERT INTO " + table() + " (" + names + ") SELECT " + row
                        + (database == DatabaseProduct.POSTGRESQL ? "" : " FROM dual") + " WHERE NOT EXISTS ("
                        + ofKey.replace("COUNT(*)", "1")
                        + condition + ")",
                values);
        int there = count(ofKey + condition, insert.key());
        requireWritten(rows > 0 || there > 0);
        if (rows > 0 && (there == 0 || (!outside.isEmpty() && count(ofKey + outside, insert.key()) > others))) {
            throw new IllegalStateException("The row missing from " + columns.table() + " would not satisfy the"
                    + " condition of its table. Nothing was changed. Declare the columns it needs as fields.");
        }
        return rows == 0 ? 0 : there;
    }

    /** Anything that a trigger has done instead must be rolled back, because it would not be reported. */
    private void requireWritten(boolean isWritten) {
        if (!isWritten) {
            throw new IllegalStateException(
                    "A trigger of " + columns.table() + " prevented the row from being written. Nothing was changed.");
        }
    }

    private int count(String sql, K key) {
        return count(sql, List.of(Objects.requireNonNull(database.bound(key))));
    }

    private int count(String sql, List<@Nullable Object> values) {
        try (Query query = handle.createQuery(sql)) {
            bind(query, values);
            return query.mapTo(Integer.class).one();
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
        return writeFound(
                "UPDATE " + table() + " SET " + String.join(", ", settings), values, update.found(), update.compared());
    }

    private int delete(Change.Delete<K> delete) {
        return writeFound("DELETE FROM " + table(), new ArrayList<>(), delete.found(), delete.compared());
    }

    private int writeFound(String sql, List<@Nullable Object> values, Row<K> found, List<String> compared) {
        List<@Nullable Object> asFound = new ArrayList<>();
        String where = asFound(found, compared, asFound);
        values.addAll(asFound);
        int rows = execute(sql + where, values);
        requireWritten(rows > 0 || count("SELECT COUNT(*) FROM " + table() + where, asFound) == 0);
        return rows;
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
        return DatabaseProduct.name("a table to repair", columns.table());
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
            bind(update, values);
            return update.execute();
        }
    }

    private static void bind(SqlStatement<?> statement, List<@Nullable Object> values) {
        for (int i = 0; i < values.size(); i++) {
            Object value = values.get(i);
            if (value == null) {
                statement.bindNull(i, Types.NULL);
            } else {
                statement.bind(i, value);
            }
        }
    }
}
