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
 * A pooling gateway in front of {@link PostgresServer#shared()}: {@code pgbouncer}, installed on this machine, in
 * transaction mode. It hands a server connection to a client for one transaction at a time. There are fewer server
 * connections than clients, so the state of a session gets lost or meets other clients.
 *
 * <p>It stops when its JVM ends, even when that is killed, and listens on 127.0.0.1 only.
 */
public final class Gateway {

    /** The system property that asks for tests to run through a gateway. */
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

    /** Whether the tests of this JVM are to run through a gateway. */
    public static boolean isAskedFor() {
        return PROGRAM.equals(System.getProperty(PROPERTY));
    }

    /**
     * The gateway that all tests of this JVM share; started at the first call.
     *
     * @throws IllegalStateException if pgbouncer is not installed, or the server was not started by this JVM
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
                        // Not on everybody's path, but that is where Debian puts it.
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
     * The way through this gateway to the database of a JDBC URL. Versions that do not know prepared statements get a
     * driver that does not name any.
     */
    public String jdbcUrl(String ofServer) {
        String url = JdbcUrl.parse(ofServer).at("127.0.0.1", daemon.port()).toString();
        return version.keepsPreparedStatements() ? url : url + "&prepareThreshold=0";
    }

    /** Whether anybody is connected here to the database of a JDBC URL; a client that is gone may have left work. */
    public boolean hasClients(String jdbcUrl) {
        String database = JdbcUrl.parse(jdbcUrl).database();
        return GatewayConsole.ask(daemon.port(), "SHOW CLIENTS").stream()
                .anyMatch(client -> database.equals(client.get("database")));
    }

    /**
     * The process identifiers of the server's sessions that wait here for their next client: all that the last one had
     * sent is done, and its transaction is over.
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

        /** From version 1.21 on it makes them known on every server connection on which a client uses them. */
        boolean keepsPreparedStatements() {
            return major > 1 || minor >= 21;
        }
    }
}
