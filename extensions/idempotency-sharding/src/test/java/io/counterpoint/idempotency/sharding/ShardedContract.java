package io.counterpoint.idempotency.sharding;

import io.counterpoint.idempotency.spi.IdempotencyStore;
import io.counterpoint.idempotency.testing.PostgresServer;
import io.counterpoint.idempotency.testkit.Domain;
import io.counterpoint.idempotency.testkit.WholeContract;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import org.jdbi.v3.core.Handle;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.TestInfo;

/** The contract over two servers of two makers. The scope of a test is on one of them, by the name of the test. */
abstract class ShardedContract extends WholeContract<Handle> {

    private static String url;
    private static Map<String, Shard> databases;

    private final int half;
    private String location = "";

    ShardedContract(int half) {
        this.half = half;
    }

    @BeforeAll
    static void open() {
        url = PostgresServer.shared().createDatabase();
        databases = Map.of(
                "h2", Shard.on("jdbc:h2:mem:" + UUID.randomUUID() + ";DB_CLOSE_DELAY=-1"),
                "postgresql", Shard.on(url));
        databases.values().forEach(Shard::prepared);
    }

    @AfterAll
    static void close() {
        databases.values().forEach(Shard::close);
        PostgresServer.shared().giveBack(url);
    }

    @BeforeEach
    void choose(TestInfo test) {
        String name = test.getTestMethod().orElseThrow().getName() + test.getDisplayName();
        location = Math.floorMod(name.hashCode(), 2) == half ? "h2" : "postgresql";
    }

    private Shard shard() {
        return databases.get(location);
    }

    @Override
    protected IdempotencyStore<Handle> store() {
        Shard unused = shard().emptied();
        String here = location;
        return ShardedIdempotencyStore.byScope(Shards.of(databases).map(Shard::store), scope -> ScopeLocation.on(here));
    }

    @Override
    protected Domain<Handle> domain() {
        Shard here = shard();
        return new Domain<>() {
            @Override
            public void write(Handle handle, String name) {
                handle.execute("INSERT INTO effect (id) VALUES (?)", name);
            }

            @Override
            public boolean isThere(Handle handle, String name) {
                return handle.createQuery("SELECT count(*) FROM effect WHERE id = :id")
                                .bind("id", name)
                                .mapTo(Integer.class)
                                .one()
                        > 0;
            }

            @Override
            public boolean changeShared(Handle handle, String name) {
                handle.execute("UPDATE shared SET changes = changes + 1 WHERE id = ?", name);
                return true;
            }

            @Override
            public List<String> committed() {
                return here.effects();
            }
        };
    }
}
