package io.counterpoint.idempotency.sharding;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.counterpoint.idempotency.Attempt;
import io.counterpoint.idempotency.Idempotency;
import io.counterpoint.idempotency.IdempotencyException;
import io.counterpoint.idempotency.NotStartedException;
import io.counterpoint.idempotency.Operation;
import io.counterpoint.idempotency.Outcome;
import io.counterpoint.idempotency.ResultCodec;
import io.counterpoint.idempotency.jdbc.JdbiIdempotencyStore;
import io.counterpoint.idempotency.testing.CuttingProxy;
import io.counterpoint.idempotency.testing.PostgresServer;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import org.h2.tools.Server;
import org.jdbi.v3.core.Handle;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** An H2 server and a PostgreSQL server, of which one is down: the keys of the other do not notice. */
@Tag("thorough")
class DownShardTest {

    private final List<String> reported = new ArrayList<>();
    private String url;
    private CuttingProxy proxy;
    private Server server;
    private Map<String, Shard> databases;
    private Shards<JdbiIdempotencyStore> shards;
    private Idempotency<Handle> idempotency;
    private Operation<Handle, String> operation;

    @BeforeEach
    void open() throws SQLException {
        url = PostgresServer.shared().createDatabase();
        proxy = CuttingProxy.inFrontOf(url);
        server = Server.createTcpServer("-tcpPort", "0", "-ifNotExists").start();
        databases = Map.of(
                "h2",
                        Shard.impatient("jdbc:h2:tcp://127.0.0.1:" + server.getPort() + "/mem:" + UUID.randomUUID()
                                + ";DB_CLOSE_DELAY=-1"),
                "postgresql", Shard.impatient(proxy.jdbcUrl()));
        databases.values().forEach(Shard::prepared);
        shards = Shards.of(databases).map(Shard::store);
        idempotency = Idempotency.on(ShardedIdempotencyStore.<Handle>byScope(shards, ScopeLocation::on)
                .reportingTo((shard, thrown) -> reported.add(shard)));
        operation = idempotency.operation("pay", ResultCodec.string()).build();
    }

    @AfterEach
    void close() {
        databases.values().forEach(Shard::close);
        server.stop();
        proxy.close();
        PostgresServer.shared().giveBack(url);
    }

    /** On the shard that has the name of the scope. */
    private Outcome<String> pay(String scope, String key) {
        return operation.execute(Attempt.inScope(scope).key(key).request(key), handle -> {
            handle.execute("INSERT INTO effect (id) VALUES (?)", key);
            return "paid " + key;
        });
    }

    /** Once its pool has connected again. */
    private Outcome<String> payOnceUp(String scope, String key) {
        for (; ; ) {
            try {
                return pay(scope, key);
            } catch (NotStartedException notYet) {
                // The pool has waited.
            }
        }
    }

    private void survives(String down, String up) {
        // The first call may find a connection of the pool, and does not learn what became of its claim.
        assertThatThrownBy(() -> pay(down, "during"))
                .isInstanceOfSatisfying(
                        IdempotencyException.class,
                        thrown -> assertThat(thrown.isRetryable()).isTrue());
        assertThat(pay(up, "during")).isInstanceOf(Outcome.Executed.class);
        assertThat(pay(up, "before")).isInstanceOf(Outcome.Replayed.class);
        assertThat(databases.get(up).effects()).containsExactlyInAnyOrder("before", "during");

        assertThat(idempotency.purgeExpired(10)).isZero();
        assertThat(reported).containsExactly(down);
        assertThat(shards.onEach(JdbiIdempotencyStore::checkTable)).containsOnlyKeys(down);
        assertThatThrownBy(ShardedIdempotencyStore.<Handle>byScope(shards, ScopeLocation::on)::checkTable)
                .isInstanceOf(IllegalStateException.class)
                .hasMessageContaining("{" + down + "=");
    }

    @Test
    void keysOfAnotherServerLiveWhilePostgreSqlIsDown() {
        assertThat(pay("h2", "before")).isInstanceOf(Outcome.Executed.class);
        assertThat(pay("postgresql", "before")).isInstanceOf(Outcome.Executed.class);
        proxy.refuseConnections();
        int unused = proxy.resetAll();

        survives("postgresql", "h2");

        proxy.heal();
        assertThat(payOnceUp("postgresql", "before")).isInstanceOf(Outcome.Replayed.class);
        assertThat(payOnceUp("postgresql", "during")).isInstanceOf(Outcome.Executed.class);
        assertThat(databases.get("postgresql").effects()).containsExactlyInAnyOrder("before", "during");
    }

    @Test
    void keysOfAnotherServerLiveWhileH2IsDown() {
        assertThat(pay("h2", "before")).isInstanceOf(Outcome.Executed.class);
        assertThat(pay("postgresql", "before")).isInstanceOf(Outcome.Executed.class);
        server.stop();

        survives("h2", "postgresql");
    }
}
