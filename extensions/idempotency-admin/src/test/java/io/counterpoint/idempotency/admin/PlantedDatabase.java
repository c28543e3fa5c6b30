package io.counterpoint.idempotency.admin;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.zaxxer.hikari.HikariConfig;
import com.zaxxer.hikari.HikariDataSource;
import io.counterpoint.idempotency.Attempt;
import io.counterpoint.idempotency.ExternalOperation;
import io.counterpoint.idempotency.Idempotency;
import io.counterpoint.idempotency.IdempotencyKey;
import io.counterpoint.idempotency.Lookup;
import io.counterpoint.idempotency.Outcome;
import io.counterpoint.idempotency.OutcomeUnknownException;
import io.counterpoint.idempotency.PlannedExternalOperation;
import io.counterpoint.idempotency.ResultCodec;
import io.counterpoint.idempotency.jdbc.JdbiIdempotencyStore;
import io.counterpoint.idempotency.testing.MariaDbServer;
import io.counterpoint.idempotency.testing.PostgresServer;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.List;
import java.util.UUID;
import org.jdbi.v3.core.Handle;

/** A database with records in every state, whose scope, keys, payloads and password are words to search for. */
public final class PlantedDatabase implements AutoCloseable {

    public static final String PASSWORD = "PLANTEDPASSWORD";
    public static final String SCOPE = "user:PLANTEDSCOPE";
    public static final String PAYLOAD = "PLANTEDPAYLOAD";

    /** What no output may have unless it is asked for. */
    public static final List<String> SECRETS = List.of(PASSWORD, "PLANTEDSCOPE", "PLANTEDKEY", PAYLOAD);

    public enum Kind {
        H2,
        POSTGRESQL,
        MARIADB
    }

    private final String url;
    private final String user;
    private final HikariDataSource pool;
    private final JdbiIdempotencyStore store;
    private final Runnable atTheEnd;

    private PlantedDatabase(String url, String user, Runnable atTheEnd) {
        this.url = url;
        this.user = user;
        this.atTheEnd = atTheEnd;
        HikariConfig config = new HikariConfig();
        config.setJdbcUrl(url);
        if (!user.isEmpty()) {
            config.setUsername(user);
            config.setPassword(PASSWORD);
        }
        config.setMaximumPoolSize(4);
        config.setMinimumIdle(1);
        this.pool = new HikariDataSource(config);
        this.store = JdbiIdempotencyStore.on(pool);
        store.createTableIfMissing();
    }

    public static PlantedDatabase of(Kind kind) {
        return switch (kind) {
            case H2 -> new PlantedDatabase("jdbc:h2:mem:" + UUID.randomUUID() + ";DB_CLOSE_DELAY=-1", "sa", () -> {});
            case POSTGRESQL -> on(PostgresServer.shared());
            case MARIADB -> {
                String url = MariaDbServer.shared().createDatabase();
                yield new PlantedDatabase(url, "", () -> MariaDbServer.shared().drop(url));
            }
        };
    }

    public static PlantedDatabase on(PostgresServer server, String... settings) {
        String url = server.createDatabase(settings);
        return new PlantedDatabase(url, "", () -> {});
    }

    public String url() {
        return url;
    }

    public String user() {
        return user;
    }

    public HikariDataSource pool() {
        return pool;
    }

    public JdbiIdempotencyStore store() {
        return store;
    }

    public Administration administration() {
        return Administration.of(pool, "idempotency_record", audit());
    }

    public AuditTable audit() {
        return AuditTable.of(pool, AuditTable.DEFAULT);
    }

    public Idempotency<Handle> idempotency() {
        return Idempotency.on(store);
    }

    public ExternalOperation<String> pay() {
        return payment().build();
    }

    private ExternalOperation.Builder<Handle, String> payment() {
        return idempotency().external("pay", ResultCodec.string(), unresolved -> Lookup.notYet());
    }

    /** An effect in this database, with its result. */
    public IdempotencyKey succeeded(String key) {
        Attempt attempt = attempt(key);
        var charge = idempotency().operation("charge", ResultCodec.string()).build();
        assertThat(charge.execute(attempt, handle -> PAYLOAD)).isInstanceOf(Outcome.Executed.class);
        return charge.keyOf(attempt);
    }

    /** An attempt whose work threw. */
    public IdempotencyKey failed(String key) {
        Attempt attempt = attempt(key);
        var charge = idempotency().operation("charge", ResultCodec.string()).build();
        assertThatThrownBy(() -> {
                    Outcome<String> unused = charge.execute(attempt, handle -> {
                        throw new IllegalArgumentException(PAYLOAD);
                    });
                })
                .isInstanceOf(IllegalArgumentException.class);
        return charge.keyOf(attempt);
    }

    /** An attempt whose other side did not answer. */
    public IdempotencyKey unresolved(String key) {
        Attempt attempt = attempt(key);
        assertThatThrownBy(() -> {
                    Outcome<String> unused = pay().execute(attempt, it -> {
                        throw new IllegalStateException("no answer");
                    });
                })
                .isInstanceOf(OutcomeUnknownException.class);
        return pay().keyOf(attempt);
    }

    /** The same, with a plan. */
    public IdempotencyKey unresolvedPlan(String key) {
        Attempt attempt = attempt(key);
        PlannedExternalOperation<String> pay = payment().planned().build();
        assertThatThrownBy(() -> {
                    Outcome<String> unused = pay.execute(attempt, () -> PAYLOAD, (it, plan) -> {
                        throw new IllegalStateException("no answer");
                    });
                })
                .isInstanceOf(OutcomeUnknownException.class);
        return pay.keyOf(attempt);
    }

    /** Moves a record's times into the past. */
    public void age(IdempotencyKey key, Duration by) {
        String interval = by.toDays() > 0 ? "'" + by.toDays() + "' DAY" : "'" + by.toMinutes() + "' MINUTE";
        String now = url.startsWith("jdbc:mariadb") ? "UTC_TIMESTAMP(6)" : "CURRENT_TIMESTAMP";
        String past = now + " - INTERVAL " + interval;
        execute("UPDATE idempotency_record SET created_at = " + past + ", updated_at = " + past + ", expires_at = "
                + past + " WHERE key_value = '" + key.value() + "'");
    }

    public void execute(String... statements) {
        try (Connection connection = pool.getConnection();
                Statement statement = connection.createStatement()) {
            for (String sql : statements) {
                statement.execute(sql);
            }
        } catch (SQLException e) {
            throw new IllegalStateException(e);
        }
    }

    public static Attempt attempt(String key) {
        return Attempt.inScope(SCOPE).key("PLANTEDKEY-" + key).withoutRequest();
    }

    @Override
    public void close() {
        pool.close();
        atTheEnd.run();
    }
}
