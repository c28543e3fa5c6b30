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
import io.counterpoint.idempotency.jdbc.KeyedMutex.Permit;
import io.counterpoint.idempotency.spi.Session;
import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.Function;
import org.jdbi.v3.core.Handle;
import org.jdbi.v3.core.Jdbi;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Who waits for whom, and with how many connections. That nothing else depends on it, the contract shows. */
@Timeout(60)
class KeyedMutexTest {

    private static final Duration LONG = Duration.ofMinutes(1);
    private static final int DUPLICATES = 30;
    private static final int CONNECTIONS = 3;

    private final KeyedMutex mutex = new KeyedMutex();
    private final ExecutorService callers = Executors.newCachedThreadPool();

    @AfterEach
    void release() {
        callers.shutdownNow();
    }

    @Test
    void freeKeyIsAcquiredAtOnceAndForgottenAfterwards() {
        Permit permit = mutex.acquire(key("a"), Duration.ZERO);
        assertThat(permit.hasPredecessor()).isFalse();
        assertThat(mutex.size()).isEqualTo(1);
        permit.release();
        assertThat(mutex.size()).isZero();
    }

    @Test
    void callersOfOneKeyGoOneAfterTheOther() throws Exception {
        AtomicInteger present = new AtomicInteger();
        List<Future<Boolean>> all = new ArrayList<>();
        Permit first = mutex.acquire(key("a"), LONG);
        for (int i = 0; i < DUPLICATES; i++) {
            AtomicReference<Thread> caller = new AtomicReference<>();
            all.add(callers.submit(() -> {
                caller.set(Thread.currentThread());
                Permit permit = mutex.acquire(key("a"), LONG);
                boolean alone = present.incrementAndGet() == 1;
                present.decrementAndGet();
                permit.release();
                return alone && permit.hasPredecessor();
            }));
            awaitParked(caller);
        }
        assertThat(present).hasValue(0);
        first.release();
        for (Future<Boolean> caller : all) {
            assertThat(caller.get(10, SECONDS)).isTrue();
        }
        assertThat(mutex.size()).isZero();
    }

    @Test
    void keysDoNotWaitForEachOther() {
        Permit one = mutex.acquire(key("a"), LONG);
        Permit other = mutex.acquire(key("b"), LONG);
        assertThat(other.hasPredecessor()).isFalse();
        one.release();
        other.release();
        assertThat(mutex.size()).isZero();
    }

    @Test
    void callerWhoGoesWithoutATurnLetsNobodyElseGoOn() {
        Permit first = mutex.acquire(key("a"), LONG);
        Permit impatient = mutex.acquire(key("a"), Duration.ofMillis(1));
        assertThat(impatient.hasPredecessor()).isTrue();
        impatient.release();
        Permit another = mutex.acquire(key("a"), Duration.ZERO);
        assertThat(another.hasPredecessor()).isTrue();
        another.release();
        first.release();
        assertThat(mutex.size()).isZero();
    }

    @Test
    void interruptedCallerGoesOnWithoutATurnAndStaysInterrupted() throws Exception {
        Permit first = mutex.acquire(key("a"), LONG);
        AtomicReference<Thread> thread = new AtomicReference<>();
        Future<Boolean> waiter = callers.submit(() -> {
            thread.set(Thread.currentThread());
            mutex.acquire(key("a"), LONG).release();
            return Thread.interrupted();
        });
        awaitParked(thread);
        thread.get().interrupt();
        assertThat(waiter.get(10, SECONDS)).isTrue();
        Permit another = mutex.acquire(key("a"), Duration.ZERO);
        assertThat(another.hasPredecessor()).isTrue();
        another.release();
        first.release();
    }

    @Test
    void sessionBehindAnotherSaysThatItsKeySeemsClaimedThroughEveryView() {
        try (TestDatabase database = TestDatabase.h2();
                Session<Handle> first = database.store().openForClaim(key("a"), LONG);
                Session<Handle> second = database.store()
                        .mapped(Function.<Handle>identity())
                        .openForClaim(key("a"), Duration.ofMillis(1));
                Session<Connection> third =
                        database.store().connections().openForClaim(key("a"), Duration.ofMillis(1))) {
            assertThat(first.probablyClaimed()).isFalse();
            assertThat(second.probablyClaimed()).isTrue();
            assertThat(third.probablyClaimed()).isTrue();
        }
    }

    @Test
    void callerWhoGetsNoConnectionGivesItsTurnBack() {
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
    void duplicatesThatWaitForARunningLeaderLeaveThePoolToOtherKeysOnPostgreSql(boolean single) throws Exception {
        try (TestDatabase database = TestDatabase.postgresql()) {
            duplicatesLeaveThePoolToOtherKeys(database, single);
        }
    }

    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    void duplicatesThatWaitForARunningLeaderLeaveThePoolToOtherKeysOnH2(boolean single) throws Exception {
        try (TestDatabase database = TestDatabase.h2()) {
            duplicatesLeaveThePoolToOtherKeys(database, single);
        }
    }

    private void duplicatesLeaveThePoolToOtherKeys(TestDatabase origin, boolean single) throws Exception {
        try (TestDatabase database = origin.with(config -> config.setMaximumPoolSize(CONNECTIONS))) {
            Operation.Builder<Handle, String> builder = Idempotency.on(
                            database.store().mapped(Function.identity()))
                    .operation("create", ResultCodec.string())
                    .waitAtMost(LONG);
            Operation<Handle, String> operation = (single ? builder.singleTransaction() : builder).build();
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

            assertThat(leader.get(10, SECONDS)).isInstanceOf(Outcome.Executed.class);
            for (Future<Outcome<String>> duplicate : duplicates) {
                assertThat(duplicate.get(10, SECONDS)).isInstanceOf(Outcome.Replayed.class);
                assertThat(duplicate.get().orElseThrow()).isEqualTo("result");
            }
            assertThat(database.effects()).hasSize(11).containsOnlyOnce("hot");
        }
    }

    private static Attempt attempt(String value) {
        return Attempt.in("user:1").key(value).request("request");
    }

    private static IdempotencyKey key(String value) {
        return new IdempotencyKey("user:1", "operation", value);
    }

    /** Until the thread waits, for a permit or for a connection. */
    private static void awaitParked(AtomicReference<Thread> thread) {
        while (thread.get() == null || thread.get().getState() != Thread.State.TIMED_WAITING) {
            Thread.onSpinWait();
        }
    }
}
