package io.counterpoint.idempotency.jdbc;

import static org.assertj.core.api.Assertions.assertThat;

import io.counterpoint.idempotency.Attempt;
import io.counterpoint.idempotency.Done;
import io.counterpoint.idempotency.Idempotency;
import io.counterpoint.idempotency.IdempotencyKey;
import io.counterpoint.idempotency.Operation;
import io.counterpoint.idempotency.Outcome;
import io.counterpoint.idempotency.spi.Durability;
import io.counterpoint.idempotency.spi.Fault;
import io.counterpoint.idempotency.spi.IdempotencyRecord;
import io.counterpoint.idempotency.spi.IdempotencyRecord.Pending;
import io.counterpoint.idempotency.spi.Session;
import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.assertj.core.api.Assertions;
import org.jdbi.v3.core.Handle;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;

/** What a claim waited for when its bound ended, and what a wait leaves of the user's own bound. */
@Tag("thorough")
@Timeout(60)
class PostgreSqlLockWaitTest {

    private static final Duration SHORT = Duration.ofMillis(200);
    private static final Duration DAY = Duration.ofDays(1);

    private TestDatabase database;

    private TestDatabase open(String... settings) {
        database = TestDatabase.postgresql(settings);
        return database;
    }

    @AfterEach
    void close() {
        database.close();
    }

    /** The statements with which a key is claimed. */
    enum ProtocolVariant {
        ALONE,
        WITH_LOCK,
        WITH_DOMAIN;

        Optional<IdempotencyRecord> claim(JdbiIdempotencyStore store, Pending pending) {
            try (Session<Handle> session = store.open(TestDatabase.KEY)) {
                return switch (this) {
                    case ALONE -> session.autoCommit(step -> step.claim(pending, DAY, SHORT, Durability.DURABLE));
                    case WITH_LOCK -> session.claimAndLock(pending, DAY, SHORT, Durability.ASYNCHRONOUS);
                    case WITH_DOMAIN ->
                        session.inTransaction((step, scope) -> step.claim(pending, DAY, SHORT, Durability.DURABLE));
                };
            }
        }
    }

    @ParameterizedTest
    @EnumSource
    void waitForARivalOfTheKeyIsLocked(ProtocolVariant way) {
        Pending pending = FaultySessions.pending();
        try (Handle rival = open().jdbi().open()) {
            rival.begin();
            insert(rival, pending.key());
            assertThat(faultOf(way, pending)).isEqualTo(Fault.LOCK_TIMEOUT);
            rival.rollback();
        }
        assertThat(way.claim(database.store(), pending)).isEmpty();
    }

    @ParameterizedTest
    @EnumSource
    void waitForTheTableIsNotForARival(ProtocolVariant way) {
        Pending pending = FaultySessions.pending();
        try (Handle maintenance = open("lock_timeout=200ms").jdbi().open()) {
            maintenance.begin();
            maintenance.execute("LOCK TABLE idempotency_record IN SHARE MODE");
            assertThat(faultOf(way, pending)).isEqualTo(Fault.CANCELLED);
            maintenance.rollback();
        }
        assertThat(way.claim(database.store(), pending)).isEmpty();
    }

    private Fault faultOf(ProtocolVariant way, Pending pending) {
        Throwable thrown = Assertions.catchThrowable(() -> way.claim(database.store(), pending));
        assertThat(thrown).isNotNull();
        return database.store().classify(thrown);
    }

    /**
     * SHARE holds claims, ACCESS EXCLUSIVE holds reading as well. Neither is a claim of the key. Where nothing can be read,
     * nothing says whether a claim that was sent with its commit has arrived.
     */
    @ParameterizedTest
    @CsvSource({
        "SHARE, false, NotStartedException",
        "SHARE, true, NotStartedException",
        "ACCESS EXCLUSIVE, false, OutcomeUnknownException",
        "ACCESS EXCLUSIVE, true, NotStartedException"
    })
    void keyThatNobodyHoldsIsNotInProgressWhereTheTableIsLocked(String mode, boolean single, String answer) {
        Attempt attempt = Attempt.inScope("user:1").key("key").request("request");
        Throwable thrown;
        try (Handle maintenance = open("lock_timeout=100ms").jdbi().open()) {
            maintenance.begin();
            maintenance.execute("LOCK TABLE idempotency_record IN " + mode + " MODE");
            thrown = Assertions.catchThrowable(() -> operation(single).execute(attempt, handle -> Done.DONE));
            maintenance.rollback();
        }
        assertThat(thrown).isNotNull();
        assertThat(thrown.getClass().getSimpleName()).isEqualTo(answer);
        assertThat(operation(single).execute(attempt, handle -> Done.DONE)).isInstanceOf(Outcome.Executed.class);
    }

    /** The lock ends when a claim has met its bound: what comes then is not the answer to the first try. */
    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    void claimThatMetTheLockOfTheTableIsTriedAgain(boolean single) throws Exception {
        Attempt attempt = Attempt.inScope("user:1").key("key").request("request");
        try (Handle maintenance = open("lock_timeout=100ms").jdbi().open()) {
            maintenance.begin();
            maintenance.execute("LOCK TABLE idempotency_record IN ACCESS EXCLUSIVE MODE");
            CompletableFuture<Outcome<Done>> call =
                    CompletableFuture.supplyAsync(() -> operation(single).execute(attempt, handle -> Done.DONE));
            awaitWaiters(1);
            awaitWaiters(0);
            maintenance.rollback();
            assertThat(call.get(20, TimeUnit.SECONDS)).isInstanceOf(Outcome.Executed.class);
        }
    }

    private Operation<Handle, Done> operation(boolean single) {
        Operation.Builder<Handle, Done> operation =
                Idempotency.on(database.store()).operation("operation");
        return (single ? operation.protocol(Operation.Protocol.SINGLE_TRANSACTION) : operation).build();
    }

    /** The wait's condition is met twice where the rival has changed the record. */
    @ParameterizedTest
    @ValueSource(
            strings = {
                "UPDATE idempotency_record SET updated_at = updated_at",
                "SELECT FROM idempotency_record FOR UPDATE"
            })
    void lockThatWasWaitedForGivesTheUsersBoundBack(String ofRival) throws Exception {
        Pending pending = FaultySessions.pending();
        open("lock_timeout=7s");
        ProtocolVariant.ALONE.claim(database.store(), pending);
        try (Handle rival = database.jdbi().open()) {
            rival.begin();
            rival.execute(ofRival);
            CompletableFuture<String> waiter = CompletableFuture.supplyAsync(() -> {
                try (Session<Handle> session = database.store().open(TestDatabase.KEY)) {
                    return session.inTransaction((step, scope) -> {
                        assertThat(step.lock(pending.key(), Duration.ofSeconds(30)))
                                .isPresent();
                        return setting(scope.handle());
                    });
                }
            });
            awaitWaiters(1);
            rival.commit();
            assertThat(waiter.get(20, TimeUnit.SECONDS)).isEqualTo("7s");
        }
    }

    /** And the bound that is put aside is that of this transaction, on a session that has seen others. */
    @Test
    void userBoundOfAnEarlierTransactionIsForgotten() {
        open();
        try (TestDatabase one = database.with(config -> config.setMaximumPoolSize(1));
                Session<Handle> session = one.store().open(TestDatabase.KEY)) {
            for (String own : new String[] {"7s", "9s"}) {
                Pending pending = FaultySessions.pending();
                String after = session.inTransaction((step, scope) -> {
                    scope.handle().execute("SET LOCAL lock_timeout = '" + own + "'");
                    assertThat(step.claim(pending, DAY, SHORT, Durability.DURABLE))
                            .isEmpty();
                    return setting(scope.handle());
                });
                assertThat(after).isEqualTo(own);
            }
        }
    }

    private void awaitWaiters(int expected) {
        while (database.<Integer>one(
                        "SELECT count(*) FROM pg_stat_activity WHERE wait_event_type = 'Lock'"
                                + " AND datname = current_database()",
                        Integer.class)
                != expected) {
            Thread.onSpinWait();
        }
    }

    private static String setting(Handle handle) {
        return handle.createQuery("SHOW lock_timeout").mapTo(String.class).one();
    }

    private static void insert(Handle handle, IdempotencyKey key) {
        handle.execute(
                "INSERT INTO idempotency_record (scope, operation, key_value, protocol, state, token, fingerprint,"
                        + " created_at, updated_at, expires_at) VALUES (?, ?, ?, 'C', 'P', gen_random_uuid(), ?, now(),"
                        + " now(), now())",
                key.scope(),
                key.operation(),
                key.value(),
                new byte[32]);
    }
}
