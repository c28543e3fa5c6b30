package io.counterpoint.idempotency.admin;

import static io.counterpoint.idempotency.admin.Diagnosis.BINLOG_SYNC_WEAK;
import static io.counterpoint.idempotency.admin.Diagnosis.GROUP_CONSISTENCY_EVENTUAL;
import static io.counterpoint.idempotency.admin.Diagnosis.IDLE_TRANSACTION_UNBOUNDED;
import static io.counterpoint.idempotency.admin.Diagnosis.READ_ONLY;
import static io.counterpoint.idempotency.admin.Diagnosis.ROLLBACK_ON_TIMEOUT;
import static io.counterpoint.idempotency.admin.Diagnosis.UNUSED_SPACE;

import io.counterpoint.idempotency.jdbc.spi.RecordTable;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;

/** Checks MariaDB's settings and indexes, in addition to those that the table's own check rejects. */
record MariaDbChecks(RecordTable table) implements ProductChecks {

    private static final String THIS_TABLE =
            " WHERE table_schema = COALESCE(NULLIF(?, ''), DATABASE()) AND table_name = ?";

    /** Free space in a small table is meaningless. */
    private static final long FREE_AT_LEAST = 100L << 20;

    @Override
    public void ofServer(Connection connection, List<Finding> findings) throws SQLException {
        Map<String, String> settings = new HashMap<>();
        AdministeredDatabase.rows(
                connection,
                "SHOW SESSION VARIABLES WHERE Variable_name IN ('log_bin', 'sync_binlog', 'read_only',"
                        + " 'idle_transaction_timeout', 'idle_write_transaction_timeout', 'transaction_read_only',"
                        + " 'tx_read_only', 'innodb_rollback_on_timeout', 'group_replication_group_name',"
                        + " 'group_replication_consistency')",
                0,
                row -> settings.put(row.getString(1).toLowerCase(Locale.ROOT), row.getString(2)));
        addAdvice(settings, findings);
    }

    /** Evaluates the settings of the server, whose names are in lower case. */
    static void addAdvice(Map<String, String> settings, List<Finding> findings) {
        if (isOn(settings, "log_bin") && "0".equals(settings.get("sync_binlog"))) {
            findings.add(new Finding(BINLOG_SYNC_WEAK, "sync_binlog is 0"));
        }
        for (String name : List.of("read_only", "transaction_read_only", "tx_read_only")) {
            if (isOn(settings, name)) {
                findings.add(new Finding(READ_ONLY, name + " is on"));
            }
        }
        if ("0".equals(settings.get("idle_transaction_timeout"))
                && "0".equals(settings.get("idle_write_transaction_timeout"))) {
            findings.add(new Finding(IDLE_TRANSACTION_UNBOUNDED, "idle_transaction_timeout is 0"));
        }
        if (isOn(settings, "innodb_rollback_on_timeout")) {
            findings.add(new Finding(ROLLBACK_ON_TIMEOUT, "innodb_rollback_on_timeout is on"));
        }
        if (!settings.getOrDefault("group_replication_group_name", "").isEmpty()
                && "EVENTUAL".equals(settings.get("group_replication_consistency"))) {
            findings.add(new Finding(GROUP_CONSISTENCY_EVENTUAL, "group_replication_consistency is EVENTUAL"));
        }
    }

    private static boolean isOn(Map<String, String> settings, String name) {
        return !settings.getOrDefault(name, "OFF").equals("OFF");
    }

    @Override
    public void ofTable(Connection connection, List<Finding> findings) throws SQLException {
        ProductChecks.addIndexes(
                AdministeredDatabase.rows(
                        connection,
                        "SELECT index_name, column_name, seq_in_index FROM information_schema.statistics" + THIS_TABLE
                                + " AND index_name <> 'PRIMARY'",
                        0,
                        row -> new IndexColumn(
                                row.getString(1), row.getString(2).toLowerCase(Locale.ROOT), row.getInt(3) == 1),
                        table.schema(),
                        table.name()),
                findings);
        AdministeredDatabase.rows(
                        connection,
                        "SELECT data_length + index_length, data_free FROM information_schema.tables" + THIS_TABLE,
                        0,
                        row -> new Space(row.getLong(1), row.getLong(2)),
                        table.schema(),
                        table.name())
                .stream()
                .filter(space -> space.free() >= FREE_AT_LEAST && space.free() > space.used())
                .forEach(space -> findings.add(new Finding(
                        UNUSED_SPACE, space.free() + " bytes are free, and " + space.used() + " are used")));
    }

    private record Space(long used, long free) {}
}
