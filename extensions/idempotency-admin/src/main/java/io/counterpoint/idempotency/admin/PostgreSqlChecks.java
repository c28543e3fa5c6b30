package io.counterpoint.idempotency.admin;

import static io.counterpoint.idempotency.admin.Diagnosis.AUTOVACUUM_OFF;
import static io.counterpoint.idempotency.admin.Diagnosis.CHECK_CONSTRAINT;
import static io.counterpoint.idempotency.admin.Diagnosis.CONNECTION_CHECK_OFF;
import static io.counterpoint.idempotency.admin.Diagnosis.DEAD_ROWS;
import static io.counterpoint.idempotency.admin.Diagnosis.DEFERRED_TRIGGER_WEAKENS;
import static io.counterpoint.idempotency.admin.Diagnosis.FILLFACTOR;
import static io.counterpoint.idempotency.admin.Diagnosis.FSYNC_OFF;
import static io.counterpoint.idempotency.admin.Diagnosis.FULL_PAGE_WRITES_OFF;
import static io.counterpoint.idempotency.admin.Diagnosis.IDLE_TRANSACTION_UNBOUNDED;
import static io.counterpoint.idempotency.admin.Diagnosis.INDEX_INVALID;
import static io.counterpoint.idempotency.admin.Diagnosis.KEEPALIVES_SLOW;
import static io.counterpoint.idempotency.admin.Diagnosis.LOCK_TIMEOUT_MISSING;
import static io.counterpoint.idempotency.admin.Diagnosis.PARAMETERS_LOGGED;
import static io.counterpoint.idempotency.admin.Diagnosis.READ_ONLY;
import static io.counterpoint.idempotency.admin.Diagnosis.RIGHTS_MISSING;
import static io.counterpoint.idempotency.admin.Diagnosis.ROW_SECURITY;
import static io.counterpoint.idempotency.admin.Diagnosis.SERVER_IS_STANDBY;
import static io.counterpoint.idempotency.admin.Diagnosis.SERVER_VERSION;
import static io.counterpoint.idempotency.admin.Diagnosis.SYNCHRONOUS_COMMIT_WEAK;

import io.counterpoint.idempotency.jdbc.spi.RecordTable;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;

/** Checks PostgreSQL's catalogue and settings. Settings that the server's version lacks are not checked. */
record PostgreSqlChecks(RecordTable table) implements ProductChecks {

    private static final int FIRST_VERSION = 130_000;
    private static final int ROOM_FOR_AN_UPDATE = 90;
    private static final long SECONDS_OF_A_DEAD_MACHINE = 300;
    private static final Set<String> STRONG = Set.of("on", "remote_apply");

    private static final String SETTINGS = """
            SELECT name, setting FROM pg_settings WHERE name IN ('server_version_num', 'fsync', 'full_page_writes',
                'synchronous_commit', 'lock_timeout', 'idle_in_transaction_session_timeout', 'transaction_timeout',
                'client_connection_check_interval', 'tcp_keepalives_idle', 'tcp_keepalives_interval',
                'tcp_keepalives_count', 'log_statement', 'log_min_duration_statement', 'log_parameter_max_length',
                'log_parameter_max_length_on_error', 'transaction_read_only')
            """;

    private static final String TREE = """
            WITH tree AS (
                SELECT to_regclass(?)::oid AS oid
                UNION SELECT relid::oid FROM pg_partition_tree(to_regclass(?)))
            """;

    private static final String INDEX_COLUMNS = """
            SELECT c.relname, a.attname, k.at = 1 AND i.indisvalid AND i.indpred IS NULL
            FROM pg_index i JOIN pg_class c ON c.oid = i.indexrelid
                CROSS JOIN LATERAL unnest(i.indkey::int2[]) WITH ORDINALITY AS k(attnum, at)
                JOIN pg_attribute a ON a.attrelid = i.indrelid AND a.attnum = k.attnum
            WHERE i.indrelid = to_regclass(?) AND NOT i.indisprimary
            UNION ALL
            SELECT c.relname, a.attname, false
            FROM pg_index i JOIN pg_class c ON c.oid = i.indexrelid
                JOIN pg_depend d ON d.classid = 'pg_class'::regclass AND d.objid = i.indexrelid
                    AND d.refclassid = 'pg_class'::regclass AND d.refobjid = i.indrelid
                JOIN pg_attribute a ON a.attrelid = i.indrelid AND a.attnum = d.refobjsubid
            WHERE i.indrelid = to_regclass(?) AND i.indpred IS NOT NULL AND NOT a.attnum = ANY (i.indkey)
            """;

    private static final String INVALID = TREE + """
            SELECT c.relname FROM pg_index i JOIN tree ON tree.oid = i.indrelid
                JOIN pg_class c ON c.oid = i.indexrelid
            WHERE NOT i.indisvalid ORDER BY 1
            """;

    private static final String FULL_PAGES = TREE + """
            SELECT c.relname, f.fillfactor FROM pg_class c JOIN tree USING (oid)
                CROSS JOIN LATERAL (SELECT coalesce(max(option_value)::int, 100) AS fillfactor
                    FROM pg_options_to_table(c.reloptions) WHERE option_name = 'fillfactor') f
            WHERE c.relkind = 'r' ORDER BY 1
            """;

    private static final String NOT_VACUUMED = TREE + """
            SELECT c.relname FROM pg_class c JOIN tree USING (oid)
            WHERE c.relkind = 'r' AND (current_setting('autovacuum') = 'off' OR EXISTS (
                SELECT FROM pg_options_to_table(c.reloptions)
                WHERE option_name = 'autovacuum_enabled' AND NOT option_value::boolean)) ORDER BY 1
            """;

    private static final String DEAD = TREE + """
            SELECT s.relname, s.n_dead_tup, s.n_live_tup FROM pg_stat_all_tables s JOIN tree ON tree.oid = s.relid
            WHERE s.n_dead_tup >= 1000 AND s.n_dead_tup * 4 > s.n_live_tup ORDER BY 1
            """;

    private static final String CHECKS =
            "SELECT conname FROM pg_constraint WHERE conrelid = to_regclass(?) AND contype = 'c' ORDER BY conname";

    private static final String RIGHTS = """
            SELECT missing FROM unnest(ARRAY['SELECT', 'INSERT', 'UPDATE', 'DELETE']) AS missing
            WHERE NOT has_table_privilege(to_regclass(?), missing)
            """;

    /** Functions that a function calls, and dynamic SQL, are not detected. */
    private static final String WEAKENING = """
            SELECT t.tgname FROM pg_trigger t JOIN pg_proc p ON p.oid = t.tgfoid
            WHERE t.tgdeferrable AND NOT t.tgisinternal AND (p.prosrc ILIKE '%synchronous_commit%'
                OR EXISTS (SELECT FROM unnest(p.proconfig) AS setting WHERE setting ILIKE 'synchronous_commit=%'))
            ORDER BY 1
            """;

    @Override
    public void ofServer(Connection connection, List<Finding> findings) throws SQLException {
        Map<String, String> settings = new HashMap<>();
        AdministeredDatabase.rows(connection, SETTINGS, 0, row -> settings.put(row.getString(1), row.getString(2)));
        if (number(settings, "server_version_num", FIRST_VERSION) < FIRST_VERSION) {
            add(SERVER_VERSION, settings, "server_version_num", findings);
        }
        addIf(settings, "fsync", "off", FSYNC_OFF, findings);
        addIf(settings, "full_page_writes", "off", FULL_PAGE_WRITES_OFF, findings);
        if (!STRONG.contains(settings.getOrDefault("synchronous_commit", "on"))) {
            add(SYNCHRONOUS_COMMIT_WEAK, settings, "synchronous_commit", findings);
        }
        addIf(settings, "lock_timeout", "0", LOCK_TIMEOUT_MISSING, findings);
        if (number(settings, "transaction_timeout", 0) == 0) {
            addIf(settings, "idle_in_transaction_session_timeout", "0", IDLE_TRANSACTION_UNBOUNDED, findings);
        }
        addIf(settings, "client_connection_check_interval", "0", CONNECTION_CHECK_OFF, findings);
        addKeepalives(settings, findings);
        addLog(settings, findings);
        AdministeredDatabase.rows(connection, WEAKENING, 0, row -> row.getString(1))
                .forEach(trigger -> findings.add(new Finding(DEFERRED_TRIGGER_WEAKENS, "trigger " + trigger)));
        boolean standby = AdministeredDatabase.rows(
                        connection, "SELECT pg_is_in_recovery()", 1, row -> row.getBoolean(1))
                .get(0);
        if (standby) {
            findings.add(new Finding(SERVER_IS_STANDBY, "pg_is_in_recovery() is true"));
        } else {
            addIf(settings, "transaction_read_only", "on", READ_ONLY, findings);
        }
    }

    /** A Unix socket has no keepalives and reports zero. */
    private static void addKeepalives(Map<String, String> settings, List<Finding> findings) {
        long idle = number(settings, "tcp_keepalives_idle", 0);
        long seconds =
                idle + number(settings, "tcp_keepalives_interval", 0) * number(settings, "tcp_keepalives_count", 0);
        if (idle > 0 && seconds > SECONDS_OF_A_DEAD_MACHINE) {
            findings.add(new Finding(KEEPALIVES_SLOW, "a dead machine is detected after " + seconds + " seconds"));
        }
    }

    private static void addLog(Map<String, String> settings, List<Finding> findings) {
        boolean statements = Set.of("mod", "all").contains(settings.getOrDefault("log_statement", "none"))
                || number(settings, "log_min_duration_statement", -1) >= 0;
        if (statements && number(settings, "log_parameter_max_length", 0) != 0) {
            add(PARAMETERS_LOGGED, settings, "log_parameter_max_length", findings);
        }
        if (number(settings, "log_parameter_max_length_on_error", 0) != 0) {
            add(PARAMETERS_LOGGED, settings, "log_parameter_max_length_on_error", findings);
        }
    }

    private static long number(Map<String, String> settings, String name, long otherwise) {
        return Long.parseLong(settings.getOrDefault(name, Long.toString(otherwise)));
    }

    private static void addIf(
            Map<String, String> settings, String name, String bad, Diagnosis diagnosis, List<Finding> findings) {
        if (bad.equals(settings.get(name))) {
            add(diagnosis, settings, name, findings);
        }
    }

    private static void add(Diagnosis diagnosis, Map<String, String> settings, String name, List<Finding> findings) {
        findings.add(new Finding(diagnosis, name + " is " + settings.get(name)));
    }

    @Override
    public void ofTable(Connection connection, List<Finding> findings) throws SQLException {
        String name = table.toString();
        ProductChecks.addIndexes(
                AdministeredDatabase.rows(
                        connection,
                        INDEX_COLUMNS,
                        0,
                        row -> new IndexColumn(row.getString(1), row.getString(2), row.getBoolean(3)),
                        name,
                        name),
                findings);
        AdministeredDatabase.rows(connection, INVALID, 0, row -> row.getString(1), name, name)
                .forEach(index -> findings.add(new Finding(INDEX_INVALID, "the index " + index + " is not valid")));
        AdministeredDatabase.rows(
                        connection, FULL_PAGES, 0, row -> Map.entry(row.getString(1), row.getInt(2)), name, name)
                .stream()
                .filter(found -> found.getValue() > ROOM_FOR_AN_UPDATE)
                .forEach(found -> findings.add(
                        new Finding(FILLFACTOR, "fillfactor of " + found.getKey() + " is " + found.getValue())));
        AdministeredDatabase.rows(connection, NOT_VACUUMED, 0, row -> row.getString(1), name, name)
                .forEach(found -> findings.add(new Finding(AUTOVACUUM_OFF, "autovacuum is disabled for " + found)));
        AdministeredDatabase.rows(
                        connection,
                        DEAD,
                        0,
                        row -> row.getString(1) + " has " + row.getLong(2) + " dead and " + row.getLong(3)
                                + " live rows",
                        name,
                        name)
                .forEach(found -> findings.add(new Finding(DEAD_ROWS, found)));
        AdministeredDatabase.rows(connection, CHECKS, 0, row -> row.getString(1), name)
                .forEach(check -> findings.add(new Finding(CHECK_CONSTRAINT, "the constraint " + check)));
        List<String> rights = AdministeredDatabase.rows(connection, RIGHTS, 0, row -> row.getString(1), name);
        if (!rights.isEmpty()) {
            findings.add(new Finding(RIGHTS_MISSING, "missing privileges: " + rights));
        }
        boolean hides = AdministeredDatabase.rows(
                        connection,
                        "SELECT row_security_active(to_regclass(?)::oid)",
                        1,
                        row -> row.getBoolean(1),
                        name)
                .get(0);
        if (hides) {
            findings.add(new Finding(ROW_SECURITY, "policies decide which records this user sees"));
        }
    }
}
