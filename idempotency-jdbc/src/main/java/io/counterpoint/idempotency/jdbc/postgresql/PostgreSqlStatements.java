package io.counterpoint.idempotency.jdbc.postgresql;

import static io.counterpoint.idempotency.jdbc.spi.RecordRow.COLUMNS;
import static io.counterpoint.idempotency.jdbc.spi.RecordRow.THIS_KEY;
import static io.counterpoint.idempotency.jdbc.spi.RecordRow.columnsAt;

import io.counterpoint.idempotency.jdbc.spi.RecordChange;
import io.counterpoint.idempotency.jdbc.spi.RecordTable;
import io.counterpoint.idempotency.jdbc.spi.TransactionName;
import java.util.Map;
import java.util.stream.Collectors;

/**
 * The texts of PostgreSQL's statements. Every step is one statement, so one round trip: its bound for locks and its
 * durability are set inside it, for the transaction only. They are conditions that are always true, met before a row is
 * inserted, locked or changed; subqueries and common tables around them cost the server more than the step itself.
 */
public final class PostgreSqlStatements {

    private static final String NOW = "clock_timestamp()";

    /** Now, for a statement that is alone: to ask the clock costs a replay several percent of what it takes. */
    private static final String BEGIN_OF_TRANSACTION = "CURRENT_TIMESTAMP";

    /** Now, for a statement at the end of a transaction: the same in all of its columns. */
    private static final String STATEMENT = "statement_timestamp()";

    private static final String MICROSECOND = "interval '1 microsecond'";

    /** Bounds the waits of a statement that is a transaction of its own. */
    private static final String BOUNDED = "set_config('lock_timeout', ?, true) IS NOT NULL";

    /**
     * The same in a transaction with the domain, whose statements then get the user's own bound back: it is put aside. A
     * condition is met again where a rival has changed the row, so what is put aside already stays.
     */
    private static final String BOUNDED_FOR_NOW = """
            set_config('lock_timeout',
                CASE WHEN set_config('idempotency.lock_timeout',
                    coalesce(nullif(current_setting('idempotency.lock_timeout', true), ''),
                        current_setting('lock_timeout')), true) IS NOT NULL
                THEN ? END, true) IS NOT NULL""";

    /** The same at a claim, whose conditions are met once, and one after the other. */
    private static final String BOUNDED_AT_CLAIM =
            "set_config('idempotency.lock_timeout', current_setting('lock_timeout'), true) IS NOT NULL AND " + BOUNDED;

    /** What the server says where a claim has to keep to the session's bound, and there is none. */
    static final String NO_BOUND = "no lock_timeout";

    /** The session's own bound holds for the claim as for the work, and marks the transaction. */
    private static final String BOUNDED_BY_SESSION =
            "set_config('idempotency.lock_timeout', current_setting('lock_timeout'), true) <> '0'";

    private static final String UNBOUNDED =
            "set_config('lock_timeout', current_setting('idempotency.lock_timeout'), true)";

    /** The name of a transaction in which a claim has put the user's bound aside: its end takes that setting along. */
    static final TransactionName CLAIMED_IN = new TransactionName("claimed in");

    /** Whether this is the transaction of the claim or the lock, by its name; true if none is given. */
    private static final String IN_ITS_TRANSACTION = """
            coalesce(? IN (pg_current_xact_id()::text,
                CASE WHEN current_setting('idempotency.lock_timeout', true) <> '' THEN '%s' ELSE '' END), true)""".formatted(CLAIMED_IN);

    /** Raises a server's or user's weaker setting: a returned answer must survive a crash. */
    private static final String DURABLE = durable("'synchronous_commit'");

    /** What the server says, in whatever language, of a mark that had to change a record and did not. */
    public static final String UNCHANGED = "no claim under its token";

    /** What raises it: no setting has that name. Other expressions take the server longer to prepare. */
    private static final String RAISED = "set_config('" + UNCHANGED + "', '', true)";

    /** The name of the setting that makes a commit durable if so, or else what raises an error where it is asked for. */
    private static final String DURABILITY_IF = "CASE WHEN %s THEN 'synchronous_commit' ELSE '%s' END";

    /** Whether this still is the transaction of the claim, whose commit is then durable. */
    static final String IS_TRANSACTION = "SELECT " + IN_ITS_TRANSACTION + " AND " + DURABLE;

    /** A message in the log, whose commit waits for what was before it. */
    static final String BARRIER = "SELECT pg_logical_emit_message(true, 'idempotency', '') WHERE " + DURABLE;

    /** Whether a transaction was committed, asked where this one has failed. */
    static final String WAS_COMMITTED = "ROLLBACK; SELECT pg_xact_status(CAST(? AS xid8)) = 'committed'";

    /** Whether this is the transaction {@link #CLAIMED_IN}. */
    private static final String IS_CLAIMED = "current_setting('idempotency.lock_timeout', true) <> ''";

    /** Whether this is the transaction of that number. To compare it as a text costs the server as much again. */
    private static final String HAS_NUMBER = "pg_current_xact_id() = ?";

    /**
     * Without a row and without a column, which would be built and sent. NOT would make two conditions of the one, and the
     * server would take the cheaper first.
     */
    private static final String CHECK =
            "SELECT WHERE " + durable(DURABILITY_IF.formatted("%s", UNCHANGED)) + " IS NULL; COMMIT";

    static final String CHECK_AND_COMMIT = CHECK.formatted(HAS_NUMBER);

    /** In the transaction {@link #CLAIMED_IN}, which needs no number. */
    static final String CHECK_CLAIMED_AND_COMMIT = CHECK.formatted(IS_CLAIMED);

    private static final String ASYNCHRONOUS = "set_config('synchronous_commit', 'off', true) IS NOT NULL";

    final String insertAlone;
    final String insertRelaxed;
    final String insertWithDomain;
    final String insertBoundedBySession;
    final String insertAndCommit;
    final String insertAllAndCommit;
    final String claimAndLock;
    final String claimRelaxedAndLock;
    final String read;
    final String readAlone;
    final String readAndEnd;
    final String readAll;
    final String insertAll;
    final String succeedAll;
    final String lock;
    final String lockIfFree;
    final String lockAtOnce;
    final Map<RecordChange, String> changes;
    final Map<RecordChange, String> changesAlone;
    final String succeedClaimedAndCommit;
    final String succeedAndCommit;
    final String confirm;
    final String purge;

    private static String durable(String setting) {
        return "(current_setting(" + setting + ") IN ('on', 'remote_apply')"
                + " OR set_config('synchronous_commit', 'on', true) IS NOT NULL)";
    }

    PostgreSqlStatements(RecordTable table) {
        String insert = "INSERT INTO " + table + " (scope, operation, key_value, " + COLUMNS
                + ", created_at, updated_at, expires_at) SELECT ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, %1$s, %1$s, %1$s + ? * "
                + MICROSECOND;
        // An insert would wait for another's uncommitted mark. A call that sees a record need not insert.
        String alone = insert.formatted(NOW) + " WHERE " + BOUNDED + " AND %s AND NOT EXISTS (SELECT FROM " + table
                + " WHERE " + THIS_KEY + ") ON CONFLICT DO NOTHING";
        insertAlone = alone.formatted(DURABLE);
        insertRelaxed = alone.formatted(ASYNCHRONOUS);
        // The second row is asked for when the first is inserted, and is none. RETURNING would cost the same, and give
        // nothing back where there is a record. The clock is volatile: it would take a plan of one more level.
        insertWithDomain = insert.formatted(BEGIN_OF_TRANSACTION)
                + " FROM (VALUES (true), (false)) AS row (inserted) WHERE CASE WHEN inserted THEN " + BOUNDED_AT_CLAIM
                + " AND " + DURABLE + " ELSE " + UNBOUNDED + " IS NULL END ON CONFLICT DO NOTHING";
        insertBoundedBySession = insert.formatted(BEGIN_OF_TRANSACTION) + " WHERE "
                + durable(DURABILITY_IF.formatted(BOUNDED_BY_SESSION, NO_BOUND)) + " ON CONFLICT DO NOTHING";
        // No condition can leave the row out: what is not set makes a column NULL that must not be.
        insertAndCommit = "INSERT INTO " + table + " (scope, operation, key_value, " + COLUMNS
                + ", expires_at, created_at, updated_at) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, %1$s + ? * "
                        .formatted(STATEMENT)
                + MICROSECOND + ", CASE WHEN " + BOUNDED + " AND " + DURABLE
                + " THEN %1$s END, %1$s); COMMIT".formatted(STATEMENT);
        read = "SELECT %s FROM %s WHERE %s".formatted(columnsAt(NOW), table, THIS_KEY);
        readAlone = "SELECT %s FROM %s WHERE %s".formatted(columnsAt(BEGIN_OF_TRANSACTION), table, THIS_KEY);
        readAndEnd = read + "; ROLLBACK";
        String thenLock = "; COMMIT; BEGIN; SELECT pg_current_xact_id()::text FROM " + table + " WHERE " + THIS_KEY
                + " AND state = 'P' AND token = ? FOR UPDATE SKIP LOCKED";
        claimAndLock = insertAlone + thenLock;
        claimRelaxedAndLock = insertRelaxed + thenLock;
        // One index scan for each key, whatever the statistics say of an array or of a table that has just grown.
        readAll = """
                SELECT found.*, at FROM unnest(?::text[], ?::text[], ?::text[])
                    WITH ORDINALITY AS wanted(scope, operation, key_value, at),
                LATERAL (SELECT %s FROM %s AS record WHERE record.scope = wanted.scope
                    AND record.operation = wanted.operation AND record.key_value = wanted.key_value OFFSET 0) AS found
                """.formatted(columnsAt(BEGIN_OF_TRANSACTION), table);
        // The bound is set before the first row is inserted, since all rows are sorted before, and given back after the
        // last.
        insertAll = """
                WITH bounded AS MATERIALIZED (SELECT %2$s AND %3$s AS yes),
                inserted AS (
                    INSERT INTO %1$s (scope, operation, key_value, protocol, state, token, fingerprint, payload,
                        created_at, updated_at, expires_at)
                    SELECT scope, operation, key_value, protocol, state, token, fingerprint, payload,
                        %4$s, %4$s, %4$s + ? * %5$s
                    FROM bounded, unnest(?::text[], ?::text[], ?::text[], ?::text[], ?::text[], ?::uuid[], ?::bytea[],
                        ?::bytea[]) WITH ORDINALITY
                        AS wanted(scope, operation, key_value, protocol, state, token, fingerprint, payload, at)
                    WHERE yes ORDER BY at
                    ON CONFLICT DO NOTHING RETURNING token)
                SELECT array_agg(token), %6$s FROM inserted
                """.formatted(table, BOUNDED_AT_CLAIM, DURABLE, BEGIN_OF_TRANSACTION, MICROSECOND, UNBOUNDED);
        // As with one record, no condition can leave a row out. What is set is asked for once, by the first row.
        insertAllAndCommit = """
                INSERT INTO %1$s (created_at, expires_at, updated_at, scope, operation, key_value, protocol, state,
                    token, fingerprint, payload)
                SELECT (SELECT CASE WHEN %2$s AND %3$s THEN %4$s END), %4$s + ? * %5$s, %4$s, wanted.*
                FROM unnest(?::text[], ?::text[], ?::text[], ?::text[], ?::text[], ?::uuid[], ?::bytea[], ?::bytea[])
                    AS wanted; COMMIT
                """.formatted(table, BOUNDED, DURABLE, STATEMENT, MICROSECOND);
        // Its transaction has inserted the rows, so it waits for nobody, and their order does not matter. A conflict
        // finds each row by the key's index. The plan of a join would be kept from when the table was small. A row that
        // is gone would be inserted: it is not counted, and the transaction is rolled back.
        succeedAll = """
                WITH checked AS MATERIALIZED (SELECT %2$s AND %3$s AS yes),
                succeeded AS (
                    INSERT INTO %1$s AS record (scope, operation, key_value, protocol, state, token, fingerprint,
                        payload, created_at, updated_at, expires_at)
                    SELECT scope, operation, key_value, 'S', 'S', token, '', payload, '-infinity', clock_timestamp(),
                        '-infinity'
                    FROM checked, unnest(?::text[], ?::text[], ?::text[], ?::uuid[], ?::bytea[])
                        AS made(scope, operation, key_value, token, payload)
                    WHERE yes
                    ON CONFLICT (scope, operation, key_value) DO UPDATE
                        SET updated_at = excluded.updated_at, state = 'S', payload = excluded.payload
                        WHERE record.state = 'P' AND record.token = excluded.token
                    RETURNING record.created_at)
                SELECT count(*) FROM succeeded WHERE created_at > '-infinity'
                """.formatted(table, IN_ITS_TRANSACTION, DURABLE);
        String locking = "SELECT pg_current_xact_id()::text, %s FROM %s WHERE %s FOR UPDATE"
                .formatted(columnsAt(NOW), table, THIS_KEY);
        lockIfFree = locking + " SKIP LOCKED";
        lockAtOnce = locking + " NOWAIT";
        // The bound is set below the lock and given back above it: no part of a plain query would be after its lock.
        lock = """
                SELECT locked.*, %s FROM (%s) AS locked
                """.formatted(UNBOUNDED, locking.replace(THIS_KEY, THIS_KEY + " AND " + BOUNDED_FOR_NOW));
        String pending = " WHERE " + THIS_KEY + " AND state = 'P' AND token = ? AND " + DURABLE;
        String update = "UPDATE " + table + " SET updated_at = clock_timestamp(), ";
        changes = Map.of(
                RecordChange.SUCCEED,
                update + "state = 'S', payload = coalesce(?, payload)" + pending + " AND " + IN_ITS_TRANSACTION,
                RecordChange.FAIL,
                update + "state = 'F', payload = NULL, failure_code = ?, failure_message = ?" + pending,
                RecordChange.RELEASE,
                "DELETE FROM " + table + pending,
                RecordChange.REPLACE_TOKEN,
                update + "token = ?" + pending,
                RecordChange.CHANGE_PROTOCOL,
                update + "token = ?, protocol = ?, payload = coalesce(?, payload)" + pending);
        changesAlone = changes.entrySet().stream()
                .collect(Collectors.toUnmodifiableMap(
                        Map.Entry::getKey, change -> change.getValue() + " AND " + BOUNDED));
        String mark = """
                MERGE INTO %1$s USING (SELECT ?::bytea AS result) AS made ON %2$s
                WHEN MATCHED AND state = 'P' AND token = ? AND %5$s AND %3$s
                    THEN UPDATE SET updated_at = clock_timestamp(), state = 'S', payload = coalesce(result, payload)
                WHEN MATCHED THEN UPDATE SET state = %4$s
                WHEN NOT MATCHED THEN INSERT (state) VALUES (%4$s); COMMIT
                """;
        succeedClaimedAndCommit = mark.formatted(table, THIS_KEY, DURABLE, RAISED, IS_CLAIMED);
        succeedAndCommit = mark.formatted(table, THIS_KEY, DURABLE, RAISED, HAS_NUMBER);
        confirm = "UPDATE " + table + " SET updated_at = greatest(clock_timestamp(), updated_at + " + MICROSECOND
                + ") WHERE " + THIS_KEY + " AND token = ? AND " + DURABLE + " AND " + BOUNDED;
        String expired = "expires_at < statement_timestamp() AND state <> 'P'"
                + " AND updated_at + (expires_at - created_at) < statement_timestamp()";
        // By their places the server finds the rows without a scan of the table. A place names a row of one partition
        // only, and for a moment only: the table and the whole condition are asked for again. IS TRUE keeps them out of
        // a join, whose plan would depend on the statistics.
        purge = """
                WITH found AS MATERIALIZED (
                    SELECT tableoid, ctid FROM %1$s WHERE expires_at >= ?::timestamptz AND %2$s
                    ORDER BY expires_at LIMIT ? FOR UPDATE SKIP LOCKED),
                purged AS (
                    DELETE FROM %1$s WHERE ctid = ANY (ARRAY(SELECT ctid FROM found))
                        AND ((tableoid, ctid) IN (SELECT tableoid, ctid FROM found)) IS TRUE AND %2$s
                    RETURNING expires_at)
                SELECT count(*), max(expires_at) FROM purged
                """.formatted(table, expired);
    }
}
