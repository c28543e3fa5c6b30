package io.counterpoint.idempotency.jdbc;

import static org.assertj.core.api.Assertions.assertThat;

import com.zaxxer.hikari.HikariDataSource;
import io.counterpoint.idempotency.Attempt;
import io.counterpoint.idempotency.Idempotency;
import io.counterpoint.idempotency.Operation;
import io.counterpoint.idempotency.Operation.Protocol;
import io.counterpoint.idempotency.Outcome;
import io.counterpoint.idempotency.ResultCodec;
import io.counterpoint.idempotency.testing.PostgresServer;
import io.counterpoint.idempotency.testing.Race;
import java.sql.Connection;
import java.time.Duration;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.CountDownLatch;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** Many duplicates of one key over a small pool: what docs/operate.md says of their waits and connections. */
@Tag("thorough")
class OverloadTest {

    private static final int CALLERS = 150;

    private String url;
    private HikariDataSource pool;

    @BeforeEach
    void connect() {
        url = PostgresServer.shared().createDatabase();
        pool = new HikariDataSource();
        pool.setJdbcUrl(url);
        pool.setMaximumPoolSize(3);
    }

    @AfterEach
    void giveBack() {
        pool.close();
        PostgresServer.shared().giveBack(url);
    }

    @ParameterizedTest
    @EnumSource(names = {"CLAIM_FIRST", "SINGLE_TRANSACTION"})
    void duplicatesOfOneKeyLeaveThePoolToOthers(Protocol protocol) {
        Operation<Connection, String> operation = Idempotency.on(
                        JdbcIdempotencyStore.on(pool).createTableIfMissing())
                .operation("operate", ResultCodec.string())
                .protocol(protocol)
                .waitAtMost(Duration.ofSeconds(20))
                .build();
        CountDownLatch answered = new CountDownLatch(CALLERS - 100);

        List<Race.Result<Outcome<String>>> outcomes = Race.of(CALLERS, Duration.ofMinutes(1), caller -> {
            Outcome<String> outcome =
                    operation.execute(Attempt.inScope("user:1").key("k").withoutRequest(), connection -> {
                        // The leader stays until everybody for whom there is no place has an answer, and others had
                        // theirs.
                        answered.await();
                        assertThat(operationOfAnother(protocol)).isInstanceOf(Outcome.Executed.class);
                        return "led";
                    });
            if (outcome instanceof Outcome.InProgress) {
                answered.countDown();
            }
            return outcome;
        });

        List<Class<?>> kinds = outcomes.stream()
                .<Class<?>>map(result -> Objects.requireNonNull(result.orFail()).getClass())
                .toList();
        assertThat(kinds).filteredOn(Outcome.Executed.class::equals).hasSize(1);
        assertThat(kinds).filteredOn(Outcome.InProgress.class::equals).hasSize(CALLERS - 100);
        assertThat(kinds).filteredOn(Outcome.Replayed.class::equals).hasSize(99);
    }

    /** On a thread of its own: the leader's is inside its call. */
    private Outcome<String> operationOfAnother(Protocol protocol) {
        return Objects.requireNonNull(Race.of(
                        1,
                        caller -> Idempotency.on(JdbcIdempotencyStore.on(pool))
                                .operation("operate", ResultCodec.string())
                                .protocol(protocol)
                                .build()
                                .execute(Attempt.inScope("user:2").key("other").withoutRequest(), connection -> "done"))
                .get(0)
                .orFail());
    }
}
