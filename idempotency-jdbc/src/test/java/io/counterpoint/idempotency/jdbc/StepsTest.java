package io.counterpoint.idempotency.jdbc;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.counterpoint.idempotency.Failure;
import io.counterpoint.idempotency.IdempotencyKey;
import io.counterpoint.idempotency.jdbc.session.JdbcSession;
import io.counterpoint.idempotency.spi.Durability;
import io.counterpoint.idempotency.spi.Fault;
import io.counterpoint.idempotency.spi.IdempotencyRecord;
import io.counterpoint.idempotency.spi.IdempotencyRecord.Payload;
import io.counterpoint.idempotency.spi.IdempotencyRecord.Pending;
import io.counterpoint.idempotency.spi.IdempotencyRecord.Protocol;
import io.counterpoint.idempotency.spi.IdempotencyRecord.Succeeded;
import io.counterpoint.idempotency.spi.LastStep;
import io.counterpoint.idempotency.spi.LastStep.Success;
import io.counterpoint.idempotency.spi.RecordSteps;
import io.counterpoint.idempotency.spi.Session;
import io.counterpoint.idempotency.spi.WorkScope;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.HashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.UUID;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.BiFunction;
import java.util.function.Consumer;
import java.util.function.Function;
import org.jdbi.v3.core.Handle;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.EnumSource;

/** Every step of a session once, in each mode, quickly: what hunts mutants. The contract says much more. */
@Timeout(60)
class StepsTest extends BothDatabases {

    private static final Duration DAY = Duration.ofDays(1);
    private static final Duration WAIT = Duration.ofSeconds(1);
    private static final Duration SHORT = Duration.ofMillis(20);
    private static final Optional<Payload> RESULT = Optional.of(Payload.of("result".getBytes(StandardCharsets.UTF_8)));

    @AfterEach
    void everyConnectionIsBack() {
        DATABASES.forEach((kind, database) -> {
            assertThat(database.pool().getHikariPoolMXBean().getActiveConnections())
                    .as(kind.name())
                    .isZero();
            database.jdbi().useHandle(handle -> {
                handle.execute("DELETE FROM idempotency_record");
                handle.execute("DELETE FROM effect");
            });
        });
    }

    private static JdbiIdempotencyStore store(Kind kind) {
        return DATABASES.get(kind).named();
    }

    private static <T> T step(JdbiIdempotencyStore store, boolean alone, Function<RecordSteps, ? extends T> step) {
        try (Session<Handle> session = store.open(TestDatabase.KEY)) {
            return alone
                    ? session.autoCommit(step::apply)
                    : session.inTransaction((steps, unused) -> step.apply(steps));
        }
    }

    private static Pending claimed(Kind kind) {
        Pending record = FaultySessions.pending();
        assertThat(StepsTest.<Optional<IdempotencyRecord>>step(
                        store(kind), true, steps -> steps.claim(record, DAY, WAIT, Durability.DURABLE)))
                .isEmpty();
        return record;
    }

    private static Fault faultOf(JdbiIdempotencyStore store, Runnable step) {
        AtomicReference<Fault> fault = new AtomicReference<>();
        assertThatThrownBy(step::run).satisfies(thrown -> fault.set(store.classify(thrown)));
        return fault.get();
    }

    // ---- claims --------------------------------------------------------------------------------------------------

    @ParameterizedTest
    @CsvSource({"H2, true", "H2, false", "POSTGRESQL, true", "POSTGRESQL, false"})
    void firstClaimLeadsAndOthersFollowWithItsRecord(Kind kind, boolean alone) {
        for (Durability durability : Durability.values()) {
            Pending record = FaultySessions.pending();
            Optional<IdempotencyRecord> first =
                    step(store(kind), alone, steps -> steps.claim(record, DAY, WAIT, durability));
            assertThat(first).isEmpty();
            Pending rival = new Pending(
                    record.key(),
                    Protocol.CLAIM_FIRST,
                    UUID.randomUUID(),
                    record.fingerprint(),
                    Optional.empty(),
                    Duration.ZERO);
            Optional<IdempotencyRecord> second =
                    step(store(kind), alone, steps -> steps.claim(rival, DAY, WAIT, durability));
            assertThat(second)
                    .hasValueSatisfying(found -> assertThat(found.token()).isEqualTo(record.token()));
        }
    }

    @ParameterizedTest
    @EnumSource
    void claimToLeadIsCommittedAndItsSessionGoesOn(Kind kind) {
        for (Durability durability : Durability.values()) {
            Pending record = FaultySessions.pending();
            try (Session<Handle> session = store(kind).open(TestDatabase.KEY)) {
                assertThat(session.probablyClaimed()).isFalse();
                assertThat(session.claimAndLock(record, DAY, WAIT, durability)).isEmpty();
                assertThat(store(kind).read(record.key()).map(IdempotencyRecord::token))
                        .contains(record.token());
                boolean changed = session.inTransaction((steps, scope) -> {
                    assertThat(steps.lock(record.key(), WAIT).map(IdempotencyRecord::token))
                            .contains(record.token());
                    TestDatabase.write(scope.handle(), "effect");
                    return steps.succeed(record.key(), record.token(), RESULT);
                });
                assertThat(changed).isTrue();
                assertThat(session.claimAndLock(record, DAY, WAIT, durability)).contains(succeeded(record));
                assertThat(session.<Optional<IdempotencyRecord>>autoCommit(steps -> steps.read(record.key())))
                        .contains(succeeded(record));
            }
        }
        assertThat(DATABASES.get(kind).effects()).containsExactly("effect", "effect");
    }

    private static Succeeded succeeded(Pending record) {
        return new Succeeded(record.key(), record.protocol(), record.token(), record.fingerprint(), RESULT);
    }

    @ParameterizedTest
    @EnumSource
    void claimToLeadWaitsNoLongerThanItMay(Kind kind) {
        Pending record = FaultySessions.pending();
        JdbiIdempotencyStore store = store(kind);
        try (Session<Handle> holder = store.open(TestDatabase.KEY);
                Session<Handle> waiter = store.open(TestDatabase.KEY)) {
            Fault fault = holder.inTransaction((steps, scope) -> {
                assertThat(steps.claim(record, DAY, WAIT, Durability.DURABLE)).isEmpty();
                return faultOf(store, () -> waiter.claimAndLock(record, DAY, SHORT, Durability.DURABLE));
            });
            assertThat(fault).isEqualTo(Fault.LOCK_TIMEOUT);
        }
    }

    // ---- locks ---------------------------------------------------------------------------------------------------

    @ParameterizedTest
    @EnumSource
    void lockGivesTheRecordOrNothing(Kind kind) {
        Pending record = claimed(kind);
        IdempotencyKey absent = FaultySessions.pending().key();
        for (Duration wait : new Duration[] {Duration.ZERO, WAIT}) {
            assertThat(StepsTest.<Optional<IdempotencyRecord>>step(
                                    store(kind), false, steps -> steps.lock(record.key(), wait))
                            .map(IdempotencyRecord::token))
                    .contains(record.token());
            assertThat(StepsTest.<Optional<IdempotencyRecord>>step(
                            store(kind), false, steps -> steps.lock(absent, wait)))
                    .isEmpty();
        }
    }

    @ParameterizedTest
    @EnumSource
    void lockThatIsHeldIsRefusedInTime(Kind kind) {
        Pending record = claimed(kind);
        JdbiIdempotencyStore store = store(kind);
        try (Session<Handle> holder = store.open(TestDatabase.KEY);
                Session<Handle> waiter = store.open(TestDatabase.KEY)) {
            boolean held = holder.inTransaction((steps, unused) -> {
                assertThat(steps.lock(record.key(), WAIT)).isPresent();
                for (Duration wait : new Duration[] {Duration.ZERO, SHORT}) {
                    assertThat(faultOf(
                                    store,
                                    () -> waiter.inTransaction((other, scope) -> other.lock(record.key(), wait))))
                            .isEqualTo(Fault.LOCK_TIMEOUT);
                }
                return true;
            });
            assertThat(held).isTrue();
        }
    }

    // ---- compare-and-sets ----------------------------------------------------------------------------------------

    @ParameterizedTest
    @CsvSource({"H2, true", "H2, false", "POSTGRESQL, true", "POSTGRESQL, false"})
    void changeHappensUnderItsTokenOnly(Kind kind, boolean alone) {
        Failure failure = new Failure("code", "message");
        UUID fresh = UUID.randomUUID();
        Map<String, Change> changes = new HashMap<>();
        changes.put("S", (steps, key, token) -> steps.succeed(key, token, RESULT));
        changes.put("F", (steps, key, token) -> steps.fail(key, token, failure));
        changes.put("released", (steps, key, token) -> steps.release(key, token));
        changes.put("P", (steps, key, token) -> steps.replaceToken(key, token, fresh));
        changes.forEach((then, change) -> {
            Pending record = claimed(kind);
            boolean wrong = step(store(kind), alone, steps -> change.make(steps, record.key(), UUID.randomUUID()));
            assertThat(wrong).isFalse();
            assertThat(store(kind).read(record.key()).map(IdempotencyRecord::token))
                    .contains(record.token());
            boolean right = step(store(kind), alone, steps -> change.make(steps, record.key(), record.token()));
            assertThat(right).isTrue();
            Optional<IdempotencyRecord> found = store(kind).read(record.key());
            String state = found.<String>map(now -> now.fold(
                            pending -> pending.token().equals(fresh) ? "P" : "unchanged",
                            succeeded -> succeeded.result().equals(RESULT) ? "S" : "without result",
                            failed -> failed.failure().equals(failure) ? "F" : "another failure"))
                    .orElse("released");
            assertThat(state).isEqualTo(then);
        });
    }

    @ParameterizedTest
    @CsvSource({"H2, true", "H2, false", "POSTGRESQL, true", "POSTGRESQL, false"})
    void confirmationFindsTheRecordUnderItsTokenOnly(Kind kind, boolean alone) {
        Pending record = claimed(kind);
        assertThat(StepsTest.<Boolean>step(store(kind), alone, steps -> steps.confirm(record.key(), record.token())))
                .isTrue();
        assertThat(StepsTest.<Boolean>step(store(kind), alone, steps -> steps.confirm(record.key(), UUID.randomUUID())))
                .isFalse();
        assertThat(store(kind).read(record.key()).map(IdempotencyRecord::token)).contains(record.token());
    }

    @ParameterizedTest
    @EnumSource
    void transactionOfTheClaimIsCommittedAndAnotherIsNot(Kind kind) {
        for (String sql : new String[] {"", "ROLLBACK", "COMMIT"}) {
            Pending record = FaultySessions.pending();
            IllegalStateException otherwise = new IllegalStateException("another transaction");
            BiFunction<RecordSteps, WorkScope<Handle>, String> body = (steps, scope) -> {
                assertThat(steps.claim(record, DAY, WAIT, Durability.DURABLE)).isEmpty();
                if (!sql.isEmpty()) {
                    scope.handle().execute("--\n" + sql);
                }
                TestDatabase.write(scope.handle(), "effect " + sql);
                FaultySessions.commitWith(steps, new LastStep.RequireNotEnded(record.key()), otherwise);
                return "answer";
            };
            try (Session<Handle> session = store(kind).open(TestDatabase.KEY)) {
                if (sql.isEmpty()) {
                    assertThat(session.<String>inTransaction(body)).isEqualTo("answer");
                } else {
                    assertThatThrownBy(() -> session.<String>inTransaction(body))
                            .as(sql)
                            .isSameAs(otherwise);
                }
            }
        }
        assertThat(DATABASES.get(kind).effects()).containsExactly("effect ");
    }

    private interface Change {
        boolean make(RecordSteps steps, IdempotencyKey key, UUID token);
    }

    @ParameterizedTest
    @CsvSource({"H2, true", "H2, false", "POSTGRESQL, true", "POSTGRESQL, false"})
    void lastMarkIsCommittedWithTheEffectOrNeitherIs(Kind kind, boolean combined) {
        for (boolean right : new boolean[] {true, false}) {
            Pending record = combined ? FaultySessions.pending() : claimed(kind);
            IllegalStateException otherwise = new IllegalStateException("not changed");
            try (Session<Handle> session = store(kind).open(TestDatabase.KEY)) {
                if (combined) {
                    session.claimAndLock(record, DAY, WAIT, Durability.DURABLE);
                }
                BiFunction<RecordSteps, WorkScope<Handle>, String> body = (steps, scope) -> {
                    assertThat(steps.lock(record.key(), WAIT)).isPresent();
                    TestDatabase.write(scope.handle(), "effect " + right);
                    UUID token = right ? record.token() : UUID.randomUUID();
                    FaultySessions.commitWith(steps, new LastStep.Succeed(record.key(), token, RESULT), otherwise);
                    return "answer";
                };
                if (right) {
                    assertThat(session.<String>inTransaction(body)).isEqualTo("answer");
                } else {
                    assertThatThrownBy(() -> session.<String>inTransaction(body))
                            .isSameAs(otherwise);
                }
            }
            assertThat(store(kind).read(record.key()).filter(found -> found.equals(succeeded(record))))
                    .isEqualTo(right ? Optional.of(succeeded(record)) : Optional.empty());
        }
        assertThat(DATABASES.get(kind).effects()).containsExactly("effect true");
    }

    @ParameterizedTest
    @EnumSource
    void recordThatIsInsertedLastIsCommittedWithTheEffectOrNeitherIs(Kind kind) {
        JdbiIdempotencyStore store = store(kind).checkTable();
        Succeeded record = succeeded(FaultySessions.pending());
        try (Session<Handle> session = store.open(TestDatabase.KEY)) {
            assertThat(insertedLast(session, record, handle -> TestDatabase.write(handle, "effect")))
                    .isEqualTo("answer");
        }
        assertThat(store.read(record.key())).contains(record);

        Succeeded second = new Succeeded(
                record.key(), record.protocol(), UUID.randomUUID(), record.fingerprint(), Optional.empty());
        assertThat(faultOf(store, () -> {
                    try (Session<Handle> session = store.open(TestDatabase.KEY)) {
                        String unused =
                                insertedLast(session, second, handle -> TestDatabase.write(handle, "second effect"));
                    }
                }))
                .matches(Fault::provesRollback);
        assertThat(store.read(record.key())).contains(record);
        assertThat(DATABASES.get(kind).effects()).containsExactly("effect");
    }

    /** H2 gives a transaction no name before its first change. */
    @Test
    void recordIsNotInsertedLastWhereTheWorkHasEndedTheTransaction() {
        JdbiIdempotencyStore store = store(Kind.POSTGRESQL).checkTable();
        Succeeded record = succeeded(FaultySessions.pending());
        try (Session<Handle> session = store.open(TestDatabase.KEY)) {
            assertThatThrownBy(() -> insertedLast(session, record, handle -> {
                        TestDatabase.write(handle, "effect");
                        handle.execute("--\nROLLBACK");
                    }))
                    .hasMessage("another transaction");
        }
        assertThat(store.read(record.key())).isEmpty();
        assertThat(DATABASES.get(Kind.POSTGRESQL).effects()).isEmpty();
    }

    private static String insertedLast(Session<Handle> session, IdempotencyRecord record, Consumer<Handle> work) {
        return session.inTransaction((steps, scope) -> {
            steps.beginUnclaimed(record.key());
            work.accept(scope.handle());
            FaultySessions.commitWith(
                    steps, new LastStep.Insert(record, DAY, WAIT), new IllegalStateException("another transaction"));
            return "answer";
        });
    }

    // ---- batches -------------------------------------------------------------------------------------------------

    @ParameterizedTest
    @EnumSource
    void keysOfABatchAreClaimedReadAndMarkedTogether(Kind kind) {
        List<Pending> batch = List.of(FaultySessions.pending(), FaultySessions.pending());
        List<IdempotencyKey> keys = batch.stream().map(Pending::key).toList();
        Map<IdempotencyKey, IdempotencyRecord> marked = new HashMap<>();
        batch.forEach(record -> marked.put(record.key(), succeeded(record)));

        assertThat(StepsTest.<Boolean>step(store(kind), false, steps -> {
                    assertThat(steps.claimAll(batch, DAY, WAIT)).isEmpty();
                    return steps.commitWith(new LastStep.SucceedAll(successes(batch))) == LastStep.Result.DONE;
                }))
                .isTrue();

        assertThat(StepsTest.<Map<IdempotencyKey, IdempotencyRecord>>step(
                        store(kind), false, steps -> steps.claimAll(batch, DAY, WAIT)))
                .isEqualTo(marked);
        assertThat(StepsTest.<Map<IdempotencyKey, IdempotencyRecord>>step(
                        store(kind), true, steps -> steps.readAll(keys)))
                .isEqualTo(marked);
    }

    @ParameterizedTest
    @EnumSource
    void keysOfABatchAreNotMarkedWhereOneIsNotTheLeaders(Kind kind) {
        List<Pending> batch = List.of(FaultySessions.pending(), FaultySessions.pending());
        IllegalStateException otherwise = new IllegalStateException("not changed");

        assertThatThrownBy(() -> StepsTest.<Boolean>step(store(kind), false, steps -> {
                    assertThat(steps.claimAll(batch, DAY, WAIT)).isEmpty();
                    assertThat(steps.replaceToken(
                                    batch.get(1).key(), batch.get(1).token(), UUID.randomUUID()))
                            .isTrue();
                    FaultySessions.commitWith(steps, new LastStep.SucceedAll(successes(batch)), otherwise);
                    return true;
                }))
                .isSameAs(otherwise);

        batch.forEach(record -> assertThat(store(kind).read(record.key())).isEmpty());
    }

    private static List<Success> successes(List<Pending> batch) {
        return batch.stream()
                .map(record -> new Success(record.key(), record.token(), RESULT.orElseThrow()))
                .toList();
    }

    // ---- reads and purges ----------------------------------------------------------------------------------------

    @ParameterizedTest
    @EnumSource
    void keysThatAreReadTogetherHaveTheirOwnRecords(Kind kind) {
        Set<IdempotencyKey> keys = new LinkedHashSet<>();
        Map<IdempotencyKey, UUID> tokens = new HashMap<>();
        for (int i = 0; i < 5; i++) {
            Pending record = claimed(kind);
            keys.add(FaultySessions.pending().key());
            keys.add(record.key());
            tokens.put(record.key(), record.token());
        }
        try (JdbcSession<Handle> session = (JdbcSession<Handle>) store(kind).open(TestDatabase.KEY)) {
            Map<IdempotencyKey, UUID> found = new HashMap<>();
            TestDatabase.readAll(session, keys).forEach((key, record) -> {
                assertThat(record.key()).isEqualTo(key);
                found.put(key, record.token());
            });
            assertThat(found).isEqualTo(tokens);
            IdempotencyKey one = tokens.keySet().iterator().next();
            assertThat(TestDatabase.readAll(session, Set.of(one))).containsOnlyKeys(one);
        }
    }

    @ParameterizedTest
    @EnumSource
    void purgeTakesAsManyExpiredRecordsAsItMay(Kind kind) {
        Pending lasting = claimed(kind);
        for (int i = 0; i < 3; i++) {
            Pending record = FaultySessions.pending();
            Optional<IdempotencyRecord> claim = step(
                    store(kind), true, steps -> steps.claim(record, Duration.ofNanos(1000), WAIT, Durability.DURABLE));
            assertThat(claim).isEmpty();
            assertThat(StepsTest.<Boolean>step(
                            store(kind), true, steps -> steps.release(record.key(), UUID.randomUUID())))
                    .isFalse();
            assertThat(StepsTest.<Boolean>step(
                            store(kind), true, steps -> steps.succeed(record.key(), record.token(), RESULT)))
                    .isTrue();
        }
        assertThat(store(kind).purgeExpired(2)).isEqualTo(2);
        assertThat(store(kind).purgeExpired(2)).isEqualTo(1);
        assertThat(store(kind).purgeExpired(2)).isZero();
        assertThat(store(kind).read(lasting.key())).isPresent();
    }

    // ---- what goes wrong -----------------------------------------------------------------------------------------

    @ParameterizedTest
    @EnumSource
    void whatTheBodyThrowsRollsItBackAndComesOut(Kind kind) {
        IllegalArgumentException thrown = new IllegalArgumentException("no");
        Pending record = claimed(kind);
        try (Session<Handle> session = store(kind).open(TestDatabase.KEY)) {
            assertThatThrownBy(() -> session.inTransaction((steps, scope) -> {
                        TestDatabase.write(scope.handle(), "effect");
                        throw thrown;
                    }))
                    .isSameAs(thrown);
            assertThat(DATABASES.get(kind).effects()).isEmpty();
            boolean released = session.autoCommit(steps -> steps.release(record.key(), record.token()));
            assertThat(released).isTrue();
        }
    }

    @ParameterizedTest
    @EnumSource
    void failedStepSaysWhichAndIsRefused(Kind kind) {
        JdbiIdempotencyStore withoutTable =
                store(kind).toBuilder().table("no_such_table").build();
        Pending record = FaultySessions.pending();
        Map<String, Function<RecordSteps, Object>> steps = Map.of(
                "claim", on -> on.claim(record, DAY, WAIT, Durability.DURABLE),
                "read", on -> on.read(record.key()),
                "lock", on -> on.lock(record.key(), WAIT),
                "mark as succeeded", on -> on.succeed(record.key(), record.token(), RESULT),
                "mark as failed", on -> on.fail(record.key(), record.token(), new Failure("code", "message")),
                "release", on -> on.release(record.key(), record.token()),
                "replace the token of", on -> on.replaceToken(record.key(), record.token(), UUID.randomUUID()));
        Map<String, Function<RecordSteps, Object>> ofBatches = Map.of(
                "claim", on -> on.claimAll(List.of(record), DAY, WAIT),
                "read", on -> on.readAll(List.of(record.key())));
        ofBatches.forEach((doing, step) -> assertThatThrownBy(() -> step(withoutTable, false, step))
                .hasMessageContaining(record.key() + ": could not " + doing));
        steps.forEach((doing, step) -> assertThatThrownBy(() -> step(withoutTable, false, step))
                .hasMessageContaining(record.key() + ": could not " + doing)
                .satisfies(thrown -> assertThat(withoutTable.classify(thrown)).isEqualTo(Fault.STATEMENT_REFUSED)));
        assertThat(faultOf(withoutTable, () -> withoutTable.purgeExpired(1))).isEqualTo(Fault.STATEMENT_REFUSED);
        try (JdbcSession<Handle> session = (JdbcSession<Handle>) withoutTable.open(TestDatabase.KEY)) {
            assertThat(faultOf(
                            withoutTable,
                            () -> TestDatabase.readAll(
                                    session,
                                    Set.of(
                                            record.key(),
                                            FaultySessions.pending().key()))))
                    .isEqualTo(Fault.STATEMENT_REFUSED);
            assertThat(faultOf(withoutTable, () -> session.claimAndLock(record, DAY, WAIT, Durability.DURABLE)))
                    .isEqualTo(Fault.STATEMENT_REFUSED);
        }
    }

    @ParameterizedTest
    @EnumSource
    void sessionThatIsClosedTwiceGivesItsTurnBackOnce(Kind kind) {
        IdempotencyKey key = FaultySessions.pending().key();
        Session<Handle> session = store(kind).openForClaim(key, WAIT);
        session.close();
        session.close();
        try (Session<Handle> next = store(kind).openForClaim(key, WAIT)) {
            assertThat(next.probablyClaimed()).isFalse();
            try (Session<Handle> another = store(kind).openForClaim(key, Duration.ZERO)) {
                assertThat(another.probablyClaimed()).isTrue();
            }
        }
    }
}
