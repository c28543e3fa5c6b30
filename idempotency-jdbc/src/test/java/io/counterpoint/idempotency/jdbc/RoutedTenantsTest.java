package io.counterpoint.idempotency.jdbc;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.counterpoint.idempotency.Attempt;
import io.counterpoint.idempotency.Idempotency;
import io.counterpoint.idempotency.Operation;
import io.counterpoint.idempotency.Outcome;
import io.counterpoint.idempotency.ResultCodec;
import java.lang.reflect.Proxy;
import java.sql.Connection;
import java.sql.Statement;
import java.util.List;
import java.util.function.Consumer;
import javax.sql.DataSource;
import org.jdbi.v3.core.Handle;
import org.jdbi.v3.core.Jdbi;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** Connections whose schema is that of the calling thread's tenant. */
@Timeout(60)
class RoutedTenantsTest extends BothDatabases {

    private static final List<String> TENANTS = List.of("tenant_a", "tenant_b");

    private final ThreadLocal<String> tenant = ThreadLocal.withInitial(() -> "tenant_a");

    @BeforeEach
    void createSchemas() {
        for (Kind kind : Kind.values()) {
            database(kind).emptied();
            database(kind)
                    .jdbi()
                    .useHandle(handle -> TENANTS.forEach(schema -> {
                        handle.execute("DROP SCHEMA IF EXISTS " + schema + " CASCADE");
                        handle.execute("CREATE SCHEMA " + schema);
                        handle.execute("CREATE TABLE " + schema + ".effect (id varchar(255) NOT NULL)");
                    }));
            for (String schema : TENANTS) {
                database(kind).store().toBuilder()
                        .table(schema + ".idempotency_record")
                        .build()
                        .createTableIfMissing();
            }
        }
    }

    private DataSource routed(Kind kind) {
        return (DataSource) Proxy.newProxyInstance(
                getClass().getClassLoader(), new Class<?>[] {DataSource.class}, (proxy, method, arguments) -> {
                    Connection connection = database(kind).pool().getConnection();
                    try (Statement statement = connection.createStatement()) {
                        statement.execute((kind == Kind.H2 ? "SET SCHEMA " : "SET search_path TO ") + tenant.get());
                    }
                    return connection;
                });
    }

    private JdbiIdempotencyStore store(Kind kind) {
        return database(kind).store(routed(kind));
    }

    private static Operation.Builder<Handle, String> builder(JdbiIdempotencyStore store) {
        return Idempotency.on(store).operation("operate", ResultCodec.string());
    }

    private Outcome<String> call(Operation<Handle, String> operation, String scope) {
        String own = tenant.get();
        return operation.execute(Attempt.inScope(scope).key("key").request("request"), handle -> {
            TestDatabase.write(handle, own);
            return own;
        });
    }

    private List<String> effects(Kind kind, String schema) {
        return Jdbi.create(database(kind).pool())
                .withHandle(handle -> handle.select("SELECT id FROM " + schema + ".effect")
                        .mapTo(String.class)
                        .list());
    }

    /** The table that was checked is that of one tenant. */
    @ParameterizedTest
    @EnumSource(Kind.class)
    void recordLastIsRefusedWhereTheConnectionFindsTheTable(Kind kind) {
        JdbiIdempotencyStore checked = store(kind).checkTable();

        assertThatThrownBy(() -> builder(checked)
                        .protocol(Operation.Protocol.RECORD_LAST)
                        .build())
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("qualify the table with its schema")
                .hasMessageContaining("table(\"public.idempotency_record\")");
    }

    private void eachTenantHasOneEffectAndItsOwnAnswer(Kind kind, Operation<Handle, String> operation, String scope) {
        for (int round = 0; round < 3; round++) {
            for (String own : TENANTS) {
                tenant.set(own);
                Outcome<String> outcome = call(operation, scope.replace("?", own));
                assertThat(outcome)
                        .as("%s in round %s", own, round)
                        .isInstanceOf(round == 0 ? Outcome.Executed.class : Outcome.Replayed.class);
                assertThat(outcome.orElseThrow()).isEqualTo(own);
            }
        }
        TENANTS.forEach(own -> assertThat(effects(kind, own)).containsExactly(own));
    }

    /** One table for all tenants: the scope tells them apart. */
    @ParameterizedTest
    @EnumSource(Kind.class)
    void recordsLastInATableOfAllTenants(Kind kind) {
        String schema = kind == Kind.H2 ? "PUBLIC" : "public";
        JdbiIdempotencyStore store = store(kind).toBuilder()
                .table(schema + ".idempotency_record")
                .build()
                .checkTable();

        eachTenantHasOneEffectAndItsOwnAnswer(
                kind, builder(store).protocol(Operation.Protocol.RECORD_LAST).build(), "tenant:?");
    }

    enum Protocol implements Consumer<Operation.Builder<Handle, String>> {
        CLAIM_FIRST {
            @Override
            public void accept(Operation.Builder<Handle, String> builder) {}
        },
        SINGLE_TRANSACTION {
            @Override
            public void accept(Operation.Builder<Handle, String> builder) {
                builder.protocol(Operation.Protocol.SINGLE_TRANSACTION);
            }
        }
    }

    /** A table for each tenant: equal keys are different ones. */
    @ParameterizedTest
    @EnumSource(Kind.class)
    void otherProtocolsKeepEachTenantsRecordInItsOwnTable(Kind kind) {
        for (Protocol protocol : Protocol.values()) {
            createSchemas();
            Operation.Builder<Handle, String> builder = builder(store(kind).checkTable());
            protocol.accept(builder);

            eachTenantHasOneEffectAndItsOwnAnswer(kind, builder.build(), "user:1");
        }
    }
}
