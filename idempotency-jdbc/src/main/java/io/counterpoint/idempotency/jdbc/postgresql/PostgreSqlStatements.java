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
 * The SQL of PostgreSQL's statements. Every step is one statement and therefore one round trip: its lock timeout and
 * its durability are set inside it, for the transaction only. They are conditions that are always true and are
 * evaluated before a row is inserted, locked or changed; wrapping them in subqueries or common table expressions would
 * cost the server more than the step itself.
 */
public final class PostgreSqlStatements {

    private static final String NOW = "clock_timestamp()";

    /** The current time for a standalone statement: reading the clock would add several percent to a replay. */
    private static final String BEGIN_OF_TRANSACTION = "CURRENT_TIMESTAMP";

    /** The current time for a statement at the end of a transaction: the same in all of its columns. */
    private static final String STATEMENT = "statement_timestamp()";

    private static final String MICROSECOND = "interval '1 microsecond'";

    /** Bounds the waits of a statement that is its own transaction. */
    private static final String BOUNDED = "set_config('lock_timeout', ?, true) IS NOT NULL";

    /**
     * Does the same in a transaction with the domain, whose statements then get the user's own timeout back, which is
     * saved. The condition is evaluated again if a competing call has changed the row, so an already saved value is
     * kept.
     */
    private static final String BOUNDED_FOR_NOW = """
            set_config('lock_timeout',
                CASE WHEN set_config('idempotency.lock_timeout',
                    coalesce(nullif(current_setting('idempotency.lock_timeout', true), ''),
                        current_setting('lock_timeout')), true) IS NOT NULL
                THEN ? END, true) IS NOT NULL""";

    /** Does the same for a claim, whose conditions are evaluated once and in order. */
    private static final String BOUNDED_AT_CLAIM =
            "set_config('idempotency.lock_timeout', current_setting('lock_timeout'), true) IS NOT NULL AND " + BOUNDED;

    /** The server's message if a claim has to use the session's timeout and there is none. */
    static final String NO_BOUND = "no lock_timeout";

    /** The session's own timeout applies to the claim as well as the work, and marks the transaction. */
    private static final String BOUNDED_BY_SESSION =
            "set_config('idempotency.lock_timeout', current_setting('lock_timeout'), true) <> '0'";

    private static final String UNBOUNDED =
            "set_config('lock_timeout', current_setting('idempotency.lock_timeout'), true)";

    /**
     * The name of a transaction in which a claim has saved the user's timeout: that setting disappears with the
     * transaction.
     */
    static final TransactionName CLAIMED_IN = new TransactionName("claimed in");

    /** Whether this is the named transaction of the claim or the lock; true if no name is given. */
    private static final String IN_ITS_TRANSACTION = """
            coalesce(? IN (pg_current_xact_id()::text,
                CASE WHEN current_setting('idempotency.lock_timeout', true) <> '' THEN '%s' ELSE '' END), true)""".formatted(CLAIMED_IN);

    /** Overrides a weaker setting of the server or user: a returned result must survive a crash. */
    private static final String DURABLE = durable("'synchronous_commit'");

    /** Part of the server's message, in any language, if a mark failed to change a record. */
    public static final String UNCHANGED = "no claim under its token";

    /**
     * The expression that raises it, because no setting has that name. Other expressions take the server longer to
     * prepare.
     */
    private static final String RAISED = "set_config('" + UNCHANGED + "', '', true)";

    /**
     * Under the given condition, the name of the setting that makes a commit durable; otherwise a name that raises an
     * error when used.
     */
    private static final String DURABILITY_IF = "CASE WHEN %s THEN 'synchronous_commit' ELSE '%s' END";

    /** Whether this still is the transaction of the claim, whose commit is then durable. */
    static final String IS_TRANSACTION = "SELECT " + IN_ITS_TRANSACTION + " AND " + DURABLE;

    /** Writes a message to the log, whose commit waits for everything before it. */
    static final String BARRIER = "SELECT pg_logical_emit_message(true, 'idempotency', '') WHERE " + DURABLE;

    /** Returns whether a transaction was committed, once the current one has failed. */
    static final String WAS_COMMITTED = "ROLLBACK; SELECT pg_xact_status(CAST(? AS xid8)) = 'committed'";

    /** Whether this is the transaction {@link #CLAIMED_IN}. */
    private static final String IS_CLAIMED = "current_setting('idempotency.lock_timeout', true) <> ''";

    /** Whether this is the transaction with the given number. Comparing it as text would double the server's cost. */
    private static final String HAS_NUMBER = "pg_current_xact_id() = ?";

    /**
     * Returns neither rows nor columns, which would have to be built and sent. NOT would split the condition in two,
     * and the server would evaluate the cheaper one first.
     */
    private static final String CHECK =
            "SELECT WHERE " + durable(DURABILITY_IF.formatted("%s", UNCHANGED)) + " IS NULL; COMMIT";

    static final String CHECK_AND_COMMIT = CHECK.formatted(HAS_NUMBER);

    /** Used in the transaction {@link #CLAIMED_IN}, which needs no number. */
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
        // An insert would wait for another transaction's uncommitted mark. A call that sees a record need not insert.
        String alone = insert.formatted(NOW) + " WHERE " + BOUNDED + " AND %s AND NOT EXISTS (SELECT FROM " + table
                + " WHERE " + THIS_KEY + ") ON CONFLICT DO NOTHING";
        insertAlone = alone.formatted(DURABLE);
        insertRelaxed = alone.formatted(ASYNCHRONOUS);
        // The second row is evaluated after the first is inserted and yields nothing. RETURNING would cost the same and
        // return nothing if there is a record. A volatile clock function would add a level to the plan.
        insertWithDomain = insert.formatted(BEGIN_OF_TRANSACTION)
                + " FROM (VALUES (true), (false)) AS row (inserted) WHERE CASE WHEN inserted THEN " + BOUNDED_AT_CLAIM
                + " AND " + DURABLE + " ELSE " + UNBOUNDED + " IS NULL END ON CONFLICT DO NOTHING";
        insertBoundedBySession = insert.formatted(BEGIN_OF_TRANSACTION) + " WHERE "
                + durable(DURABILITY_IF.formatted(BOUNDED_BY_SESSION, NO_BOUND)) + " ON CONFLICT DO NOTHING";
        // No condition may suppress the row: a setting that fails makes a NOT NULL column NULL instead.
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
        // One index scan per key, regardless of what the statistics say about an array or a table that has just grown.
        readAll = """
                SELECT found.*, at FROM unnest(?::text[], ?::text[], ?::text[])
                    WITH ORDINALITY AS wanted(scope, operation, key_value, at),
                LATERAL (SELECT %s FROM %s AS record WHERE record.scope = wanted.scope
                    AND record.operation = wanted.operation AND record.key_value = wanted.key_value OFFSET 0) AS found
                """.formatted(columnsAt(BEGIN_OF_TRANSACTION), table);
        // The timeout is set before the first row is inserted, because all rows are sorted first, and restored after
        // the last.
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
        // As with one record, no condition may suppress a row. The settings are evaluated once, by the first row.
        insertAllAndCommit = """
                INSERT INTO %1$s (created_at, expires_at, updated_at, scope, operation, key_value, protocol, state,
                    token, fingerprint, payload)
                SELECT (SELECT CASE WHEN %2$s AND %3$s THEN %4$s END), %4$s + ? * %5$s, %4$s, wanted.*
                FROM unnest(?::text[], ?::text[], ?::text[], ?::text[], ?::text[], ?::uuid[], ?::bytea[], ?::bytea[])
                    AS wanted; COMMIT
                """.formatted(table, BOUNDED, DURABLE, STATEMENT, MICROSECOND);
        // The same transaction has inserted the rows, so the statement waits for nobody and their order does not
        // matter. ON CONFLICT finds each row through the key's index, whereas a join might keep a plan from when the
        // table was small. A missing row would be inserted, but is not counted, so the transaction is rolled back.
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
        // The timeout is set below the lock and restored above it; in a plain query, nothing would be evaluated after
        // the lock.
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
        // By ctid, the server finds the rows without scanning the table. A ctid identifies a row only within one
        // partition and only briefly, so the table and the whole condition are checked again. IS TRUE keeps them out of
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
