package io.counterpoint.idempotency.admin;

import io.counterpoint.idempotency.admin.Finding.Severity;
import java.util.Locale;

/** All that an examination can find, in the order of the page on administration. */
public enum Diagnosis {
    // ---- table -----------------------------------------------------------------------------------------------

    /** The table cannot store records. */
    TABLE_REFUSED(
            Severity.ERROR,
            "The table cannot store records.",
            "Change the table as described in the finding, or create it with the library's file."),
    /** The table has an earlier layout. */
    TABLE_LAYOUT(
            Severity.WARNING,
            "The table has an earlier layout.",
            "Migrate it with the statements in docs/upgrades.md once all nodes run the new version."),
    /** Every write evaluates a check constraint. */
    CHECK_CONSTRAINT(
            Severity.WARNING,
            "Every write evaluates a check constraint.",
            "Drop it, unless you need it for something else: the library checks records when it reads them and"
                    + " refuses invalid ones."),
    /** No index begins with expires_at. */
    PURGE_INDEX_MISSING(
            Severity.WARNING,
            "No index begins with expires_at.",
            "Create the index on (expires_at) from the library's file: otherwise each purge reads the whole table."),
    /** An index has a column that every mark changes. */
    CHANGING_INDEX(
            Severity.WARNING,
            "An index has a column that every mark changes.",
            "Drop it: it turns every mark into an update of all indexes."),
    /** An index is not valid. */
    INDEX_INVALID(
            Severity.WARNING,
            "An index is not valid.",
            "Drop it and create it again: it is left over from an interrupted CREATE INDEX CONCURRENTLY."),
    /** The pages have no room for the second version of a record. */
    FILLFACTOR(
            Severity.WARNING,
            "The pages have no room for the second version of a record.",
            "ALTER TABLE … SET (fillfactor = 80), on each partition where there are some."),
    /** Autovacuum does not clean the table. */
    AUTOVACUUM_OFF(
            Severity.WARNING,
            "Autovacuum does not clean the table.",
            "ALTER TABLE … RESET (autovacuum_enabled), and set autovacuum = on in the server."),
    /** Dead rows are more than a fifth of the table. */
    DEAD_ROWS(
            Severity.WARNING,
            "Dead rows are more than a fifth of the table.",
            "VACUUM the table, and let autovacuum come earlier: SET (autovacuum_vacuum_scale_factor = 0.02)."),
    /** More than half of the table's space is unused. */
    UNUSED_SPACE(
            Severity.WARNING,
            "More than half of the table's space is unused.",
            "Run OPTIMIZE TABLE while there are no calls, and purge more often."),
    /** The user of this connection lacks a privilege on the table. */
    RIGHTS_MISSING(
            Severity.ERROR,
            "The user of this connection lacks a privilege on the table.",
            "GRANT SELECT, INSERT, UPDATE, DELETE on the table to the application's user."),
    /** Row-level security is on for this user. */
    ROW_SECURITY(
            Severity.ERROR,
            "Row-level security is on for this user.",
            "Let the user's policies show and accept every record of its own scopes, or exempt the table: a hidden"
                    + " record counts as absent."),

    // ---- records ---------------------------------------------------------------------------------------------

    /** Terminal records are long past their retention. */
    PURGE_BEHIND(
            Severity.WARNING,
            "Terminal records are long past their retention.",
            "Call purgeExpired on a schedule, and repeat it while it returns a full batch."),
    /** Attempts that no call settles are pending past their retention. */
    EXTERNAL_PENDING(
            Severity.WARNING,
            "Attempts that no call settles are pending past their retention.",
            "Settle each in the application. If its lookup cannot tell, check whether the attempt took effect (for an"
                    + " external one, at the provider), then resolve it. Never delete one."),
    /** Other attempts are pending past their retention. */
    PENDING_LEFT(
            Severity.WARNING,
            "Other attempts are pending past their retention.",
            "If they are few, do nothing: the next call with each key settles it. Delete many as described in"
                    + " docs/operate.md."),
    /** The clocks of the database and of this machine differ. */
    CLOCK_SKEW(
            Severity.WARNING,
            "The clocks of the database and of this machine differ.",
            "Synchronize both clocks: the retention is measured by the database's clock."),

    // ---- the server's settings -------------------------------------------------------------------------------

    /** The server's version is older than the statements require. */
    SERVER_VERSION(
            Severity.ERROR,
            "The server's version is older than the statements require.",
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
            "Set fsync = on: otherwise a crash of the machine loses or destroys acknowledged commits."),
    /** A crash of the machine can leave a torn page. */
    FULL_PAGE_WRITES_OFF(
            Severity.ERROR,
            "A crash of the machine can leave a torn page.",
            "Set full_page_writes = on, unless the file system writes pages atomically."),
    /** Sessions start with a weak synchronous_commit. */
    SYNCHRONOUS_COMMIT_WEAK(
            Severity.WARNING,
            "Sessions start with a weak synchronous_commit.",
            "Set it to on or remote_apply for the application's sessions: the library raises it only in its own"
                    + " transactions."),
    /** A deferred trigger sets synchronous_commit inside the COMMIT. */
    DEFERRED_TRIGGER_WEAKENS(
            Severity.ERROR,
            "A deferred trigger sets synchronous_commit inside the COMMIT.",
            "Remove synchronous_commit from its function: otherwise a crash could lose a commit whose result a caller"
                    + " has received."),
    /** Waits for a lock on the whole table are unbounded. */
    LOCK_TIMEOUT_MISSING(
            Severity.WARNING,
            "Waits for a lock on the whole table are unbounded.",
            "ALTER ROLE application SET lock_timeout = '5s'."),
    /** A client that hangs inside a transaction holds its locks forever. */
    IDLE_TRANSACTION_UNBOUNDED(
            Severity.WARNING,
            "A client that hangs inside a transaction holds its locks forever.",
            "Set idle_in_transaction_session_timeout = 60s, or transaction_timeout. On MariaDB set idle_transaction_timeout = 60."),
    /** A running statement of a killed client goes unnoticed. */
    CONNECTION_CHECK_OFF(
            Severity.WARNING,
            "A running statement of a killed client goes unnoticed.",
            "Set client_connection_check_interval = 5s."),
    /** A dead machine holds its locks for minutes or hours. */
    KEEPALIVES_SLOW(
            Severity.WARNING,
            "A dead machine holds its locks for minutes or hours.",
            "Set tcp_keepalives_idle = 30, tcp_keepalives_interval = 10 and tcp_keepalives_count = 3."),
    /** The server's log can contain keys and results. */
    PARAMETERS_LOGGED(
            Severity.WARNING,
            "The server's log can contain keys and results.",
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
            "Set innodb_rollback_on_timeout = OFF, or let lock timeouts leave the work: if the work swallows one, the"
                    + " outcome of its call is unknown."),
    /** A new primary of the group reads before it has applied what the previous primary acknowledged. */
    GROUP_CONSISTENCY_EVENTUAL(
            Severity.WARNING,
            "A new primary of the group reads before it has applied what the previous primary acknowledged.",
            "Set group_replication_consistency = BEFORE_ON_PRIMARY_FAILOVER: such a call then waits instead of being"
                    + " rejected."),
    /** The binary log is not flushed to disk with each commit. */
    BINLOG_SYNC_WEAK(
            Severity.WARNING,
            "The binary log is not flushed to disk with each commit.",
            "Set sync_binlog = 1: otherwise, after a crash, a replica can have other commits than the primary."),

    // ---- the application's driver and pool -------------------------------------------------------------------

    /** A caller may wait forever for a server that is gone. */
    SOCKET_TIMEOUT_MISSING(
            Severity.WARNING,
            "A caller may wait forever for a server that is gone.",
            "Set the driver's socketTimeout above the time of your longest statement."),
    /** The driver is not pgjdbc, or a proxy hides it. */
    DRIVER_UNKNOWN(
            Severity.WARNING,
            "The driver is not pgjdbc, or a proxy hides it.",
            "Use pgjdbc, and a proxy whose connections unwrap to it: otherwise each statement takes a round trip, and"
                    + " so does each query of the transaction's state."),
    /** Statements contain their parameters as text. */
    SIMPLE_QUERY_MODE(
            Severity.WARNING,
            "Statements contain their parameters as text.",
            "Remove preferQueryMode=simple: with it, logs and pg_stat_activity show keys."),
    /** The driver sets a savepoint for each round trip. */
    SAVEPOINT_PER_EXCHANGE(
            Severity.WARNING,
            "The driver sets a savepoint for each round trip.",
            "Set autosave=never: otherwise each of the statements sent together takes its own round trip."),
    /** The URL names several hosts but not which of them to use. */
    HOSTS_WITHOUT_TARGET(
            Severity.ERROR,
            "The URL names several hosts but not which of them to use.",
            "Set targetServerType=primary."),
    /** Errors of the driver can reveal keys. */
    ERROR_DETAIL_SHOWN(
            Severity.WARNING,
            "Errors of the driver can reveal keys.",
            "Set logServerErrorDetail=false if logs contain causes."),
    /** The pool lets a leader wait longer than the default grace period. */
    POOL_TIMEOUT_LONG(
            Severity.WARNING,
            "The pool lets a leader wait longer than the default grace period.",
            "Set connectionTimeout to less than the grace period minus one second, or set a longer grace period."),
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

    /** A check could not run. */
    NOT_EXAMINED(
            Severity.WARNING,
            "A check could not run.",
            "Grant the user access to the catalogue, or run the doctor as another user.");

    private final Severity severity;
    private final String meaning;
    private final String remedy;

    Diagnosis(Severity severity, String meaning, String remedy) {
        this.severity = severity;
        this.meaning = meaning;
        this.remedy = remedy;
    }

    /**
     * How bad it is.
     *
     * @return the severity
     */
    public Severity severity() {
        return severity;
    }

    /**
     * What it means.
     *
     * @return a sentence
     */
    public String meaning() {
        return meaning;
    }

    /**
     * What to do.
     *
     * @return a sentence
     */
    public String remedy() {
        return remedy;
    }

    /**
     * Its name, which does not change between versions.
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
