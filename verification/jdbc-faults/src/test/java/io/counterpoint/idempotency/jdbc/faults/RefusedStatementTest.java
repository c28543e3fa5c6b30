package io.counterpoint.idempotency.jdbc.faults;

import static org.assertj.core.api.Assertions.assertThat;

import io.counterpoint.idempotency.Outcome;
import io.counterpoint.idempotency.jdbc.JdbiIdempotencyStore;
import io.counterpoint.idempotency.jdbc.faults.Saboteur.At;
import io.counterpoint.idempotency.jdbc.faults.Saboteur.Fault;
import io.counterpoint.idempotency.testkit.faults.FaultyStore;
import io.counterpoint.idempotency.testkit.faults.StoreCall;
import java.time.Duration;
import java.util.stream.Stream;
import org.jdbi.v3.core.Handle;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.MethodSource;

/** What the server itself refuses: conflicts and lock timeouts, and sessions that it ends, at every step. */
@Tag("matrix")
@Timeout(60)
class RefusedStatementTest extends SabotagedBench {

    RefusedStatementTest() {
        // Under the default of many applications a conflict could only be a deadlock.
        super("&options=-c%20default_transaction_isolation=repeatable%5C%20read");
    }

    // ---- 40001 and 40P01 -----------------------------------------------------------------------------------------

    @ParameterizedTest
    @MethodSource("conflictsInEveryWay")
    void conflictInTheClaimIsClaimedInANewTransaction(Fault fault, ProtocolVariant way) {
        executesAfter(fault, At.CLAIM, way).hasRun(1).succeededOnce();
    }

    @ParameterizedTest
    @MethodSource("conflictsInTheDatabase")
    void conflictInTheWorkIsRunAgain(Fault fault, ProtocolVariant way) {
        executesAfter(fault, At.DOMAIN, way).hasRun(2).succeededOnce();
    }

    @ParameterizedTest
    @MethodSource("conflictsOfMarks")
    void conflictInTheMarkIsRunAgain(Fault fault, ProtocolVariant way) {
        executesAfter(fault, At.MARK, way).hasRun(2).succeededOnce();
    }

    @ParameterizedTest
    @MethodSource("conflictsInTheDatabase")
    void conflictAtTheCommitIsRunAgain(Fault fault, ProtocolVariant way) {
        executesAfter(fault, At.COMMIT, way).hasRun(2).succeededOnce();
    }

    @ParameterizedTest
    @MethodSource("conflictsInTheDatabase")
    void conflictInTheFailureIsRecordedAgain(Fault fault, ProtocolVariant way) {
        failsAfter(fault, way).hasRun(1).failed();
    }

    @ParameterizedTest
    @MethodSource("conflictsClaimedFirst")
    void conflictInTheHealIsHealedInTheEnd(Fault fault, ProtocolVariant way) {
        healsDespite(fault, way);
    }

    @ParameterizedTest
    @MethodSource("conflicts")
    void conflictInAnExternalEffectIsUnknownAndNeverRunAgain(Fault fault) {
        externalEffectIsUnknownAfter(fault);
    }

    @ParameterizedTest
    @MethodSource("conflicts")
    void conflictInTheExternalMarkIsMarkedAgain(Fault fault) {
        executesAfter(fault, At.MARK, ProtocolVariant.EXTERNAL).hasRun(1).succeededOnce();
    }

    @ParameterizedTest
    @MethodSource("conflicts")
    void conflictInTheExternalRefusalIsRecordedAgain(Fault fault) {
        failsAfter(fault, ProtocolVariant.EXTERNAL).hasRun(1).failed();
    }

    // ---- 55P03 ---------------------------------------------------------------------------------------------------

    /** A claim only waits for an insert of the same key whose transaction is not over. */
    @ParameterizedTest
    @EnumSource(names = {"CLAIM_FIRST", "SINGLE_TRANSACTION_PLANNED", "EXTERNAL"})
    void claimThatWaitsInVainForAnotherIsInProgress(ProtocolVariant way) {
        Trial trial = bench.trial(way).inDatabase(operation -> operation.waitAtMost(Duration.ofMillis(50)));
        try (Handle intruder = bench.direct.open()) {
            intruder.begin();
            intruder.execute(
                    "INSERT INTO idempotency_record (scope, operation, key_value, state, protocol, token, fingerprint,"
                            + " created_at, updated_at, expires_at)"
                            + " SELECT 'user:1', 'operate', ?, 'P', 'C', gen_random_uuid(), sha256('x'), now(), now(), now()",
                    trial.key);
            assertThat(trial.call()).isInstanceOf(Outcome.InProgress.class);
            intruder.rollback();
        }
        trial.hasRun(0).leftNothing();
    }

    @ParameterizedTest
    @MethodSource("io.counterpoint.idempotency.jdbc.faults.ProtocolVariant#inDatabase")
    void lockTimeoutInTheWorkIsRunAgain(ProtocolVariant way) {
        executesAfter(Fault.LOCK_TIMEOUT, At.DOMAIN, way).hasRun(2).succeededOnce();
    }

    @ParameterizedTest
    @MethodSource("io.counterpoint.idempotency.jdbc.faults.ProtocolVariant#marked")
    void lockTimeoutInTheMarkIsRunAgain(ProtocolVariant way) {
        executesAfter(Fault.LOCK_TIMEOUT, At.MARK, way).hasRun(2).succeededOnce();
    }

    @ParameterizedTest
    @MethodSource("io.counterpoint.idempotency.jdbc.faults.ProtocolVariant#inDatabase")
    void lockTimeoutAtTheCommitIsRunAgain(ProtocolVariant way) {
        executesAfter(Fault.LOCK_TIMEOUT, At.COMMIT, way).hasRun(2).succeededOnce();
    }

    @Test
    void failureThatIsLockedOutForGoodIsUnknownWithItsCause() {
        failureIsUnknownAfter(Fault.LOCK_TIMEOUT, ProtocolVariant.CLAIM_FIRST).leftPendingWithoutEffect();
    }

    @ParameterizedTest
    @MethodSource("io.counterpoint.idempotency.jdbc.faults.ProtocolVariant#claimedFirst")
    void lockTimeoutInTheHealIsHealedInTheEnd(ProtocolVariant way) {
        healsDespite(Fault.LOCK_TIMEOUT, way);
    }

    @Test
    void lockedOutFailureOfASingleTransactionLeavesNothing() {
        failureIsUnknownAfter(Fault.LOCK_TIMEOUT, ProtocolVariant.SINGLE_TRANSACTION)
                .leftNothing();
    }

    @Test
    void lockTimeoutInAnExternalEffectIsUnknownAndNeverRunAgain() {
        externalEffectIsUnknownAfter(Fault.LOCK_TIMEOUT);
    }

    @Test
    void lockedOutExternalMarkIsHealedByTheNextCall() {
        externalMarkIsLeftAfter(Fault.LOCK_TIMEOUT);
    }

    @Test
    void externalRefusalThatIsLockedOutForGoodIsUnknownWithItsCause() {
        failureIsUnknownAfter(Fault.LOCK_TIMEOUT, ProtocolVariant.EXTERNAL).leftPendingWithoutEffect();
    }

    // ---- 57P01 ---------------------------------------------------------------------------------------------------

    @ParameterizedTest
    @EnumSource
    void backendTerminatedInTheClaimIsClaimedAgain(ProtocolVariant way) {
        executesAfter(Fault.TERMINATED, At.CLAIM, way).hasRun(1).succeededOnce();
    }

    @ParameterizedTest
    @MethodSource("io.counterpoint.idempotency.jdbc.faults.ProtocolVariant#inDatabase")
    void backendTerminatedInTheWorkIsRunAgain(ProtocolVariant way) {
        executesAfter(Fault.TERMINATED, At.DOMAIN, way).hasRun(2).succeededOnce();
    }

    @ParameterizedTest
    @MethodSource("io.counterpoint.idempotency.jdbc.faults.ProtocolVariant#marked")
    void backendTerminatedInTheMarkIsRunAgain(ProtocolVariant way) {
        executesAfter(Fault.TERMINATED, At.MARK, way).hasRun(2).succeededOnce();
    }

    @ParameterizedTest
    @MethodSource("io.counterpoint.idempotency.jdbc.faults.ProtocolVariant#inDatabase")
    void backendTerminatedAtTheCommitIsProvenRolledBackAndRunAgain(ProtocolVariant way) {
        executesAfter(Fault.TERMINATED, At.COMMIT, way).hasRun(2).succeededOnce();
    }

    @ParameterizedTest
    @MethodSource("io.counterpoint.idempotency.jdbc.faults.ProtocolVariant#inDatabase")
    void backendTerminatedInTheFailureIsRecordedAgain(ProtocolVariant way) {
        failsAfter(Fault.TERMINATED, way).hasRun(1).failed();
    }

    @ParameterizedTest
    @MethodSource("io.counterpoint.idempotency.jdbc.faults.ProtocolVariant#claimedFirst")
    void backendTerminatedInTheHealIsHealedInTheEnd(ProtocolVariant way) {
        healsDespite(Fault.TERMINATED, way);
    }

    @Test
    void backendLostInAnExternalEffectIsNeverRunAgain() {
        externalEffectIsUnknownAfter(Fault.TERMINATED);
    }

    @Test
    void backendTerminatedInTheExternalMarkIsMarkedAgain() {
        executesAfter(Fault.TERMINATED, At.MARK, ProtocolVariant.EXTERNAL)
                .hasRun(1)
                .succeededOnce();
    }

    // ---- 25P03 ---------------------------------------------------------------------------------------------------

    @ParameterizedTest
    @MethodSource("io.counterpoint.idempotency.jdbc.faults.ProtocolVariant#inDatabase")
    void idleTimeoutInTheWorkIsRunAgain(ProtocolVariant way) {
        Trial trial = bench.trial(way);
        assertThat(trial.call(doing -> {
                    idleTooLong(doing);
                    doing.write();
                }))
                .isInstanceOf(Outcome.Executed.class);
        trial.hasRun(2).succeededOnce();
    }

    @ParameterizedTest
    @MethodSource("io.counterpoint.idempotency.jdbc.faults.ProtocolVariant#marked")
    void idleTimeoutBeforeTheMarkIsRunAgain(ProtocolVariant way) {
        Trial trial = bench.trial(way);
        assertThat(trial.call(doing -> {
                    doing.write();
                    idleTooLong(doing);
                }))
                .isInstanceOf(Outcome.Executed.class);
        trial.hasRun(2).succeededOnce();
    }

    /** The caller stalls between its last statement and the COMMIT, which is then not answered. */
    @ParameterizedTest
    @MethodSource("io.counterpoint.idempotency.jdbc.faults.ProtocolVariant#inDatabase")
    void idleTimeoutBeforeTheCommitIsProvenRolledBackAndRunAgain(ProtocolVariant way) {
        FaultyStore<Handle> store = FaultyStore.around(JdbiIdempotencyStore.on(bench.victim()));
        Trial trial = bench.trial(way).over(store);
        assertThat(trial.call(doing -> {
                    doing.write();
                    if (doing.run() == 1) {
                        store.at(StoreCall.COMMIT).before(() -> idleTooLong(doing));
                    }
                }))
                .isInstanceOf(Outcome.Executed.class);
        trial.hasRun(2).succeededOnce();
    }

    private void idleTooLong(Trial.Doing doing) {
        if (doing.run() == 1) {
            int session = doing.handle()
                    .createQuery("SELECT pg_backend_pid()")
                    .mapTo(Integer.class)
                    .one();
            doing.handle().execute("SET LOCAL idle_in_transaction_session_timeout = '1ms'");
            bench.awaitEndOfSession(session);
        }
    }

    static Stream<Fault> conflicts() {
        return Fault.conflicts().stream();
    }

    static Stream<Arguments> conflictsInEveryWay() {
        return conflictsOf(Stream.of(ProtocolVariant.values()));
    }

    static Stream<Arguments> conflictsInTheDatabase() {
        return conflictsOf(ProtocolVariant.inDatabase().stream());
    }

    static Stream<Arguments> conflictsOfMarks() {
        return conflictsOf(ProtocolVariant.marked().stream());
    }

    static Stream<Arguments> conflictsClaimedFirst() {
        return conflictsOf(ProtocolVariant.claimedFirst().stream());
    }

    private static Stream<Arguments> conflictsOf(Stream<ProtocolVariant> ways) {
        return ways.flatMap(way -> conflicts().map(fault -> Arguments.of(fault, way)));
    }
}
