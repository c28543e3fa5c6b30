package io.counterpoint.idempotency.torture;

import io.counterpoint.idempotency.programs.CannotRun;
import io.counterpoint.idempotency.testing.CuttingProxy;
import io.counterpoint.idempotency.testing.DatabaseServer;
import io.counterpoint.idempotency.testing.MariaDbProxy;
import io.counterpoint.idempotency.testing.MariaDbServer;
import io.counterpoint.idempotency.testing.PostgresServer;
import io.counterpoint.idempotency.testing.StatementProxy;
import java.util.List;
import java.util.Locale;
import org.jdbi.v3.core.Handle;
import org.jdbi.v3.core.Jdbi;

/** The database under torture: its servers, and the SQL and driver options that are specific to it. */
enum Engine {
    POSTGRESQL(Isolation.READ_COMMITTED),
    MARIADB(Isolation.REPEATABLE_READ),
    MYSQL(Isolation.REPEATABLE_READ);

    /** {@code checkTable} rejects a trigger, so only the modes that call it do without. */
    private static final String REMOVED = "CREATE TRIGGER removed AFTER DELETE ON idempotency_record FOR EACH ROW ";

    private final Isolation usual;

    Engine(Isolation usual) {
        this.usual = usual;
    }

    static Engine of(String jdbcUrl) {
        return valueOf(jdbcUrl.split(":", 3)[1].toUpperCase(Locale.ROOT));
    }

    /** The default isolation level of its servers. */
    Isolation usual() {
        return usual;
    }

    /** Whether the dialect, and the servers that tests start, support a mode. */
    boolean has(Mode mode) {
        return this == POSTGRESQL || !(mode.isReplicated() || mode.takesTurns());
    }

    /** Whether a deadlock ends the transaction, and the next statement silently begins another one. */
    boolean losesTransactionsSilently() {
        return this != POSTGRESQL;
    }

    /** Rejects servers that cannot be started in this environment. */
    void requireStartable() throws CannotRun {
        boolean isExternal = this == POSTGRESQL ? PostgresServer.isExternal() : MariaDbServer.isExternal();
        if (isExternal) {
            throw new CannotRun((this == POSTGRESQL ? PostgresServer.URL_VARIABLE : MariaDbServer.URL_VARIABLE)
                    + " names a server that cannot be killed: unset it.");
        }
        if (this != POSTGRESQL && MariaDbServer.startsMySql() != (this == MYSQL)) {
            throw new CannotRun("--engine is " + option() + ", and IDEMPOTENCY_MYSQL_HOME is "
                    + (this == MYSQL ? "not set: set it to a folder that .ci/get-debian has made." : "set: unset it."));
        }
    }

    DatabaseServer<?> start(Isolation isolation) {
        return this == POSTGRESQL
                ? PostgresServer.start(
                        "default_transaction_isolation=" + isolation.option().replace('-', ' '))
                : MariaDbServer.start("--transaction-isolation=" + isolation.option());
    }

    /** The URL of an empty database; options may be appended as {@code &name=value}. */
    static String database(DatabaseServer<?> server) {
        return server instanceof MariaDbServer mariaDb ? mariaDb.createDatabase() : server.jdbcUrl();
    }

    StatementProxy proxy(String jdbcUrl) {
        return this == POSTGRESQL ? CuttingProxy.inFrontOf(jdbcUrl) : MariaDbProxy.inFrontOf(jdbcUrl);
    }

    /** URL options that limit the driver's waits for a server, and name its connections. */
    String bounds() {
        long seconds = Mode.SILENCE.toSeconds();
        return this == POSTGRESQL
                ? "&socketTimeout=" + seconds + "&connectTimeout=" + seconds + "&loginTimeout=" + seconds
                        + "&ApplicationName=" + Worker.APPLICATION
                : "&socketTimeout=" + Mode.SILENCE.toMillis() + "&connectTimeout=" + Mode.SILENCE.toMillis();
    }

    /** The URL option that limits waits for locks other than those of the records. */
    String lockBound() {
        return this == POSTGRESQL ? "" : "&sessionVariables=innodb_lock_wait_timeout=" + Mode.LOCK_WAIT.toSeconds();
    }

    /** The schema in which connections to a database find its tables. */
    String schema(String jdbcUrl) {
        return this == POSTGRESQL ? "public" : jdbcUrl.replaceFirst("^.*/([^?]*).*$", "$1");
    }

    /** Starts or stops recording the keys and states of deleted records. */
    void noteRemoved(Handle handle, boolean noted) {
        boolean isPostgres = this == POSTGRESQL;
        handle.execute("DROP TRIGGER IF EXISTS removed" + (isPostgres ? " ON idempotency_record" : ""));
        if (noted) {
            handle.execute(REMOVED
                    + (isPostgres
                            ? "EXECUTE FUNCTION note_removed()"
                            : "INSERT INTO removed VALUES (OLD.key_value, OLD.state)"));
        }
    }

    /**
     * The workers' connections, as the server sees them. Except in PostgreSQL, these are all connections but the
     * current one.
     */
    List<Long> backends(Jdbi jdbi) {
        return jdbi.withHandle(handle -> (this == POSTGRESQL
                        ? handle.select(
                                "SELECT pid FROM pg_stat_activity WHERE application_name = ? ORDER BY pid",
                                Worker.APPLICATION)
                        : handle.select("SELECT id FROM information_schema.processlist"
                                + " WHERE db = DATABASE() AND id <> CONNECTION_ID() ORDER BY id"))
                .mapTo(Long.class)
                .list());
    }

    /** Terminates a connection on the server. Returns whether it existed. */
    boolean terminate(Jdbi jdbi, long backend) {
        return jdbi.withHandle(handle -> this == POSTGRESQL
                ? handle.select("SELECT pg_terminate_backend(CAST(? AS int))", backend)
                        .mapTo(Boolean.class)
                        .one()
                : handle.execute("KILL " + backend) >= 0);
    }

    /** As on a command line. */
    String option() {
        return name().toLowerCase(Locale.ROOT);
    }
}
