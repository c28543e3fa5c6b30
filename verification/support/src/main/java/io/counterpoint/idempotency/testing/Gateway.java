package io.counterpoint.idempotency.testing;

import static java.nio.charset.StandardCharsets.UTF_8;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Set;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * A connection pooler in front of {@link PostgresServer#shared()}: an installed {@code pgbouncer} in transaction mode.
 * It assigns a server connection to a client for one transaction at a time. There are fewer server connections than
 * clients, so session state can be lost, or be seen by other clients.
 *
 * <p>It stops when its JVM ends, even if it is killed, and listens on 127.0.0.1 only.
 */
public final class Gateway {

    /** The system property that makes tests use a gateway. */
    public static final String PROPERTY = "idempotency.gateway";

    private static final String PROGRAM = "pgbouncer";
    private static final int SERVER_CONNECTIONS = 20;

    private static @Nullable Gateway shared;

    private final Daemon daemon;
    private final Version version;

    private Gateway(Daemon daemon, Version version) {
        this.daemon = daemon;
        this.version = version;
    }

    /** Whether the tests of this JVM use a gateway. */
    public static boolean isAskedFor() {
        return PROGRAM.equals(System.getProperty(PROPERTY));
    }

    /**
     * Returns the gateway that all tests of this JVM share; started on first use.
     *
     * @throws IllegalStateException if pgbouncer is not installed, or this JVM did not start the server
     */
    public static synchronized Gateway shared() {
        Gateway gateway = shared;
        if (gateway == null) {
            gateway = start(PostgresServer.shared());
            shared = gateway;
        }
        return gateway;
    }

    private static Gateway start(PostgresServer server) {
        if (PostgresServer.isExternal()) {
            throw new IllegalStateException("a gateway lets everybody in, so it is not put in front of the server that "
                    + PostgresServer.URL_VARIABLE + " names: unset it");
        }
        try {
            Path program = program();
            Version version = Version.of(program);
            Gateway gateway = new Gateway(Daemon.create(PROGRAM, "TERM", WorkFolder.open()), version);
            Runtime.getRuntime().addShutdownHook(new Thread(gateway.daemon::delete, "stop " + PROGRAM));
            Path settings = gateway.daemon.folder().resolve("pgbouncer.ini");
            Files.writeString(settings, gateway.settings(server), UTF_8);
            gateway.daemon.start(
                    List.of(program.toString(), settings.toString()),
                    gateway.jdbcUrl(server.jdbcUrl()) + "&connectTimeout=5&socketTimeout=5");
            return gateway;
        } catch (IOException e) {
            throw new UncheckedIOException("cannot start " + PROGRAM + ": " + e.getMessage(), e);
        }
    }

    private static Path program() {
        return Stream.concat(
                        Stream.of(System.getenv().getOrDefault("PATH", "").split(":")),
                        // Debian installs it here, which may not be on the path.
                        Stream.of("/usr/sbin"))
                .map(folder -> Path.of(folder, PROGRAM))
                .filter(Files::isExecutable)
                .findFirst()
                .orElseThrow(() -> new IllegalStateException("no program " + PROGRAM + " on the PATH or in /usr/sbin;"
                        + " install it, on Debian with: apt-get install pgbouncer"));
    }

    private String settings(PostgresServer server) {
        return """
                [databases]
                * = host=127.0.0.1 port=%d user=postgres
                [pgbouncer]
                listen_addr = 127.0.0.1
                listen_port = %d
                unix_socket_dir =
                auth_type = any
                pool_mode = transaction
                default_pool_size = %d
                max_client_conn = 2000
                server_idle_timeout = 2
                log_connections = 0
                log_disconnections = 0
                """.formatted(server.port(), daemon.port(), SERVER_CONNECTIONS)
                + (version.keepsPreparedStatements() ? "max_prepared_statements = 200\n" : "");
    }

    /**
     * Returns the URL of a database through this gateway. If the gateway's version does not support prepared
     * statements, the URL disables named statements in the driver.
     */
    public String jdbcUrl(String ofServer) {
        String url = JdbcUrl.parse(ofServer).at("127.0.0.1", daemon.port()).toString();
        return version.keepsPreparedStatements() ? url : url + "&prepareThreshold=0";
    }

    /**
     * Whether any client is connected through the gateway to the database of a JDBC URL; a client that has gone may
     * have left work behind.
     */
    public boolean hasClients(String jdbcUrl) {
        String database = JdbcUrl.parse(jdbcUrl).database();
        return GatewayConsole.ask(daemon.port(), "SHOW CLIENTS").stream()
                .anyMatch(client -> database.equals(client.get("database")));
    }

    /**
     * The process ids of the idle server sessions: they have executed everything that their last client sent, and have
     * no open transaction.
     */
    public Set<Integer> idleSessions() {
        return GatewayConsole.ask(daemon.port(), "SHOW SERVERS").stream()
                .filter(session -> "idle".equals(session.get("state")))
                .map(session -> Integer.valueOf(session.get("remote_pid")))
                .collect(Collectors.toSet());
    }

    @Override
    public String toString() {
        return PROGRAM + " " + version.major + "." + version.minor + " in transaction mode on port " + daemon.port();
    }

    private record Version(int major, int minor) {
        private static final Pattern FORM = Pattern.compile("PgBouncer (\\d+)\\.(\\d+)");

        static Version of(Path program) throws IOException {
            Process process = new ProcessBuilder(program.toString(), "--version")
                    .redirectErrorStream(true)
                    .start();
            String said = new String(process.getInputStream().readAllBytes(), UTF_8);
            Matcher matcher = FORM.matcher(said);
            if (!matcher.find()) {
                throw new IOException("no version in what " + program + " --version says: " + said);
            }
            return new Version(Integer.parseInt(matcher.group(1)), Integer.parseInt(matcher.group(2)));
        }

        /** Since version 1.21 it prepares them on every server connection on which a client uses them. */
        boolean keepsPreparedStatements() {
            return major > 1 || minor >= 21;
        }
    }
}
