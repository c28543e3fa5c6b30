package io.counterpoint.idempotency.jdbc;

import static java.util.concurrent.TimeUnit.SECONDS;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.counterpoint.idempotency.Attempt;
import io.counterpoint.idempotency.Idempotency;
import io.counterpoint.idempotency.IdempotencyKey;
import io.counterpoint.idempotency.Operation;
import io.counterpoint.idempotency.Outcome;
import io.counterpoint.idempotency.ResultCodec;
import io.counterpoint.idempotency.spi.Session;
import java.sql.SQLException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.Function;
import org.jdbi.v3.core.Handle;
import org.jdbi.v3.core.Jdbi;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Callers of one key wait before they borrow a connection. That nothing else depends on it, the contract shows. */
@Timeout(60)
class ConnectionsOfOneKeyTest {

    private static final Duration LONG = Duration.ofMinutes(1);
    private static final int DUPLICATES = 30;
    private static final int CONNECTIONS = 3;

    private final ExecutorService callers = Executors.newCachedThreadPool();

    @AfterEach
    void release() {
        callers.shutdownNow();
    }

    @Test
    void sessionBehindAnotherProbablyFindsItsKeyClaimed() {
        try (TestDatabase database = TestDatabase.h2();
                Session<Handle> first = database.store().openForClaim(key("a"), LONG);
                Session<Handle> second = database.store()
                        .mapped(Function.<Handle>identity())
                        .openForClaim(key("a"), Duration.ofMillis(1));
                Session<Handle> third = database.store().toBuilder()
                        .durableClaims(true)
                        .build()
                        .openForClaim(key("a"), Duration.ofMillis(1))) {
            assertThat(first.probablyClaimed()).isFalse();
            assertThat(second.probablyClaimed()).isTrue();
            assertThat(third.probablyClaimed()).isTrue();
        }
    }

    @Test
    void callerThatGetsNoConnectionReleasesItsPermit() {
        try (TestDatabase database = TestDatabase.h2()) {
            AtomicBoolean refuses = new AtomicBoolean(true);
            JdbiIdempotencyStore store = database.dialect(Jdbi.create(() -> {
                if (refuses.get()) {
                    throw new SQLException("No connection.");
                }
                return database.pool().getConnection();
            }));
            assertThatThrownBy(() -> store.openForClaim(key("a"), Duration.ZERO))
                    .hasRootCauseMessage("No connection.");
            refuses.set(false);
            try (Session<Handle> session = store.openForClaim(key("a"), Duration.ZERO)) {
                assertThat(session.probablyClaimed()).isFalse();
            }
        }
    }

    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    void duplicatesLeaveThePoolToOtherKeysOnPostgreSql(boolean single) throws Exception {
        try (TestDatabase database = TestDatabase.postgresql()) {
            duplicatesLeaveThePoolToOtherKeys(database, single);
        }
    }

    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    void duplicatesLeaveThePoolToOtherKeysOnH2(boolean single) throws Exception {
        try (TestDatabase database = TestDatabase.h2()) {
            duplicatesLeaveThePoolToOtherKeys(database, single);
        }
    }

    private void duplicatesLeaveThePoolToOtherKeys(TestDatabase origin, boolean single) throws Exception {
        try (TestDatabase database = origin.with(config -> config.setMaximumPoolSize(CONNECTIONS))) {
            Operation.Builder<Handle, String> builder = Idempotency.on(
                            database.store().mapped(Function.identity()))
                    .operation("create", ResultCodec.string())
                    .waitAtMost(LONG)
                    .maxWaiting(DUPLICATES);
            Operation<Handle, String> operation =
                    (single ? builder.protocol(Operation.Protocol.SINGLE_TRANSACTION) : builder).build();
            CountDownLatch leads = new CountDownLatch(1);
            CountDownLatch mayEnd = new CountDownLatch(1);
            Future<Outcome<String>> leader = callers.submit(() -> operation.execute(attempt("hot"), handle -> {
                leads.countDown();
                mayEnd.await();
                TestDatabase.write(handle, "hot");
                return "result";
            }));
            leads.await();
            List<Future<Outcome<String>>> duplicates = new ArrayList<>();
            for (int i = 0; i < DUPLICATES; i++) {
                AtomicReference<Thread> caller = new AtomicReference<>();
                duplicates.add(callers.submit(() -> {
                    caller.set(Thread.currentThread());
                    return operation.execute(attempt("hot"), handle -> "another");
                }));
                awaitParked(caller);
            }

            assertThat(operation.execute(attempt("hot"), handle -> "one too many"))
                    .isInstanceOf(Outcome.InProgress.class);
            for (int i = 0; i < 10; i++) {
                String value = "cold-" + i;
                assertThat(operation.execute(attempt(value), handle -> {
                            TestDatabase.write(handle, value);
                            return value;
                        }))
                        .isInstanceOf(Outcome.Executed.class);
            }
            assertThat(leader).isNotDone();
            mayEnd.countDown();

            assertThat(leader.get(30, SECONDS)).isInstanceOf(Outcome.Executed.class);
            for (Future<Outcome<String>> duplicate : duplicates) {
                assertThat(duplicate.get(30, SECONDS)).isInstanceOf(Outcome.Replayed.class);
                assertThat(duplicate.get().orElseThrow()).isEqualTo("result");
            }
            assertThat(database.effects()).hasSize(11).containsOnlyOnce("hot");
        }
    }

    private static Attempt attempt(String value) {
        return Attempt.inScope("user:1").key(value).request("request");
    }

    private static IdempotencyKey key(String value) {
        return IdempotencyKey.inScope("user:1").operation("operation").value(value);
    }

    /** Until the thread waits, for a permit or for a connection. */
    private static void awaitParked(AtomicReference<Thread> thread) {
        while (thread.get() == null || thread.get().getState() != Thread.State.TIMED_WAITING) {
            Thread.onSpinWait();
        }
    }
}
