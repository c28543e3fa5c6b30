package io.counterpoint.idempotency.mariadb;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.counterpoint.idempotency.Attempt;
import io.counterpoint.idempotency.Idempotency;
import io.counterpoint.idempotency.NotStartedException;
import io.counterpoint.idempotency.Operation;
import io.counterpoint.idempotency.Outcome;
import io.counterpoint.idempotency.RejectedException;
import io.counterpoint.idempotency.ResultCodec;
import io.counterpoint.idempotency.jdbc.JdbcIdempotencyStore;
import io.counterpoint.idempotency.testing.MariaDbServer;
import java.sql.Connection;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.condition.DisabledIfEnvironmentVariable;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Results and plans that exceed the server's packet of 1 MiB. */
@Tag("thorough")
@Timeout(120)
@DisabledIfEnvironmentVariable(named = MariaDbServer.URL_VARIABLE, matches = ".+")
class LargeResultsTest {

    private static final Attempt ATTEMPT = Attempt.inScope("user:1").key("key").withoutRequest();

    private static MariaDbServer server;

    @BeforeAll
    static void start() {
        server = MariaDbServer.start("--max-allowed-packet=1M");
    }

    @AfterAll
    static void stop() {
        server.close();
    }

    private static JdbcIdempotencyStore store(TestPool database) {
        return JdbcIdempotencyStore.builder(database.pool())
                .dialect(TestPool.dialect())
                .table(database.table())
                .build()
                .createTableIfMissing();
    }

    private static Operation.Builder<Connection, String> operation(TestPool database, Operation.Protocol protocol) {
        return Idempotency.on(store(database))
                .operation("operation", ResultCodec.string())
                .maxResultBytes(8 << 20)
                .protocol(protocol);
    }

    @ParameterizedTest
    @CsvSource({
        "MARIADB, useServerPrepStmts=false, CLAIM_FIRST, 2000000",
        "MARIADB, useServerPrepStmts=true, CLAIM_FIRST, 2000000",
        "MARIADB, useServerPrepStmts=false, SINGLE_TRANSACTION, 2000000",
        "MARIADB, useServerPrepStmts=true, SINGLE_TRANSACTION, 2000000",
        "MARIADB, useServerPrepStmts=false, RECORD_LAST, 2000000",
        "MARIADB, useServerPrepStmts=true, RECORD_LAST, 2000000",
        "MARIADB, maxAllowedPacket=1000000, CLAIM_FIRST, 2000000",
        "MARIADB, useServerPrepStmts=false, CLAIM_FIRST, 700000",
        "MYSQL, useServerPrepStmts=false, CLAIM_FIRST, 2000000",
        "MYSQL, useServerPrepStmts=true, CLAIM_FIRST, 2000000",
        "MYSQL, useServerPrepStmts=false, SINGLE_TRANSACTION, 2000000",
        "MYSQL, useServerPrepStmts=false, RECORD_LAST, 2000000",
        "MYSQL, useServerPrepStmts=false, CLAIM_FIRST, 700000",
    })
    void resultFailsItsAttemptOnceAndNamesTheSetting(
            Driver driver, String setting, Operation.Protocol protocol, int bytes) {
        AtomicInteger runs = new AtomicInteger();
        try (TestPool database = TestPool.by(driver, server, "&" + setting)) {
            Operation<Connection, String> operation =
                    operation(database, protocol).build();

            assertThatThrownBy(() -> operation.execute(ATTEMPT, connection -> {
                        runs.incrementAndGet();
                        return "'".repeat(bytes);
                    }))
                    .isInstanceOf(RejectedException.class)
                    .hasMessageContaining("max_allowed_packet");

            // Without a claim, the work runs once more, since a rival's record may have been the cause.
            assertThat(runs).hasValue(protocol == Operation.Protocol.RECORD_LAST ? 2 : 1);
            assertThat(operation.execute(ATTEMPT, connection -> "again")).isInstanceOf(Outcome.Rejected.class);
        }
    }

    /** Statements with smaller results are not compared with it. */
    @Test
    void packetThatIsTooSmallForAnyResultIsRefused() {
        server.execute("SET GLOBAL max_allowed_packet = 524288");
        try (TestPool database = TestPool.on(server, "")) {
            assertThatThrownBy(() -> store(database))
                    .hasMessageContainingAll("max_allowed_packet is 524288", "set it to 1048576 or more");
        } finally {
            server.execute("SET GLOBAL max_allowed_packet = 1048576");
        }
    }

    @ParameterizedTest
    @CsvSource({
        "MARIADB, useServerPrepStmts=false",
        "MARIADB, useServerPrepStmts=true",
        "MYSQL, useServerPrepStmts=false",
        "MYSQL, useServerPrepStmts=true"
    })
    void planIsRefusedBeforeTheWork(Driver driver, String setting) {
        try (TestPool database = TestPool.by(driver, server, "&" + setting)) {
            for (Operation.Protocol protocol : Operation.Protocol.values()) {
                if (protocol == Operation.Protocol.RECORD_LAST) {
                    continue;
                }
                assertThatThrownBy(() -> operation(database, protocol)
                                .planned()
                                .build()
                                .execute(ATTEMPT, () -> "'".repeat(2_000_000), (connection, plan) -> {
                                    throw new AssertionError("The work ran.");
                                }))
                        .as("%s", protocol)
                        .isInstanceOf(NotStartedException.class)
                        .hasMessageContaining("max_allowed_packet");
            }
        }
    }
}
