package io.counterpoint.idempotency.jakarta;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowable;

import io.counterpoint.idempotency.Attempt;
import io.counterpoint.idempotency.Idempotency;
import io.counterpoint.idempotency.ResultCodec;
import io.counterpoint.idempotency.spi.IdempotencyStore;
import io.counterpoint.idempotency.testing.PostgresServer;
import io.quarkus.narayana.jta.QuarkusTransaction;
import io.quarkus.test.common.QuarkusTestResource;
import io.quarkus.test.common.QuarkusTestResourceLifecycleManager;
import io.quarkus.test.junit.QuarkusTest;
import jakarta.enterprise.inject.spi.CDI;
import jakarta.inject.Inject;
import jakarta.transaction.Transactional;
import jakarta.transaction.Transactional.TxType;
import java.sql.Connection;
import java.util.Map;
import javax.sql.DataSource;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/**
 * Both contracts inside Quarkus, with the store that it gives an application. There are no servlets here, and it has to
 * start all the same.
 */
@QuarkusTest
@QuarkusTestResource(QuarkusStoreContractTest.Postgres.class)
@Tag("matrix")
class QuarkusStoreContractTest extends StoreContract {

    @BeforeAll
    static void open() {
        database = Database.open(
                Settings.of("quarkus.datasource.jdbc.url").orElseThrow(),
                CDI.current().select(DataSource.class).get());
    }

    /** Comes before Quarkus. */
    public static class Postgres implements QuarkusTestResourceLifecycleManager {
        @Override
        public Map<String, String> start() {
            return Map.of("quarkus.datasource.jdbc.url", PostgresServer.shared().createDatabase());
        }

        @Override
        public void stop() {}
    }

    @Inject
    ConfiguredStore configured;

    @Override
    protected IdempotencyStore<Connection> store() {
        database.empty();
        return configured.find().orElseThrow();
    }

    @Transactional(TxType.REQUIRES_NEW)
    void write() {
        database.sql("INSERT INTO effect VALUES ('beside')");
    }

    private Throwable failing(Runnable work) {
        var operation =
                Idempotency.on(store()).operation("op", ResultCodec.string()).build();
        return catchThrowable(
                () -> operation.execute(Attempt.inScope("user:1").key("k").request("r"), unused -> {
                    work.run();
                    throw new IllegalArgumentException("refused");
                }));
    }

    @Test
    void requiresNewInsideTheWorkIsRefused() {
        assertThat(failing(this::write)).isInstanceOf(SeparateTransactionException.class);
        assertThat(database.effects()).isEmpty();
    }

    /** This cannot be refused. */
    @Test
    void whatTheWorkWritesByQuarkusTransactionStands() {
        assertThat(failing(() -> QuarkusTransaction.requiringNew()
                        .run(() -> database.sql("INSERT INTO effect VALUES ('beside')"))))
                .isInstanceOf(IllegalArgumentException.class);
        assertThat(database.effects()).containsExactly("beside");
    }
}
