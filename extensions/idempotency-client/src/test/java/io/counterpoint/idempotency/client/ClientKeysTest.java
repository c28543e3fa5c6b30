package io.counterpoint.idempotency.client;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.zaxxer.hikari.HikariConfig;
import com.zaxxer.hikari.HikariDataSource;
import io.counterpoint.idempotency.Fingerprint;
import io.counterpoint.idempotency.client.ClientKeys.Begun;
import io.counterpoint.idempotency.testing.MariaDbServer;
import io.counterpoint.idempotency.testing.PostgresServer;
import io.counterpoint.idempotency.testing.Race;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.time.Instant;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.TimeZone;
import java.util.UUID;
import org.jdbi.v3.core.Jdbi;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedClass;
import org.junit.jupiter.params.provider.ValueSource;

/** The table of keys, on each database. MariaDB is MySQL where the environment names one. */
@Tag("thorough")
@ParameterizedClass
@ValueSource(strings = {"H2", "PostgreSQL", "MariaDB"})
class ClientKeysTest {

    private static final Instant NOW = ManualTime.START;
    private static final Fingerprint REQUEST = Fingerprint.ofParts("POST", "/payments", "coffee");

    private final String database;
    private final String url;
    private final HikariDataSource pool;
    private final ClientKeys keys;

    ClientKeysTest(String database) {
        this.database = database;
        url = switch (database) {
            case "H2" -> "jdbc:h2:mem:" + UUID.randomUUID() + ";DB_CLOSE_DELAY=-1";
            case "PostgreSQL" -> PostgresServer.shared().createDatabase();
            default -> MariaDbServer.shared().createDatabase();
        };
        pool = pool(true);
        execute(url.startsWith("jdbc:m") ? table(url.startsWith("jdbc:mysql") ? "-mysql" : "-mariadb") : table());
        keys = ClientKeys.in(pool);
    }

    private HikariDataSource pool(boolean autoCommit) {
        HikariConfig config = new HikariConfig();
        config.setJdbcUrl(url);
        config.setMaximumPoolSize(16);
        config.setMinimumIdle(1);
        config.setAutoCommit(autoCommit);
        return new HikariDataSource(config);
    }

    private void execute(String sql) {
        Jdbi.create(pool).useHandle(handle -> handle.execute(sql));
    }

    /** The definition of the table for PostgreSQL and H2, as it is shipped. */
    static String table() {
        return table("");
    }

    static String table(String suffix) {
        try (InputStream file = ClientKeys.class.getResourceAsStream("client-keys" + suffix + ".sql")) {
            return new String(file.readAllBytes(), StandardCharsets.UTF_8);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    @AfterEach
    void giveBack() {
        pool.close();
        switch (database) {
            case "H2" -> {
                // It is gone with its JVM.
            }
            case "PostgreSQL" -> PostgresServer.shared().giveBack(url);
            default -> MariaDbServer.shared().drop(url);
        }
    }

    private Begun begin(String callId) {
        return keys.begin(callId, REQUEST, CallKey::random, NOW);
    }

    @Test
    void sameCallHasTheSameKeyAfterARestart() {
        Begun first = begin("order 42");

        // Another object over the same table, as in a new process.
        Begun again = ClientKeys.in(pool).begin("order 42", REQUEST, CallKey::random, NOW.plusSeconds(60));

        assertThat(first.before()).isFalse();
        assertThat(again.before()).isTrue();
        assertThat(again.key()).isEqualTo(first.key());
        assertThat(again.since()).isEqualTo(NOW);
        assertThat(begin("order 43").key()).isNotEqualTo(first.key());
    }

    @Test
    void processesThatBeginACallAtOnceHaveOneKey() {
        for (int round = 0; round < 10; round++) {
            String callId = "order " + round;
            List<Race.Result<Begun>> begun =
                    Race.of(8, number -> ClientKeys.in(pool).begin(callId, REQUEST, CallKey::random, NOW));

            Set<CallKey> seen = new HashSet<>();
            begun.forEach(result -> seen.add(result.orFail().key()));
            assertThat(seen).hasSize(1);
            assertThat(begun.stream().filter(result -> !result.orFail().before()))
                    .hasSize(1);
        }
    }

    @Test
    void anotherRequestUnderTheCallIsRefusedAndChangesNothing() {
        CallKey key = begin("order 42").key();

        assertThatThrownBy(() -> keys.begin("order 42", Fingerprint.ofParts("cake"), CallKey::random, NOW))
                .isInstanceOf(CallMismatchException.class)
                .hasMessageContaining("order 42");
        assertThat(begin("order 42").key()).isEqualTo(key);
    }

    @Test
    void unfinishedCallsAreListedOldestFirst() {
        keys.begin("second", REQUEST, CallKey::random, NOW.plusSeconds(1));
        CallKey key = begin("first").key();
        CallKey done = begin("done").key();
        assertThat(keys.markDone("done", done, NOW)).isTrue();
        assertThat(keys.markDone("done", done, NOW)).isFalse();

        assertThat(keys.unfinished(10))
                .extracting(ClientKeys.Unfinished::callId)
                .containsExactly("first", "second");
        assertThat(keys.unfinished(1)).containsExactly(new ClientKeys.Unfinished("first", key, NOW));
    }

    @Test
    void doneCallKeepsItsKeyUntilItIsRemoved() {
        CallKey key = begin("order 42").key();
        assertThat(keys.markDone("order 42", key, NOW)).isTrue();

        assertThat(begin("order 42").key()).isEqualTo(key);
        assertThat(keys.removeDoneBefore(NOW)).isZero();
        assertThat(keys.removeDoneBefore(NOW.plus(Duration.ofDays(2)))).isEqualTo(1);
        assertThat(begin("order 42").key()).isNotEqualTo(key);
    }

    @Test
    void unfinishedCallsAreNeverRemovedByTheirAge() {
        begin("order 42");

        assertThat(keys.removeDoneBefore(NOW.plus(Duration.ofDays(999)))).isZero();
        assertThat(keys.unfinished(10)).hasSize(1);
    }

    @Test
    void callIsRemovedByItsKeyOnly() {
        CallKey key = begin("order 42").key();

        assertThat(keys.remove("order 42", CallKey.random())).isFalse();
        assertThat(keys.markDone("order 42", CallKey.random(), NOW)).isFalse();
        assertThat(keys.remove("order 42", key)).isTrue();
        assertThat(begin("order 42").key()).isNotEqualTo(key);
    }

    @Test
    void malformedIdentifiersAreRefused() {
        for (String callId : List.of("", " ", "x".repeat(256), "a\u0000b", "a\nb", "a\ud800b")) {
            assertThatIllegalArgumentException().isThrownBy(() -> begin(callId));
        }
        assertThat(begin("\ud83d\ude00 " + "x".repeat(252)).before()).isFalse();
        assertThat(keys.unfinished(10)).hasSize(1);
    }

    @Test
    void identifiersAreComparedExactly() {
        Set<CallKey> seen = new HashSet<>();
        for (String callId : List.of("order", "Order", "order ", "\u00f6rder", "o\u0308rder")) {
            seen.add(begin(callId).key());
        }
        assertThat(seen).hasSize(5);
    }

    @Test
    void tableThatTakesOneIdentifierForAnotherIsRefused() {
        execute(
                switch (database) {
                    case "H2" ->
                        "ALTER TABLE idempotency_client_key ALTER COLUMN call_id SET DATA TYPE varchar_ignorecase(255)";
                    case "PostgreSQL" ->
                        "CREATE COLLATION loose (provider = icu, locale = 'und-u-ks-level2', deterministic = false);"
                                + " ALTER TABLE idempotency_client_key ALTER COLUMN call_id TYPE varchar(255) COLLATE loose";
                    default ->
                        "ALTER TABLE idempotency_client_key MODIFY call_id varchar(255) NOT NULL"
                                + " COLLATE utf8mb4_general_ci";
                });
        begin("order");

        assertThatThrownBy(() -> begin("Order"))
                .isInstanceOf(ClientKeysException.class)
                .hasMessageContaining("\"order\" for the call \"Order\"");
        assertThat(keys.unfinished(10)).hasSize(1);
    }

    @Test
    void timesMeanTheSameInEveryZone() {
        TimeZone before = TimeZone.getDefault();
        begin("order 42");
        try {
            for (String zone : List.of("Pacific/Kiritimati", "Pacific/Pago_Pago")) {
                TimeZone.setDefault(TimeZone.getTimeZone(zone));
                try (HikariDataSource elsewhere = pool(true)) {
                    ClientKeys.in(elsewhere).begin(zone, REQUEST, CallKey::random, NOW);
                    assertThat(ClientKeys.in(elsewhere).unfinished(10))
                            .extracting(ClientKeys.Unfinished::since)
                            .containsOnly(NOW);
                }
            }
        } finally {
            TimeZone.setDefault(before);
        }
        assertThat(keys.unfinished(10))
                .extracting(ClientKeys.Unfinished::since)
                .hasSize(3)
                .containsOnly(NOW);
    }

    @Test
    void connectionWithoutAutoCommitIsRefused() {
        try (HikariDataSource manual = pool(false)) {
            ClientKeys inTransactions = ClientKeys.in(manual);
            assertThatThrownBy(() -> inTransactions.begin("order 42", REQUEST, CallKey::random, NOW))
                    .isInstanceOf(ClientKeysException.class)
                    .hasMessageContaining("auto-commit");
        }
        assertThat(keys.unfinished(10)).isEmpty();
    }

    @Test
    void otherConstraintIsNoLostRace() {
        execute("ALTER TABLE idempotency_client_key ADD CONSTRAINT own_rule CHECK (call_id <> 'order 42')");

        assertThatThrownBy(() -> begin("order 42"))
                .isInstanceOf(ClientKeysException.class)
                .hasMessageContaining("could not be accessed")
                .hasStackTraceContaining(database.equals("H2") ? "OWN_RULE" : "own_rule");
    }

    /** H2 in memory refuses inserts under one, once the connection that made the table is closed. */
    @Test
    void tableHasNoCheck() {
        assertThat(table() + table("-mariadb") + table("-mysql")).doesNotContain("CHECK");
    }

    @Test
    void missingTableIsAnErrorWithARemedy() {
        execute("DROP TABLE idempotency_client_key");

        assertThatThrownBy(() -> begin("order 42"))
                .isInstanceOf(ClientKeysException.class)
                .hasMessageContaining("client-keys.sql");
    }
}
