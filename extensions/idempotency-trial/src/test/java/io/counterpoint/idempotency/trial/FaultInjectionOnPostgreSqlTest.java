package io.counterpoint.idempotency.trial;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.zaxxer.hikari.HikariDataSource;
import io.counterpoint.idempotency.testing.PostgresServer;
import io.counterpoint.idempotency.trial.FaultInjection.InAnotherProcess;
import io.counterpoint.idempotency.trial.Payments.Way;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;

/** The same on a server, which outlives processes that are killed. */
@Tag("thorough")
@Timeout(240)
class FaultInjectionOnPostgreSqlTest {

    private String url;
    private HikariDataSource pool;

    @BeforeEach
    void open() {
        url = PostgresServer.shared().createDatabase("lock_timeout=2s");
        pool = Payments.pool(url);
    }

    @AfterEach
    void close() {
        pool.close();
        PostgresServer.shared().giveBack(url);
    }

    private FaultInjection injection(FaultInjection.UseCase useCase) {
        return FaultInjection.into(pool, useCase)
                .onDisposableDatabase(url)
                .countingEffects(Payments.COUNT)
                .seed(1);
    }

    @ParameterizedTest
    @EnumSource
    void correctUseCasePassesUnderEveryFault(Way way) throws Exception {
        injection(source -> Payments.call(source, way, Payments::insert)).verify();
    }

    @Test
    void correctUseCaseOfAPoolWithoutAutocommitPassesUnderEveryFault() throws Exception {
        try (HikariDataSource manual = new HikariDataSource()) {
            manual.setJdbcUrl(url);
            manual.setAutoCommit(false);
            FaultInjection.into(manual, source -> Payments.call(source, Way.SINGLE_TRANSACTION, Payments::insert))
                    .onDisposableDatabase(url)
                    .countingEffects(Payments.COUNT)
                    .duplicates(0)
                    .verify();
        }
    }

    @ParameterizedTest
    @ValueSource(classes = {KilledUseCase.ClaimingFirst.class, KilledUseCase.InASingleTransaction.class})
    void correctUseCasePassesWhereItsProcessIsKilled(Class<? extends InAnotherProcess> type) throws Exception {
        injection(type.getConstructor().newInstance())
                .duplicates(0)
                .killing(type)
                .verify();
    }

    /** Some of the kills would show nothing: the time is for those that do. */
    @Test
    void writePastTheHandleIsFoundWhereItsProcessIsKilled() {
        assertThatThrownBy(injection(new KilledUseCase.PastTheHandle())
                        .duplicates(0)
                        .killing(KilledUseCase.PastTheHandle.class)::verify)
                .satisfies(thrown -> assertThat(thrown.getMessage().lines())
                        .anyMatch(line ->
                                line.matches("At call \\d+ \\(PreparedStatement.executeUpdate \"INSERT INTO payment"
                                        + ".*, process killed after the server did it: effect twice for key .*")));
    }
}
