package io.counterpoint.idempotency.admin;

import static io.counterpoint.idempotency.admin.Diagnosis.H2_CLOSES;
import static io.counterpoint.idempotency.admin.Diagnosis.H2_WRITE_DELAY;

import io.counterpoint.idempotency.jdbc.spi.RecordTable;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Objects;

/**
 * Checks H2's settings and indexes, independently of its setting for the case of names. A setting that was never set
 * has no row.
 */
record H2Checks(RecordTable table) implements ProductChecks {

    @Override
    public void ofServer(Connection connection, List<Finding> findings) throws SQLException {
        Map<String, String> settings = new HashMap<>();
        AdministeredDatabase.rows(
                connection,
                "SELECT SETTING_NAME, SETTING_VALUE FROM INFORMATION_SCHEMA.SETTINGS",
                0,
                row -> settings.put(
                        row.getString(1).toUpperCase(Locale.ROOT), Objects.requireNonNullElse(row.getString(2), "")));
        String path = AdministeredDatabase.rows(
                        connection,
                        "SELECT COALESCE(DATABASE_PATH(), '')",
                        1,
                        row -> Objects.requireNonNullElse(row.getString(1), ""))
                .get(0);
        if (path.isEmpty() || path.startsWith("mem:")) {
            addUnless("DB_CLOSE_DELAY", "-1", settings, H2_CLOSES, findings);
        } else {
            addUnless("WRITE_DELAY", "0", settings, H2_WRITE_DELAY, findings);
        }
    }

    private static void addUnless(
            String name, String good, Map<String, String> settings, Diagnosis diagnosis, List<Finding> findings) {
        String found = settings.getOrDefault(name, "not set");
        if (!found.equals(good)) {
            findings.add(new Finding(diagnosis, name + " is " + found));
        }
    }

    @Override
    public void ofTable(Connection connection, List<Finding> findings) throws SQLException {
        String sql = """
                SELECT C.INDEX_NAME, C.COLUMN_NAME, C.ORDINAL_POSITION
                FROM INFORMATION_SCHEMA.INDEX_COLUMNS C
                    JOIN INFORMATION_SCHEMA.INDEXES I ON I.INDEX_SCHEMA = C.INDEX_SCHEMA
                        AND I.INDEX_NAME = C.INDEX_NAME AND I.TABLE_NAME = C.TABLE_NAME
                WHERE UPPER(I.INDEX_TYPE_NAME) <> 'PRIMARY KEY' AND UPPER(C.TABLE_NAME) = UPPER(?)
                    AND UPPER(C.TABLE_SCHEMA) = UPPER(COALESCE(NULLIF(?, ''), SCHEMA()))
                """;
        ProductChecks.addIndexes(
                AdministeredDatabase.rows(
                        connection,
                        sql,
                        0,
                        row -> new IndexColumn(
                                row.getString(1), row.getString(2).toLowerCase(Locale.ROOT), row.getInt(3) == 1),
                        table.name(),
                        table.schema()),
                findings);
    }
}
