package io.counterpoint.idempotency.mariadb;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.counterpoint.idempotency.Attempt;
import io.counterpoint.idempotency.Idempotency;
import io.counterpoint.idempotency.Operation;
import io.counterpoint.idempotency.Outcome;
import io.counterpoint.idempotency.ResultCodec;
import io.counterpoint.idempotency.jdbc.JdbiIdempotencyStore;
import java.lang.reflect.Proxy;
import java.sql.Connection;
import java.util.List;
import java.util.Map;
import java.util.function.UnaryOperator;
import javax.sql.DataSource;
import org.jdbi.v3.core.Handle;
import org.jdbi.v3.core.Jdbi;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Connections whose current database is that of the calling thread's tenant, as after {@code USE}. */
@Timeout(60)
class RoutedTenantsTest {

    private final Map<String, TestPool> databases = Map.of("a", TestPool.with(""), "b", TestPool.with(""));
    private final ThreadLocal<String> tenant = ThreadLocal.withInitial(() -> "a");

    @BeforeEach
    void createTables() {
        databases.values().forEach(database -> {
            JdbiIdempotencyStore unused = JdbiIdempotencyStore.builder(database.pool())
                    .dialect(TestPool.dialect())
                    .build()
                    .createTableIfMissing();
            Jdbi.create(database.pool())
                    .useHandle(handle -> handle.execute("CREATE TABLE effect (id varchar(100) NOT NULL)"));
        });
    }

    @AfterEach
    void close() {
        // A session of one may be in the database of the other.
        databases.values().forEach(database -> database.pool().close());
        databases.values().forEach(TestPool::close);
    }

    private String name(String own) {
        return databases.get(own).table().replaceFirst("\\..*", "");
    }

    private JdbiIdempotencyStore store() {
        DataSource routed = (DataSource) Proxy.newProxyInstance(
                getClass().getClassLoader(), new Class<?>[] {DataSource.class}, (proxy, method, arguments) -> {
                    Connection connection = databases.get("a").pool().getConnection();
                    connection.setCatalog(name(tenant.get()));
                    return connection;
                });
        return JdbiIdempotencyStore.builder(routed).dialect(TestPool.dialect()).build();
    }

    private static Operation.Builder<Handle, String> builder(JdbiIdempotencyStore store) {
        return Idempotency.on(store).operation("operate", ResultCodec.string());
    }

    private Outcome<String> call(Operation<Handle, String> operation, String scope) {
        String own = tenant.get();
        return operation.execute(Attempt.inScope(scope).key("key").request("request"), handle -> {
            handle.execute("INSERT INTO effect VALUES (?)", own);
            return own;
        });
    }

    private void eachTenantHasOneEffectAndItsOwnAnswer(
            Operation<Handle, String> operation, UnaryOperator<String> scope) {
        for (int round = 0; round < 3; round++) {
            for (String own : List.of("a", "b")) {
                tenant.set(own);
                Outcome<String> outcome = call(operation, scope.apply(own));
                assertThat(outcome)
                        .as("%s in round %s", own, round)
                        .isInstanceOf(round == 0 ? Outcome.Executed.class : Outcome.Replayed.class);
                assertThat(outcome.orElseThrow()).isEqualTo(own);
            }
        }
        databases.forEach((own, database) -> {
            List<String> effects = Jdbi.create(database.pool())
                    .withHandle(handle -> handle.select("SELECT id FROM " + name(own) + ".effect")
                            .mapTo(String.class)
                            .list());
            assertThat(effects).containsExactly(own);
        });
    }

    @Test
    void recordLastIsRefusedWhereTheConnectionFindsTheTable() {
        JdbiIdempotencyStore checked = store().checkTable();

        assertThatThrownBy(() -> builder(checked)
                        .protocol(Operation.Protocol.RECORD_LAST)
                        .build())
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("qualify the table with its schema")
                .hasMessageContaining("table(\"public.idempotency_record\")");
    }

    /** One table for all tenants: the scope tells them apart. */
    @Test
    void recordsLastInATableOfAllTenants() {
        JdbiIdempotencyStore store =
                store().toBuilder().table(databases.get("a").table()).build().checkTable();

        eachTenantHasOneEffectAndItsOwnAnswer(
                builder(store).protocol(Operation.Protocol.RECORD_LAST).build(), own -> "tenant:" + own);
    }

    /** A table for each tenant: equal keys are different ones. */
    @Test
    void otherProtocolsKeepEachTenantsRecordInItsOwnTable() {
        eachTenantHasOneEffectAndItsOwnAnswer(builder(store().checkTable()).build(), own -> "user:1");
    }

    @Test
    void singleTransactionKeepsEachTenantsRecordInItsOwnTable() {
        eachTenantHasOneEffectAndItsOwnAnswer(
                builder(store().checkTable())
                        .protocol(Operation.Protocol.SINGLE_TRANSACTION)
                        .build(),
                own -> "user:1");
    }
}
