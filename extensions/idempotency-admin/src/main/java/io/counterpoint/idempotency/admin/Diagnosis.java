package io.counterpoint.idempotency.admin;

import io.counterpoint.idempotency.admin.Finding.Severity;
import java.util.Locale;

/** All that an examination can find, in the order of the page on administration. */
public enum Diagnosis {
    // ---- table -----------------------------------------------------------------------------------------------

    /** The table cannot keep records. */
    TABLE_REFUSED(
            Severity.ERROR,
            "The table cannot keep records.",
            "Change the table as the finding says, or create it with the library's file."),
    /** The table has an earlier layout. */
    TABLE_LAYOUT(
            Severity.WARNING,
            "The table has an earlier layout.",
            "Migrate it with the statements of docs/live-service.md#migrate-the-table, once all nodes run the new version."),
    /** Every write evaluates a check constraint. */
    CHECK_CONSTRAINT(
            Severity.WARNING,
            "Every write evaluates a check constraint.",
            "Drop it, unless you need it for something else: the library refuses records that do not fit when it reads them."),
    /** No index begins with expires_at. */
    PURGE_INDEX_MISSING(
            Severity.WARNING,
            "No index begins with expires_at.",
            "Create the index on (expires_at) of the library's file: without it each purge reads the whole table."),
    /** An index has a column that each mark changes. */
    CHANGING_INDEX(
            Severity.WARNING,
            "An index has a column that each mark changes.",
            "Drop it: it turns each mark into an update of all indexes."),
    /** An index is not valid. */
    INDEX_INVALID(
            Severity.WARNING,
            "An index is not valid.",
            "Drop it, and create it again: an interrupted CREATE INDEX CONCURRENTLY left it."),
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
            "OPTIMIZE TABLE while no calls come, and purge in shorter intervals."),
    /** The user of this connection lacks a right on the table. */
    RIGHTS_MISSING(
            Severity.ERROR,
            "The user of this connection lacks a right on the table.",
            "GRANT SELECT, INSERT, UPDATE, DELETE on the table to the application's user."),
    /** Row level security is on for this user. */
    ROW_SECURITY(
            Severity.ERROR,
            "Row level security is on for this user.",
            "Let the user's policies show and accept each record of its own scopes, or exempt the table: a hidden record counts as absent."),

    // ---- records ---------------------------------------------------------------------------------------------

    /** Terminal records are long past their retention. */
    PURGE_BEHIND(
            Severity.WARNING,
            "Terminal records are long past their retention.",
            "Call purgeExpired on a schedule, and again while it returns a whole batch."),
    /** External attempts wait past their retention, or work that has ended its own transaction. */
    EXTERNAL_PENDING(
            Severity.WARNING,
            "Attempts that no call ends are pending past their retention.",
            "Settle each in the application. Where its lookup does not know, look whether the effect is there, for an external"
                    + " one at the other side, then resolve it. Never delete one."),
    /** Other attempts are pending past their retention. */
    PENDING_LEFT(
            Severity.WARNING,
            "Other attempts are pending past their retention.",
            "Nothing, if they are few: the next call of each key ends it. Delete many as docs/operate.md says."),
    /** The clocks of the database and of this machine differ. */
    CLOCK_SKEW(
            Severity.WARNING,
            "The clocks of the database and of this machine differ.",
            "Synchronise both clocks: the retention counts by the database's clock."),

    // ---- the server's settings -------------------------------------------------------------------------------

    /** The server's version is older than the statements need. */
    SERVER_VERSION(
            Severity.ERROR,
            "The server's version is older than the statements need.",
            "Upgrade it to PostgreSQL 13 or later."),
    /** The connection leads to a standby. */
    SERVER_IS_STANDBY(
            Severity.ERROR,
            "The connection leads to a standby.",
            "Send everything to the primary: targetServerType=primary in the URL."),
    /** The session or the server is read-only. */
    READ_ONLY(
            Severity.ERROR,
            "The session or the server is read-only.",
            "Connect to the primary with a user whose sessions may write."),
    /** The server acknowledges commits that are not on the disk. */
    FSYNC_OFF(
            Severity.ERROR,
            "The server acknowledges commits that are not on the disk.",
            "Set fsync = on: a crash of the machine loses or destroys acknowledged commits."),
    /** A crash of the machine can leave half of a page. */
    FULL_PAGE_WRITES_OFF(
            Severity.ERROR,
            "A crash of the machine can leave half of a page.",
            "Set full_page_writes = on, unless the file system writes pages whole."),
    /** Sessions begin with a weak synchronous_commit. */
    SYNCHRONOUS_COMMIT_WEAK(
            Severity.WARNING,
            "Sessions begin with a weak synchronous_commit.",
            "Set it to on or remote_apply for the application's sessions: the library raises it in its own transactions only."),
    /** A deferred trigger lowers the durability of the commit. */
    DEFERRED_TRIGGER_WEAKENS(
            Severity.ERROR,
            "A deferred trigger sets synchronous_commit inside the COMMIT.",
            "Take synchronous_commit out of its function: a crash could lose a commit that a caller has the answer of."),
    /** Waits for the whole table have no bound. */
    LOCK_TIMEOUT_MISSING(
            Severity.WARNING,
            "Waits for the whole table have no bound.",
            "ALTER ROLE application SET lock_timeout = '5s'."),
    /** A client that is stuck inside a transaction holds its locks for ever. */
    IDLE_TRANSACTION_UNBOUNDED(
            Severity.WARNING,
            "A client that is stuck inside a transaction holds its locks for ever.",
            "Set idle_in_transaction_session_timeout = 60s, or transaction_timeout. On MariaDB set idle_transaction_timeout = 60."),
    /** A running statement of a killed client is not noticed. */
    CONNECTION_CHECK_OFF(
            Severity.WARNING,
            "A running statement of a killed client is not noticed.",
            "Set client_connection_check_interval = 5s."),
    /** A dead machine holds its locks for minutes or hours. */
    KEEPALIVES_SLOW(
            Severity.WARNING,
            "A dead machine holds its locks for minutes or hours.",
            "Set tcp_keepalives_idle = 30, tcp_keepalives_interval = 10 and tcp_keepalives_count = 3."),
    /** The server's log can hold keys and results. */
    PARAMETERS_LOGGED(
            Severity.WARNING,
            "The server's log can hold keys and results.",
            "Set log_parameter_max_length = 0 and log_parameter_max_length_on_error = 0."),
    /** H2 acknowledges commits before it writes them. */
    H2_WRITE_DELAY(Severity.ERROR, "H2 acknowledges commits before it writes them.", "Add ;WRITE_DELAY=0 to the URL."),
    /** The database in memory is gone with its last connection. */
    H2_CLOSES(
            Severity.WARNING,
            "The database in memory is gone with its last connection.",
            "Add ;DB_CLOSE_DELAY=-1 to the URL."),
    /** A lock timeout ends the whole transaction. */
    ROLLBACK_ON_TIMEOUT(
            Severity.WARNING,
            "A lock timeout ends the whole transaction.",
            "Set innodb_rollback_on_timeout = OFF, or let lock timeouts out of the work: a work that swallows one gets no"
                    + " answer but that its outcome is unknown."),
    /** A new primary of the group may read too early. */
    GROUP_CONSISTENCY_EVENTUAL(
            Severity.WARNING,
            "A new primary of the group reads before it has applied what the former one has answered.",
            "Set group_replication_consistency = BEFORE_ON_PRIMARY_FAILOVER: such a call then waits instead of being refused."),
    /** The binary log is not on the disk with each commit. */
    BINLOG_SYNC_WEAK(
            Severity.WARNING,
            "The binary log is not on the disk with each commit.",
            "Set sync_binlog = 1: after a crash a replica can have other commits than the primary."),

    // ---- the application's driver and pool -------------------------------------------------------------------

    /** A caller may wait for ever for a server that is gone. */
    SOCKET_TIMEOUT_MISSING(
            Severity.WARNING,
            "A caller may wait for ever for a server that is gone.",
            "Set the driver's socketTimeout above your longest statement."),
    /** The driver is not pgjdbc, or a proxy hides it. */
    DRIVER_UNKNOWN(
            Severity.WARNING,
            "The driver is not pgjdbc, or a proxy hides it.",
            "Use pgjdbc, and a proxy whose connections unwrap to it: otherwise each statement takes a round trip, and"
                    + " so does a look at the transaction's state."),
    /** Statements have their parameters in their text. */
    SIMPLE_QUERY_MODE(
            Severity.WARNING,
            "Statements have their parameters in their text.",
            "Remove preferQueryMode=simple: logs and pg_stat_activity show keys."),
    /** The driver sets a savepoint for each exchange. */
    SAVEPOINT_PER_EXCHANGE(
            Severity.WARNING,
            "The driver sets a savepoint for each exchange.",
            "Set autosave=never: each statement of a combined exchange takes a round trip."),
    /** The URL names several hosts and not which one is meant. */
    HOSTS_WITHOUT_TARGET(
            Severity.ERROR, "The URL names several hosts and not which one is meant.", "Set targetServerType=primary."),
    /** Errors of the driver can show keys. */
    ERROR_DETAIL_SHOWN(
            Severity.WARNING,
            "Errors of the driver can show keys.",
            "Set logServerErrorDetail=false where logs print causes."),
    /** The pool lets a leader wait longer than the default grace period. */
    POOL_TIMEOUT_LONG(
            Severity.WARNING,
            "The pool lets a leader wait longer than the default grace period.",
            "Set connectionTimeout below the grace period less a second, or set a longer grace period."),
    /** The pool's test query begins a transaction. */
    POOL_TEST_QUERY(
            Severity.ERROR,
            "The pool's test query begins a transaction.",
            "Set isolateInternalQueries=true, or remove connectionTestQuery."),
    /** The pool hands out read-only connections. */
    POOL_READ_ONLY(Severity.ERROR, "The pool hands out read-only connections.", "Remove readOnly."),
    /** The pool's sessions read what others have not committed. */
    POOL_READ_UNCOMMITTED(
            Severity.ERROR,
            "The pool's sessions read what others have not committed.",
            "Remove transactionIsolation, or set TRANSACTION_READ_COMMITTED."),

    // ---- the examination itself ------------------------------------------------------------------------------

    /** A check could not be made. */
    NOT_EXAMINED(
            Severity.WARNING,
            "A check could not be made.",
            "Give the user the right to read the catalogue, or examine with another user.");

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
