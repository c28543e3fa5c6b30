package io.counterpoint.idempotency.consistency.invalidation;

import static org.assertj.core.api.Assertions.assertThat;

import com.zaxxer.hikari.HikariConfig;
import com.zaxxer.hikari.HikariDataSource;
import io.counterpoint.idempotency.consistency.Transactions;
import io.counterpoint.idempotency.consistency.outbox.Outbox;
import io.counterpoint.idempotency.consistency.outbox.OutboxPublisher;
import io.counterpoint.idempotency.consistency.testing.TestDatabase;
import io.counterpoint.idempotency.consistency.testing.TestDatabase.Kind;
import java.sql.Connection;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.locks.LockSupport;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.Parameter;
import org.junit.jupiter.params.ParameterizedClass;
import org.junit.jupiter.params.provider.ValueSource;
import org.postgresql.PGConnection;

/** Two processes with a cache each, which forget nothing because of its age. */
@Tag("thorough")
@ParameterizedClass(name = "autoCommit={0}")
@ValueSource(booleans = {true, false})
class PostgreSqlChannelTest {

    /** One that listens or waits for a connection, and one that publishes. */
    private static final int CONNECTIONS = 2;

    private final AtomicLong stored = new AtomicLong(1);
    private final TestDatabase database = TestDatabase.create(Kind.POSTGRESQL);

    @Parameter
    boolean autoCommit;

    private Node here;
    private Node there;

    private final class Node implements AutoCloseable {

        private final VersionedCache<Long> cache =
                VersionedCache.of(10, Duration.ofDays(1), Long::longValue, id -> Optional.of(stored.get()));
        private final Semaphore listening = new Semaphore(0);
        private final HikariDataSource pool;
        private final CacheInvalidator invalidator;

        Node(String name) throws InterruptedException {
            HikariConfig config = new HikariConfig();
            config.setJdbcUrl(database.url());
            config.setMaximumPoolSize(CONNECTIONS);
            config.setAutoCommit(autoCommit);
            config.addDataSourceProperty("ApplicationName", name);
            pool = new HikariDataSource(config);
            invalidator = CacheInvalidator.over(
                    PostgreSqlChannel.on(pool), Map.of("app", cache), new CacheInvalidator.Listener() {
                        @Override
                        public void listening() {
                            listening.release();
                        }
                    });
            invalidator.start();
            awaitListening();
        }

        void awaitListening() throws InterruptedException {
            assertThat(listening.tryAcquire(60, TimeUnit.SECONDS)).isTrue();
        }

        long read() {
            return cache.get("a").orElseThrow();
        }

        void awaitRead(long version) {
            long end = System.nanoTime() + Duration.ofSeconds(60).toNanos();
            while (read() != version && System.nanoTime() < end) {
                LockSupport.parkNanos(1_000_000);
            }
            assertThat(read()).isEqualTo(version);
        }

        @Override
        public void close() {
            invalidator.close();
            pool.close();
        }
    }

    @BeforeEach
    void start() throws Exception {
        here = new Node("here");
        there = new Node("here");
    }

    @AfterEach
    void close() {
        here.close();
        there.close();
        database.close();
    }

    @Test
    void everyProcessForgetsWhatAnEventSays() {
        Outbox outbox = Outbox.create();
        Transactions transactions = Transactions.on(database.store());
        database.jdbi().useHandle(outbox::createTableIfMissing);
        assertThat(here.read()).isEqualTo(1);
        assertThat(there.read()).isEqualTo(1);
        database.jdbi().useTransaction(handle -> {
            stored.set(2);
            outbox.append(handle, new Invalidation("app", "a", 2).event("cache"));
        });
        assertThat(here.read() + there.read()).isEqualTo(2);
        try (OutboxPublisher publisher = OutboxPublisher.builder(transactions, outbox, "cache", here.invalidator)
                .build()) {
            assertThat(publisher.publishAll().published()).isEqualTo(1);
            assertThat(here.read()).isEqualTo(2);
            there.awaitRead(2);
        }
    }

    /** The names of the document, since processes of another program may use them, too. */
    @Test
    void channelAndMessageAreThoseOfTheDocument() throws Exception {
        assertThat(here.read()).isEqualTo(1);
        stored.set(2);
        database.execute("SELECT pg_notify('cache:invalidate', '{\"type\":\"app\",\"id\":\"a\"}')");
        here.awaitRead(2);
        try (Connection other = here.pool.getConnection()) {
            other.setAutoCommit(true);
            other.createStatement().execute("LISTEN \"cache:invalidate\"");
            there.invalidator.accept(new Invalidation("app", "a", 3).event("cache"));
            assertThat(other.unwrap(PGConnection.class).getNotifications(60_000))
                    .singleElement()
                    .matches(heard -> heard.getParameter().equals("{\"type\":\"app\",\"id\":\"a\",\"version\":\"3\"}"));
        }
    }

    @Test
    void processThatWasNotConnectedForgetsEverything() throws Exception {
        assertThat(here.read()).isEqualTo(1);
        stored.set(2);
        assertThat(here.read()).isEqualTo(1);
        assertThat(database.count("(SELECT pg_terminate_backend(pid) FROM pg_stat_activity"
                        + " WHERE datname = current_database() AND pid <> pg_backend_pid()) terminated"))
                .isGreaterThan(1);
        here.awaitListening();
        assertThat(here.read()).isEqualTo(2);
        stored.set(3);
        there.awaitListening();
        there.invalidator.accept(new Invalidation("app", "a", 3).event("cache"));
        here.awaitRead(3);
    }

    /** No connection is closed, so only silence shows that it is lost. */
    @Test
    void processWhoseServerIsSilentForgetsEverything() throws Exception {
        assertThat(here.read()).isEqualTo(1);
        List<String> servers = database.list(
                "SELECT pid FROM pg_stat_activity WHERE datname = current_database() AND application_name = 'here'",
                String.class);
        signal("-STOP", servers);
        try {
            stored.set(2);
            here.awaitListening();
            assertThat(here.read()).isEqualTo(2);
        } finally {
            signal("-CONT", servers);
        }
    }

    private static void signal(String signal, List<String> processes) throws Exception {
        List<String> command = new ArrayList<>(List.of("kill", signal));
        command.addAll(processes);
        assertThat(new ProcessBuilder(command).start().waitFor()).isZero();
    }

    @Test
    void connectionThatIsGivenBackDoesNotListen() throws Exception {
        here.invalidator.close();
        try (Connection first = here.pool.getConnection();
                Connection second = here.pool.getConnection()) {
            for (Connection connection : new Connection[] {first, second}) {
                assertThat(connection.getAutoCommit()).isEqualTo(autoCommit);
                assertThat(connection
                                .createStatement()
                                .executeQuery("SELECT 1 FROM pg_listening_channels()")
                                .next())
                        .isFalse();
            }
        }
    }
}
