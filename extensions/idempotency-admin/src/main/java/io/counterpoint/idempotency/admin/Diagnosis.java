package io.counterpoint.idempotency.admin;

import io.counterpoint.idempotency.admin.Finding.Severity;
import java.util.Locale;

/** Everything that an examination can find, in the order of the documentation. */
public enum Diagnosis {
    // ---- table -----------------------------------------------------------------------------------------------

    /** The table cannot keep records safely. */
    TABLE_REFUSED(
            Severity.ERROR,
            "The table cannot keep records safely.",
            "Change the table as the finding says, or create it from the library's file."),
    /** The table has an earlier layout. */
    TABLE_LAYOUT(
            Severity.WARNING,
            "The table has an earlier layout.",
            "Migrate it as docs/operate-reference.md#migrate-the-table describes, once all nodes run the new version."),
    /** Every write evaluates a check constraint. */
    CHECK_CONSTRAINT(
            Severity.WARNING,
            "Every write evaluates a check constraint.",
            "Drop it unless you need it for something else: the library rejects invalid records when it reads them."),
    /** No index begins with expires_at. */
    PURGE_INDEX_MISSING(
            Severity.WARNING,
            "No index begins with expires_at.",
            "Create the index on (expires_at) from the library's file: without it, each purge reads the whole table."),
    /** An index contains a column that each mark changes. */
    CHANGING_INDEX(
            Severity.WARNING,
            "An index contains a column that each mark changes.",
            "Drop it: it turns each mark into an update of all indexes."),
    /** An index is invalid. */
    INDEX_INVALID(
            Severity.WARNING,
            "An index is invalid.",
            "Drop it and create it again: an interrupted CREATE INDEX CONCURRENTLY left it."),
    /** The pages have no room for the second version of a record. */
    FILLFACTOR(
            Severity.WARNING,
            "The pages have no room for the second version of a record.",
            "ALTER TABLE … SET (fillfactor = 80), on each partition if there are any."),
    /** Autovacuum does not clean the table. */
    AUTOVACUUM_OFF(
            Severity.WARNING,
            "Autovacuum does not clean the table.",
            "ALTER TABLE … RESET (autovacuum_enabled), and set autovacuum = on in the server."),
    /** Dead rows are more than a fifth of the table. */
    DEAD_ROWS(
            Severity.WARNING,
            "Dead rows are more than a fifth of the table.",
            "VACUUM the table, and run autovacuum earlier: SET (autovacuum_vacuum_scale_factor = 0.02)."),
    /** More than half of the table's space is unused. */
    UNUSED_SPACE(
            Severity.WARNING,
            "More than half of the table's space is unused.",
            "OPTIMIZE TABLE while no calls run, and purge more often."),
    /** This connection's user lacks a privilege on the table. */
    RIGHTS_MISSING(
            Severity.ERROR,
            "This connection's user lacks a privilege on the table.",
            "GRANT SELECT, INSERT, UPDATE, DELETE on the table to the application's user."),
    /** Row-level security applies to this user. */
    ROW_SECURITY(
            Severity.ERROR,
            "Row-level security applies to this user.",
            "Let the policies show and accept every record of the user's own scopes, or exempt the table: a hidden record counts as absent."),

    // ---- records ---------------------------------------------------------------------------------------------

    /** Terminal records are long past their retention. */
    PURGE_BEHIND(
            Severity.WARNING,
            "Terminal records are long past their retention.",
            "Call purgeExpired on a schedule, and repeat it while it returns a full batch."),
    /** Attempts that no call can settle are pending past their retention. */
    EXTERNAL_PENDING(
            Severity.WARNING,
            "Attempts that no call can settle are pending past their retention.",
            "Settle each in the application. If its lookup has no answer, check whether the effect exists, at the other side if it is"
                    + " external, and resolve the attempt. Never delete one."),
    /** Other attempts are pending past their retention. */
    PENDING_LEFT(
            Severity.WARNING,
            "Other attempts are pending past their retention.",
            "Nothing, if they are few: the next call of each key settles it, unless its operation has"
                    + " whenAbandoned(LEAVE, ...). Delete many as docs/operate.md#records-that-stay describes."),
    /** The clocks of the database and of this machine differ. */
    CLOCK_SKEW(
            Severity.WARNING,
            "The clocks of the database and of this machine differ.",
            "Synchronise both: the retention is counted by the database's clock."),

    // ---- the server's settings -------------------------------------------------------------------------------

    /** The server is older than the statements require. */
    SERVER_VERSION(
            Severity.ERROR,
            "The server is older than the statements require.",
            "Upgrade it to PostgreSQL 13 or later."),
    /** The connection leads to a standby. */
    SERVER_IS_STANDBY(
            Severity.ERROR,
            "The connection leads to a standby.",
            "Connect to the primary: targetServerType=primary in the URL."),
    /** The session or the server is read-only. */
    READ_ONLY(
            Severity.ERROR,
            "The session or the server is read-only.",
            "Connect to the primary with a user whose sessions may write."),
    /** The server acknowledges commits that are not on disk. */
    FSYNC_OFF(
            Severity.ERROR,
            "The server acknowledges commits that are not on disk.",
            "Set fsync = on: otherwise a crash of the machine loses or corrupts acknowledged commits."),
    /** A crash of the machine can leave a page half-written. */
    FULL_PAGE_WRITES_OFF(
            Severity.ERROR,
            "A crash of the machine can leave a page half-written.",
            "Set full_page_writes = on, unless the file system writes pages atomically."),
    /** Sessions start with a weak synchronous_commit. */
    SYNCHRONOUS_COMMIT_WEAK(
            Severity.WARNING,
            "Sessions start with a weak synchronous_commit.",
            "Set it to on or remote_apply for the application's sessions: the library raises it only in its own transactions."),
    /** A deferred trigger sets synchronous_commit inside the COMMIT. */
    DEFERRED_TRIGGER_WEAKENS(
            Severity.ERROR,
            "A deferred trigger sets synchronous_commit inside the COMMIT.",
            "Remove synchronous_commit from its function: a crash could lose a commit whose result was returned."),
    /** Waits for the whole table are unbounded. */
    LOCK_TIMEOUT_MISSING(
            Severity.WARNING,
            "Waits for the whole table are unbounded.",
            "ALTER ROLE application SET lock_timeout = '5s'."),
    /** A client that is stuck inside a transaction holds its locks forever. */
    IDLE_TRANSACTION_UNBOUNDED(
            Severity.WARNING,
            "A client that is stuck inside a transaction holds its locks forever.",
            "Set idle_in_transaction_session_timeout = 60s, or transaction_timeout. On MariaDB, set idle_transaction_timeout = 60."),
    /** The server does not notice when a client dies during a statement. */
    CONNECTION_CHECK_OFF(
            Severity.WARNING,
            "The server does not notice when a client dies during a statement.",
            "Set client_connection_check_interval = 5s."),
    /** A dead machine holds its locks for minutes or hours. */
    KEEPALIVES_SLOW(
            Severity.WARNING,
            "A dead machine holds its locks for minutes or hours.",
            "Set tcp_keepalives_idle = 30, tcp_keepalives_interval = 10 and tcp_keepalives_count = 3."),
    /** The server's log may contain keys and results. */
    PARAMETERS_LOGGED(
            Severity.WARNING,
            "The server's log may contain keys and results.",
            "Set log_parameter_max_length = 0 and log_parameter_max_length_on_error = 0."),
    /** H2 acknowledges commits before it writes them. */
    H2_WRITE_DELAY(Severity.ERROR, "H2 acknowledges commits before it writes them.", "Add ;WRITE_DELAY=0 to the URL."),
    /** The in-memory database disappears with its last connection. */
    H2_CLOSES(
            Severity.WARNING,
            "The in-memory database disappears with its last connection.",
            "Add ;DB_CLOSE_DELAY=-1 to the URL."),
    /** A lock timeout ends the whole transaction. */
    ROLLBACK_ON_TIMEOUT(
            Severity.WARNING,
            "A lock timeout ends the whole transaction.",
            "Set innodb_rollback_on_timeout = OFF, or let lock timeouts propagate out of the work: if the work swallows one, its outcome is"
                    + " unknown."),
    /** A new primary of the group serves reads before it has applied what the old one acknowledged. */
    GROUP_CONSISTENCY_EVENTUAL(
            Severity.WARNING,
            "A new primary of the group serves reads before it has applied what the old one acknowledged.",
            "Set group_replication_consistency = BEFORE_ON_PRIMARY_FAILOVER: such a call then waits instead of being rejected."),
    /** The binary log is not synced to disk with each commit. */
    BINLOG_SYNC_WEAK(
            Severity.WARNING,
            "The binary log is not synced to disk with each commit.",
            "Set sync_binlog = 1: otherwise a replica may have different commits than the primary after a crash."),

    // ---- the application's driver and pool -------------------------------------------------------------------

    /** A caller may wait forever for a server that is gone. */
    SOCKET_TIMEOUT_MISSING(
            Severity.WARNING,
            "A caller may wait forever for a server that is gone.",
            "Set the driver's socketTimeout above your longest statement."),
    /** The driver is not pgjdbc, or a proxy hides it. */
    DRIVER_UNKNOWN(
            Severity.WARNING,
            "The driver is not pgjdbc, or a proxy hides it.",
            "Use pgjdbc, and a proxy whose connections unwrap to it: otherwise each statement takes a round trip, and so does reading the"
                    + " transaction's state."),
    /** Statements contain their parameters as text. */
    SIMPLE_QUERY_MODE(
            Severity.WARNING,
            "Statements contain their parameters as text.",
            "Remove preferQueryMode=simple: logs and pg_stat_activity show keys."),
    /** The driver sets a savepoint for each exchange. */
    SAVEPOINT_PER_EXCHANGE(
            Severity.WARNING,
            "The driver sets a savepoint for each exchange.",
            "Set autosave=never: otherwise each statement of a combined exchange takes a round trip."),
    /** The URL names several hosts, but not which one to use. */
    HOSTS_WITHOUT_TARGET(
            Severity.ERROR, "The URL names several hosts, but not which one to use.", "Set targetServerType=primary."),
    /** The driver's errors may contain keys. */
    ERROR_DETAIL_SHOWN(
            Severity.WARNING,
            "The driver's errors may contain keys.",
            "Set logServerErrorDetail=false if logs print causes."),
    /** The pool lets a leader wait longer than the default grace period. */
    POOL_TIMEOUT_LONG(
            Severity.WARNING,
            "The pool lets a leader wait longer than the default grace period.",
            "Set connectionTimeout below the grace period minus a second, or choose a longer grace period."),
    /** The pool's test query begins a transaction. */
    POOL_TEST_QUERY(
            Severity.ERROR,
            "The pool's test query begins a transaction.",
            "Set isolateInternalQueries=true, or remove connectionTestQuery."),
    /** The pool hands out read-only connections. */
    POOL_READ_ONLY(Severity.ERROR, "The pool hands out read-only connections.", "Remove readOnly."),
    /** The pool's sessions read uncommitted data. */
    POOL_READ_UNCOMMITTED(
            Severity.ERROR,
            "The pool's sessions read uncommitted data.",
            "Remove transactionIsolation, or set TRANSACTION_READ_COMMITTED."),

    // ---- the examination itself ------------------------------------------------------------------------------

    /** A check could not be made. */
    NOT_EXAMINED(
            Severity.WARNING,
            "A check could not be made.",
            "Grant the user the right to read the catalogue, or examine with another user.");

    private final Severity severity;
    private final String meaning;
    private final String remedy;

    Diagnosis(Severity severity, String meaning, String remedy) {
        this.severity = severity;
        this.meaning = meaning;
        this.remedy = remedy;
    }

    /**
     * Returns the severity of this diagnosis.
     *
     * @return the severity
     */
    public Severity severity() {
        return severity;
    }

    /**
     * Returns what it means.
     *
     * @return a sentence
     */
    public String meaning() {
        return meaning;
    }

    /**
     * Returns what to do.
     *
     * @return a sentence
     */
    public String remedy() {
        return remedy;
    }

    /**
     * Returns its name, which does not change between versions.
     *
     * @return lower-case words with hyphens
     */
    public String code() {
        return name().toLowerCase(Locale.ROOT).replace('_', '-');
    }

    @Override
    public String toString() {
        return code();
    }
}
