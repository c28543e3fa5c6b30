package io.counterpoint.idempotency.jdbc;

import static java.util.concurrent.TimeUnit.SECONDS;
import static org.assertj.core.api.Assertions.assertThat;

import io.counterpoint.idempotency.Attempt;
import io.counterpoint.idempotency.Idempotency;
import io.counterpoint.idempotency.Operation;
import io.counterpoint.idempotency.Outcome;
import io.counterpoint.idempotency.PlannedOperation;
import io.counterpoint.idempotency.ResultCodec;
import io.counterpoint.idempotency.testkit.ControllableClock;
import java.time.Duration;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import org.jdbi.v3.core.Handle;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** A leader that has claimed first is at work in another process. Any follower learns of it without a wait. */
@Timeout(40)
class RunningLeaderTest {

    /** Longer than the timeout of this test: a wait in the database for the leader would show. */
    private static final Duration LONG = Duration.ofSeconds(59);

    private static final Attempt ATTEMPT =
            Attempt.inScope("user:1").key("key-1").request("request");

    enum Follower {
        CLAIM_FIRST,
        SINGLE_TRANSACTION,
        SINGLE_TRANSACTION_PLANNED,
        RECORD_LAST
    }

    @ParameterizedTest
    @EnumSource
    void followerIsInProgressWhileTheLeaderWorks(Follower follower) throws Exception {
        ExecutorService leading = Executors.newSingleThreadExecutor();
        try (TestDatabase database = TestDatabase.postgresql()) {
            CountDownLatch works = new CountDownLatch(1);
            CountDownLatch mayEnd = new CountDownLatch(1);
            PlannedOperation<Handle, String> leader = Idempotency.on(database.store())
                    .operation("operate", ResultCodec.string())
                    .planned()
                    .build();
            Future<Outcome<String>> led =
                    leading.submit(() -> leader.execute(ATTEMPT, () -> "result", (handle, plan) -> {
                        works.countDown();
                        mayEnd.await();
                    }));
            works.await();

            assertThat(call(database, follower)).isInstanceOf(Outcome.InProgress.class);

            mayEnd.countDown();
            assertThat(led.get(30, SECONDS)).isInstanceOf(Outcome.Executed.class);
            assertThat(call(database, follower).orElseThrow()).isEqualTo("result");
        } finally {
            leading.shutdownNow();
        }
    }

    /** Calls from a process of its own, whose waits without a connection cost no time. */
    private static Outcome<String> call(TestDatabase database, Follower follower) {
        ControllableClock clock = new ControllableClock();
        clock.onSleep(clock::advance);
        Operation.Builder<Handle, String> builder = Idempotency.builder(database.dialect(database.jdbi()).toBuilder()
                        .table(TestDatabase.TABLE)
                        .build()
                        .checkTable())
                .clock(clock)
                .build()
                .operation("operate", ResultCodec.string())
                .waitAtMost(LONG);
        return switch (follower) {
            case CLAIM_FIRST -> builder.build().execute(ATTEMPT, handle -> "another");
            case SINGLE_TRANSACTION ->
                builder.protocol(Operation.Protocol.SINGLE_TRANSACTION).build().execute(ATTEMPT, handle -> "another");
            case SINGLE_TRANSACTION_PLANNED ->
                builder.protocol(Operation.Protocol.SINGLE_TRANSACTION)
                        .planned()
                        .build()
                        .execute(ATTEMPT, () -> "another", (handle, plan) -> {});
            case RECORD_LAST ->
                builder.protocol(Operation.Protocol.RECORD_LAST).build().execute(ATTEMPT, handle -> "another");
        };
    }
}
