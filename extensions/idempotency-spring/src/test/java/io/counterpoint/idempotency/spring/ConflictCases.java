package io.counterpoint.idempotency.spring;

import static org.assertj.core.api.Assertions.assertThat;

import io.counterpoint.idempotency.Outcome;
import io.counterpoint.idempotency.testing.Race;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.SQLException;
import java.util.List;
import java.util.concurrent.CyclicBarrier;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.springframework.jdbc.core.JdbcTemplate;

/** What runs again: conflicts of versions, and lost connections. */
abstract class ConflictCases extends JoinedCases {

    @ParameterizedTest
    @EnumSource
    void twoKeysThatCollideOnAVersionBothSucceed(Protocol protocol) throws Exception {
        opened();
        CyclicBarrier bothHaveRead = new CyclicBarrier(2);
        AtomicInteger runs = new AtomicInteger();
        List<Race.Result<Outcome<String>>> outcomes = Race.of(
                2,
                caller -> operation(protocol).execute(attempt(id + caller), connection -> {
                    accounts.deposit(id, 5);
                    if (runs.incrementAndGet() <= 2) {
                        bothHaveRead.await(30, TimeUnit.SECONDS);
                    }
                    return "deposited";
                }));
        assertThat(outcomes).allSatisfy(outcome -> assertThat(outcome.orFail()).isInstanceOf(Outcome.Executed.class));
        assertThat(balance()).isEqualTo(10);
        assertThat(runs).hasValue(3);
    }

    @ParameterizedTest
    @EnumSource
    void connectionThatIsKilledBetweenFlushAndCommitCostsARunOnly(Protocol protocol) throws SQLException {
        opened();
        AtomicInteger runs = new AtomicInteger();
        assertThat(operation(protocol).execute(attempt(), connection -> {
                    accounts.deposit(id, 5);
                    application().entities().flush();
                    if (runs.incrementAndGet() == 1) {
                        int server = new JdbcTemplate(application().database.pool())
                                .queryForObject("SELECT pg_backend_pid()", Integer.class);
                        kill(server);
                    }
                    return "deposited";
                }))
                .isInstanceOf(Outcome.Executed.class);
        assertThat(runs).hasValue(2);
        assertThat(balance()).isEqualTo(5);
    }

    private static void kill(int server) throws SQLException {
        try (Connection own = application().database.pool().getConnection();
                PreparedStatement kill = own.prepareStatement("SELECT pg_terminate_backend(?, 10000)")) {
            kill.setInt(1, server);
            kill.execute();
        }
    }

    /** The server refuses a statement of Hibernate's, which marks the transaction as rollback-only. */
    @ParameterizedTest
    @EnumSource
    void conflictThatTheServerReportsToHibernateRunsTheWorkAgain(Protocol protocol) {
        opened();
        AtomicInteger runs = new AtomicInteger();
        executes(protocol, connection -> {
            accounts.deposit(id, 5);
            if (runs.incrementAndGet() == 1) {
                application()
                        .entities()
                        .createNativeQuery("DO $$ BEGIN RAISE EXCEPTION 'met' USING ERRCODE = '40001'; END $$")
                        .executeUpdate();
            }
            return "deposited";
        });
        assertThat(runs).hasValue(2);
        assertThat(balance()).isEqualTo(5);
    }
}
