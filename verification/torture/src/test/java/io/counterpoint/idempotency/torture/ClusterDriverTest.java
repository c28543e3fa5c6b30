package io.counterpoint.idempotency.torture;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.zaxxer.hikari.HikariConfig;
import com.zaxxer.hikari.HikariDataSource;
import io.counterpoint.idempotency.testing.PatroniCluster;
import io.counterpoint.idempotency.testing.PatroniNode;
import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.net.SocketTimeoutException;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.Arrays;
import java.util.concurrent.TimeUnit;
import java.util.stream.Collectors;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** That the settings of the driver in {@code docs/databases.md} do what the page says, on a cluster under Patroni. */
@Tag("patroni")
@Timeout(value = 10, unit = TimeUnit.MINUTES)
class ClusterDriverTest {

    private static final Duration SILENCE = Duration.ofSeconds(3);
    private static final String BOUNDS = "&connectTimeout=2&socketTimeout=" + SILENCE.toSeconds();
    private static final String PRIMARY = "&targetServerType=primary";
    private static final String FORGETFUL = "&hostRecheckSeconds=0";
    private static final String LONG_LOGIN = "&loginTimeout=20";
    private static final String ADDRESS = "127.0.0.1";
    private static final int TRIES = 30;

    private static PatroniCluster cluster;

    private PatroniNode primary;
    private PatroniNode standby;

    @BeforeAll
    static void start() {
        cluster = PatroniCluster.start(2);
    }

    @AfterAll
    static void end() {
        cluster.close();
    }

    @BeforeEach
    void look() {
        cluster.awaitSynchronous();
        primary = cluster.leader();
        standby = cluster.othersThan(primary).get(0);
    }

    /** Does nothing where no test has paused it. */
    @AfterEach
    void resume() {
        standby.resume();
    }

    private static String url(PatroniNode... inThisOrder) {
        return url(Arrays.stream(inThisOrder).mapToInt(PatroniNode::port).toArray());
    }

    private static String url(int... inThisOrder) {
        String hosts = Arrays.stream(inThisOrder)
                .mapToObj(port -> ADDRESS + ":" + port)
                .collect(Collectors.joining(","));
        return "jdbc:postgresql://" + hosts + "/postgres?user=postgres&sslmode=disable&gssEncMode=disable" + BOUNDS;
    }

    /**
     * Java's sockets measure the time for a connection by the machine's clock, which may be set meanwhile, or be wrong for
     * a moment. The attempt then fails, shows nothing of the driver's settings, and is made once more.
     */
    private static int portOf(String url) throws SQLException {
        for (int i = 0; ; i++) {
            try (Connection connection = DriverManager.getConnection(url)) {
                return portOf(connection);
            } catch (SQLException failed) {
                if (!gaveUpBeforeConnecting(failed) || i == TRIES) {
                    throw failed;
                }
            }
        }
    }

    /** Whether the time was up before Java asked the server: it says so by an exception that has no message. */
    private static boolean gaveUpBeforeConnecting(SQLException failed) {
        return failed.getCause() instanceof SocketTimeoutException timeout && timeout.getMessage() == null;
    }

    private static int portOf(Connection connection) throws SQLException {
        try (Statement statement = connection.createStatement();
                ResultSet rows = statement.executeQuery("SELECT inet_server_port()")) {
            rows.next();
            return rows.getInt(1);
        }
    }

    /** How long it takes to be connected with the primary. */
    private Duration timeTo(String url) throws SQLException {
        long begin = System.nanoTime();
        assertThat(portOf(url)).isEqualTo(primary.port());
        return Duration.ofNanos(System.nanoTime() - begin);
    }

    @Test
    void primaryIsFoundBehindAStandby() throws SQLException {
        assertThat(portOf(url(standby, primary) + PRIMARY + FORGETFUL)).isEqualTo(primary.port());
    }

    @Test
    void standbyIsRefusedWhereThePrimaryIsAskedFor() {
        assertThatThrownBy(() -> portOf(url(standby) + PRIMARY + FORGETFUL)).isInstanceOf(SQLException.class);
    }

    @Test
    void preferPrimaryMayLeadToAStandby() throws SQLException {
        assertThat(portOf(url(standby) + "&targetServerType=preferPrimary" + FORGETFUL))
                .isEqualTo(standby.port());
    }

    @Test
    void pausedServerThatComesFirstCostsItsSocketTimeout() throws SQLException {
        standby.pause();
        assertThat(timeTo(url(standby, primary) + PRIMARY + FORGETFUL + LONG_LOGIN))
                .isGreaterThanOrEqualTo(SILENCE);
    }

    @Test
    void loginTimeoutBoundsTheAttemptsAtAllServers() {
        standby.pause();
        assertThatThrownBy(() -> portOf(url(standby, primary) + PRIMARY + FORGETFUL + "&loginTimeout=1"))
                .isInstanceOf(SQLException.class)
                .hasMessageContaining("timed out");
    }

    /** The attempt goes on in the background of the pool, and is there for a later caller. */
    @Test
    void waitOfThePoolIsNoBoundOfTheLogin() throws SQLException {
        standby.pause();
        long begin = System.nanoTime();
        try (HikariDataSource pool = pool(url(standby, primary) + PRIMARY + FORGETFUL);
                Connection connection = firstOf(pool)) {
            assertThat(portOf(connection)).isEqualTo(primary.port());
            assertThat(Duration.ofNanos(System.nanoTime() - begin)).isGreaterThanOrEqualTo(SILENCE);
        }
    }

    private static HikariDataSource pool(String url) {
        HikariConfig config = new HikariConfig();
        config.setJdbcUrl(url);
        config.setConnectionTimeout(1_000);
        config.setValidationTimeout(500);
        config.setInitializationFailTimeout(-1);
        config.setTransactionIsolation("TRANSACTION_READ_COMMITTED");
        return new HikariDataSource(config);
    }

    private static Connection firstOf(HikariDataSource pool) throws SQLException {
        SQLException last = new SQLException("not tried");
        for (int i = 0; i < TRIES; i++) {
            try {
                return pool.getConnection();
            } catch (SQLException notYet) {
                last = notYet;
            }
        }
        throw last;
    }

    /** A server that accepts and says nothing is one that is paused, as far as the driver can tell. */
    @Test
    void serverThatDidNotAnswerIsLeftOutForAWhile() throws IOException, SQLException {
        try (ServerSocket silent = new ServerSocket(0, 0, InetAddress.getByAddress(new byte[] {127, 0, 0, 1}))) {
            String url = url(silent.getLocalPort(), primary.port()) + PRIMARY + LONG_LOGIN;
            assertThat(timeTo(url + FORGETFUL)).isGreaterThanOrEqualTo(SILENCE);
            assertThat(connections(silent)).isPositive();
            assertThat(portOf(url + "&hostRecheckSeconds=600")).isEqualTo(primary.port());
            assertThat(connections(silent)).isZero();
            assertThat(timeTo(url + FORGETFUL)).isGreaterThanOrEqualTo(SILENCE);
        }
    }

    /** How many have connected since the last time. Those that wait in line before an own connection are all. */
    private static int connections(ServerSocket server) throws IOException {
        try (Socket last = new Socket(server.getInetAddress(), server.getLocalPort())) {
            for (int others = 0; ; others++) {
                try (Socket next = server.accept()) {
                    if (next.getPort() == last.getLocalPort()) {
                        return others;
                    }
                }
            }
        }
    }

    /** The former primary is the only one left, so the first attempt fails. Then none is left, and all are tried. */
    @Test
    void afterASwitchoverTheSecondAttemptTriesAllServers() throws SQLException {
        String url = url(standby, primary) + PRIMARY + LONG_LOGIN;
        assertThat(portOf(url + FORGETFUL)).isEqualTo(primary.port());
        PatroniNode successor = cluster.awaitLeaderBesides(cluster.switchOver());
        assertThat(successor).isSameAs(standby);
        assertThatThrownBy(() -> portOf(url + "&hostRecheckSeconds=600")).isInstanceOf(SQLException.class);
        assertThat(portOf(url + "&hostRecheckSeconds=600")).isEqualTo(successor.port());
    }
}
