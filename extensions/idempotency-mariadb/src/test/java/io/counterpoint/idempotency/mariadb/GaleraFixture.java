package io.counterpoint.idempotency.mariadb;

import io.counterpoint.idempotency.Fingerprint;
import io.counterpoint.idempotency.Idempotency;
import io.counterpoint.idempotency.IdempotencyKey;
import io.counterpoint.idempotency.Operation;
import io.counterpoint.idempotency.ResultCodec;
import io.counterpoint.idempotency.jdbc.JdbiIdempotencyStore;
import io.counterpoint.idempotency.spi.IdempotencyRecord.Pending;
import io.counterpoint.idempotency.spi.IdempotencyRecord.Protocol;
import io.counterpoint.idempotency.testing.GaleraCluster;
import java.time.Duration;
import java.util.Locale;
import java.util.Optional;
import java.util.UUID;
import org.jdbi.v3.core.Handle;
import org.jdbi.v3.core.Jdbi;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.TestInfo;

/** Pools of all nodes, on an empty database of a test class, with the records and the effects of work. */
abstract class GaleraFixture {

    static GaleraCluster cluster;
    static NodePools pools;
    static String database;

    @BeforeAll
    static void open(TestInfo test) {
        cluster = GaleraCluster.shared();
        database = test.getDisplayName().toLowerCase(Locale.ROOT);
        pools = NodePools.onNew(cluster, database, "");
        store(0).createTableIfMissing();
        StormEffects.createTable(Jdbi.create(pools.of(0)));
        cluster.awaitWhole();
    }

    @AfterAll
    static void close() {
        pools.close();
    }

    static void empty() {
        cluster.awaitWhole();
        Jdbi.create(pools.of(0)).useHandle(handle -> {
            handle.execute("DELETE FROM idempotency_record");
            handle.execute("DELETE FROM effect");
        });
    }

    static JdbiIdempotencyStore store(int node) {
        return JdbiIdempotencyStore.builder(pools.of(node))
                .dialect(MariaDbDialect.galera())
                .table(pools.table())
                .build();
    }

    static Operation<Handle, String> operation(int node) {
        return Idempotency.on(store(node))
                .operation("operate", ResultCodec.string())
                .build();
    }

    static Pending pending(String value) {
        IdempotencyKey key =
                IdempotencyKey.inScope("user:1").operation("operation").value(value);
        return new Pending(
                key,
                Protocol.CLAIM_FIRST,
                UUID.randomUUID(),
                Fingerprint.ofParts("request"),
                Optional.empty(),
                Duration.ZERO);
    }
}
