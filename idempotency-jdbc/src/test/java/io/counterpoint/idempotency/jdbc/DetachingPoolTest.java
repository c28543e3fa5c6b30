package io.counterpoint.idempotency.jdbc;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowable;

import io.agroal.api.AgroalDataSource;
import io.agroal.api.configuration.supplier.AgroalDataSourceConfigurationSupplier;
import io.agroal.api.exceptionsorter.PostgreSQLExceptionSorter;
import io.counterpoint.idempotency.Attempt;
import io.counterpoint.idempotency.Idempotency;
import io.counterpoint.idempotency.Operation;
import io.counterpoint.idempotency.Outcome;
import io.counterpoint.idempotency.ResultCodec;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.postgresql.PGConnection;

/** Agroal, the pool of Quarkus, only detaches a connection that is aborted: it stays open, and its room is lost. */
@Tag("thorough")
@Timeout(60)
class DetachingPoolTest {

    private static Attempt attempt(String key) {
        return Attempt.inScope("user:1").key(key).withoutRequest();
    }

    /** A COPY left open cannot be rolled back, so its connection is ended. */
    @ParameterizedTest
    @EnumSource
    void endedConnectionLeavesNoTransactionAndItsRoomInThePool(Operation.Protocol protocol) throws SQLException {
        try (TestDatabase database = TestDatabase.postgresql();
                AgroalDataSource pool = poolOfOne(database.url())) {
            Operation<Connection, String> operation = Idempotency.on(JdbcIdempotencyStore.builder(pool)
                            .table(TestDatabase.TABLE)
                            .build()
                            .checkTable())
                    .operation("operation", ResultCodec.string())
                    .protocol(protocol)
                    .build();

            Throwable thrown = catchThrowable(() -> operation.execute(attempt("key"), connection -> {
                write(connection, "effect");
                return String.valueOf(
                        connection.unwrap(PGConnection.class).getCopyAPI().copyIn("COPY effect FROM STDIN"));
            }));

            assertThat(thrown).hasMessageContaining("left its connection unusable");
            assertThat(operation.execute(attempt("key"), connection -> "again")).isInstanceOf(Outcome.InProgress.class);
            assertThat(operation.execute(attempt("other"), connection -> write(connection, "other")))
                    .isInstanceOf(Outcome.Executed.class);
            assertThat(database.effects()).containsExactly("other");
        }
    }

    private static AgroalDataSource poolOfOne(String url) throws SQLException {
        return AgroalDataSource.from(new AgroalDataSourceConfigurationSupplier()
                .connectionPoolConfiguration(pool -> pool.maxSize(1)
                        .acquisitionTimeout(Duration.ofSeconds(2))
                        .exceptionSorter(new PostgreSQLExceptionSorter())
                        .connectionFactoryConfiguration(factory -> factory.jdbcUrl(url))));
    }

    private static String write(Connection connection, String id) throws SQLException {
        try (Statement statement = connection.createStatement()) {
            statement.execute("INSERT INTO effect (id) VALUES ('" + id + "')");
        }
        return id;
    }
}
