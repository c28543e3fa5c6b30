package io.counterpoint.idempotency.jdbc;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.counterpoint.idempotency.Attempt;
import io.counterpoint.idempotency.Done;
import io.counterpoint.idempotency.Fingerprint;
import io.counterpoint.idempotency.Idempotency;
import io.counterpoint.idempotency.IdempotencyEvent;
import io.counterpoint.idempotency.IdempotencyKey;
import io.counterpoint.idempotency.IdempotencyListener;
import io.counterpoint.idempotency.Lookup;
import io.counterpoint.idempotency.Operation;
import io.counterpoint.idempotency.Outcome;
import io.counterpoint.idempotency.RejectedException;
import io.counterpoint.idempotency.ResultCodec;
import io.counterpoint.idempotency.spi.Durability;
import io.counterpoint.idempotency.spi.IdempotencyRecord;
import io.counterpoint.idempotency.spi.Session;
import io.counterpoint.idempotency.spi.StoreException;
import io.counterpoint.idempotency.testing.Race;
import java.sql.SQLException;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.UUID;
import java.util.concurrent.CyclicBarrier;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.jdbi.v3.core.Handle;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** Serialization failures, deadlocks, lock timeouts and durability settings, as PostgreSQL itself makes them. */
@Tag("thorough")
@Timeout(60)
class PostgreSqlConflictsTest {

    private static final int RUNNERS = 12;

    private final AtomicInteger reruns = new AtomicInteger();
    private TestDatabase database;

    @BeforeEach
    void open() {
        database = TestDatabase.postgresql();
        database.jdbi().useHandle(handle -> {
            handle.execute("CREATE TABLE account (id int PRIMARY KEY, balance int NOT NULL)");
            handle.execute("INSERT INTO account VALUES (1, 0), (2, 0)");
        });
    }

    @AfterEach
    void close() {
        database.close();
    }

    @ParameterizedTest
    @EnumSource(names = {"REPEATABLE_READ", "SERIALIZABLE"})
    void serializationFailuresAreRunAgainUntilAllSucceededOnce(Isolation level) {
        for (boolean single : new boolean[] {false, true}) {
            reruns.set(0);
            Operation<Handle, Done> deposit = deposit(level, single);
            CyclicBarrier allHaveRead = new CyclicBarrier(RUNNERS);
            assertThat(Race.of(RUNNERS, runner -> {
                        AtomicInteger runs = new AtomicInteger();
                        return deposit.execute(attempt(level + "-" + single + runner), handle -> {
                            int balance = handle.createQuery("SELECT balance FROM account WHERE id = 1")
                                    .mapTo(Integer.class)
                                    .one();
                            if (runs.incrementAndGet() == 1) {
                                allHaveRead.await(20, TimeUnit.SECONDS);
                            }
                            handle.execute("UPDATE account SET balance = ? WHERE id = 1", balance + 1);
                            return Done.DONE;
                        });
                    }))
                    .allSatisfy(result -> assertThat(result.orFail()).isInstanceOf(Outcome.Executed.class));
            assertThat(reruns).as("conflicts").hasValueGreaterThanOrEqualTo(RUNNERS - 1);
        }
        assertThat(database.one("SELECT balance FROM account WHERE id = 1", Integer.class))
                .isEqualTo(2 * RUNNERS);
    }

    @ParameterizedTest
    @EnumSource(names = {"REPEATABLE_READ", "SERIALIZABLE"})
    void duplicatesConvergeUnderStrictIsolation(Isolation level) {
        for (boolean single : new boolean[] {false, true}) {
            Operation<Handle, Done> deposit = deposit(level, single);
            List<Race.Result<Outcome<Done>>> results = Race.of(
                    12,
                    runner -> deposit.execute(attempt(level + "-same-" + single), handle -> {
                        handle.execute("UPDATE account SET balance = balance + 1 WHERE id = 1");
                        return Done.DONE;
                    }));
            assertThat(results)
                    .allSatisfy(result -> assertThat(result.orFail())
                            .isInstanceOfAny(Outcome.Completed.class, Outcome.InProgress.class));
            assertThat(results)
                    .filteredOn(result -> result.orFail() instanceof Outcome.Executed)
                    .hasSize(1);
        }
        assertThat(database.one("SELECT balance FROM account WHERE id = 1", Integer.class))
                .isEqualTo(2);
    }

    /** The first runs deadlock for certain. A victim that is back before the other has woken may meet it once more. */
    @Test
    void deadlockIsRunAgain() {
        Operation<Handle, Done> transfer = deposit(Isolation.READ_COMMITTED, false);
        CyclicBarrier bothHoldOne = new CyclicBarrier(2);
        assertThat(Race.of(2, runner -> {
                    AtomicInteger runs = new AtomicInteger();
                    return transfer.execute(attempt("transfer-" + runner), handle -> {
                        handle.execute("UPDATE account SET balance = balance + 1 WHERE id = ?", 1 + runner);
                        if (runs.incrementAndGet() == 1) {
                            bothHoldOne.await(20, TimeUnit.SECONDS);
                        }
                        handle.execute("UPDATE account SET balance = balance + 1 WHERE id = ?", 2 - runner);
                        return Done.DONE;
                    });
                }))
                .allSatisfy(result -> assertThat(result.orFail()).isInstanceOf(Outcome.Executed.class));
        assertThat(reruns).hasValueGreaterThanOrEqualTo(1);
        assertThat(database.one("SELECT string_agg(balance::text, ' ' ORDER BY id) FROM account", String.class))
                .isEqualTo("2 2");
    }

    @Test
    void deferredConstraintThatFailsAtTheCommitFailsTheAttempt() {
        database.jdbi()
                .useHandle(handle -> handle.execute(
                        "CREATE TABLE child (account int REFERENCES account" + " DEFERRABLE INITIALLY DEFERRED)"));
        for (boolean single : new boolean[] {false, true}) {
            Operation<Handle, Done> operation = deposit(Isolation.READ_COMMITTED, single);
            Attempt attempt = attempt("orphan-" + single);
            assertThatThrownBy(() -> operation.execute(attempt, handle -> {
                        handle.execute("INSERT INTO child VALUES (99)");
                        return Done.DONE;
                    }))
                    .isInstanceOf(RejectedException.class)
                    .hasCauseInstanceOf(StoreException.class)
                    .hasRootCauseInstanceOf(SQLException.class);
            assertThat(operation.execute(attempt, handle -> Done.DONE)).isInstanceOf(Outcome.Rejected.class);
        }
        assertThat(database.one("SELECT count(*) FROM child", Integer.class)).isZero();
    }

    @Test
    void backendTerminatedInTheMiddleOfTheWorkIsRunAgain() {
        Operation<Handle, Done> operation = deposit(Isolation.READ_COMMITTED, false);
        AtomicInteger runs = new AtomicInteger();
        assertThat(operation.execute(attempt("terminated"), handle -> {
                    TestDatabase.write(handle, "effect");
                    if (runs.incrementAndGet() == 1) {
                        int backend = handle.createQuery("SELECT pg_backend_pid()")
                                .mapTo(Integer.class)
                                .one();
                        terminate(backend);
                    }
                    TestDatabase.write(handle, "effect");
                    return Done.DONE;
                }))
                .isInstanceOf(Outcome.Executed.class);
        assertThat(runs).hasValue(2);
        assertThat(database.effects()).hasSize(2);
    }

    @Test
    void abandonedRecordIsInProgressUnderALockAndArbitratedAfterIt() {
        Operation<Handle, Done> operation = Idempotency.on(database.store())
                .operation("deposit")
                .whenAbandoned(Operation.Abandoned.FAIL, Duration.ofNanos(1))
                .build();
        IdempotencyKey key = operation.keyOf(attempt("locked"));
        try (Session<Handle> dead = database.store().open(TestDatabase.KEY)) {
            assertThat(dead.<Optional<IdempotencyRecord>>autoCommit(transaction -> transaction.claim(
                            new IdempotencyRecord.Pending(
                                    key,
                                    IdempotencyRecord.Protocol.CLAIM_FIRST,
                                    UUID.randomUUID(),
                                    Fingerprint.ofParts(),
                                    Optional.empty(),
                                    Duration.ZERO),
                            Duration.ofDays(1),
                            Duration.ofSeconds(1),
                            Durability.DURABLE)))
                    .isEmpty();
        }
        try (Handle intruder = database.jdbi().open()) {
            intruder.begin();
            intruder.execute("SELECT 1 FROM idempotency_record WHERE key_value = 'locked' FOR UPDATE");
            assertThat(operation.execute(attempt("locked"), handle -> Done.DONE))
                    .isInstanceOf(Outcome.InProgress.class);
            intruder.rollback();
        }
        assertThat(operation.execute(attempt("locked"), handle -> Done.DONE)).isInstanceOf(Outcome.Rejected.class);
    }

    /** What is asked at the moment of each commit, by a trigger that PostgreSQL runs just before it. */
    @Test
    void onlyClaimFirstClaimsAsynchronouslyUnderAnyServerDefault() {
        try (TestDatabase weak = TestDatabase.postgresql("synchronous_commit=off")) {
            weak.jdbi().useHandle(handle -> {
                handle.execute("CREATE TABLE seen (key_value text, state text, synchronous_commit text)");
                handle.execute(
                        "CREATE FUNCTION see() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN INSERT INTO seen VALUES ("
                                + "coalesce(NEW.key_value, OLD.key_value), coalesce(NEW.state, 'released'),"
                                + " current_setting('synchronous_commit')); RETURN NULL; END $$");
                handle.execute("CREATE CONSTRAINT TRIGGER see AFTER INSERT OR UPDATE OR DELETE ON idempotency_record"
                        + " DEFERRABLE INITIALLY DEFERRED FOR EACH ROW EXECUTE FUNCTION see()");
            });
            Idempotency<Handle> idempotency = Idempotency.on(weak.store());
            Operation.Builder<Handle, Done> claimFirst =
                    idempotency.operation("claim-first").releaseOn(UnsupportedOperationException.class::isInstance);
            run(claimFirst.build(), "success", null);
            run(claimFirst.build(), "failure", new IllegalArgumentException("no"));
            run(claimFirst.build(), "release", new UnsupportedOperationException("no"));
            run(
                    Idempotency.on(weak.store().toBuilder().durableClaims(true).build())
                            .operation("durable")
                            .build(),
                    "durable",
                    null);
            run(
                    idempotency
                            .operation("single")
                            .protocol(Operation.Protocol.SINGLE_TRANSACTION)
                            .build(),
                    "single",
                    null);
            assertThat(idempotency
                            .external("external", ResultCodec.string(), unresolved -> Lookup.notYet())
                            .build()
                            .execute(attempt("external"), key -> "done"))
                    .isInstanceOf(Outcome.Executed.class);
            assertThat(commits(weak, "success")).containsExactly("P off", "S on");
            assertThat(commits(weak, "failure")).containsExactly("P off", "F on");
            assertThat(commits(weak, "release")).containsExactly("P off", "released on");
            assertThat(commits(weak, "durable")).containsExactly("P on", "S on");
            assertThat(commits(weak, "single")).allMatch(commit -> commit.endsWith(" on"));
            assertThat(commits(weak, "external")).containsExactly("P on", "S on");
        }
    }

    private static List<String> commits(TestDatabase database, String key) {
        return database.jdbi()
                .withHandle(handle -> handle.createQuery(
                                "SELECT state || ' ' || synchronous_commit FROM seen WHERE key_value = :key")
                        .bind("key", key)
                        .mapTo(String.class)
                        .list());
    }

    private static void run(Operation<Handle, Done> operation, String key, RuntimeException thrown) {
        if (thrown == null) {
            assertThat(operation.execute(attempt(key), handle -> Done.DONE)).isInstanceOf(Outcome.Executed.class);
        } else {
            assertThatThrownBy(() -> operation.execute(attempt(key), handle -> {
                        throw thrown;
                    }))
                    .isSameAs(thrown);
        }
    }

    private void terminate(int backend) {
        database.jdbi().useHandle(handle -> handle.execute("SELECT pg_terminate_backend(?, 5000)", backend));
    }

    private Operation<Handle, Done> deposit(Isolation level, boolean single) {
        Operation.Builder<Handle, Done> builder = Idempotency.builder(
                        database.store().toBuilder().isolation(level).build())
                .listener(IdempotencyListener.on(IdempotencyEvent.Retried.class, event -> reruns.incrementAndGet()))
                .build()
                .operation("deposit")
                .maxRetries(50)
                .whenAbandoned(Operation.Abandoned.FAIL, Duration.ofMinutes(5));
        return (single ? builder.protocol(Operation.Protocol.SINGLE_TRANSACTION) : builder).build();
    }

    private static Attempt attempt(String key) {
        return Attempt.inScope("user:1").key(key).withoutRequest();
    }
}
