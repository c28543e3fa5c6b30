package io.counterpoint.idempotency.jdbc.faults;

import static org.assertj.core.api.Assertions.assertThat;

import io.counterpoint.idempotency.Outcome;
import io.counterpoint.idempotency.jdbc.faults.Saboteur.At;
import io.counterpoint.idempotency.jdbc.faults.Saboteur.Fault;
import io.counterpoint.idempotency.testing.PostgresServer;
import java.io.IOException;
import java.util.stream.Stream;
import org.jdbi.v3.core.Handle;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.MethodSource;

/** What the server itself refuses: conflicts, and time-outs for locks and statements, at every step. */
@Timeout(60)
class RefusedStatementTest {

    private static Bench bench;
    private static Saboteur saboteur;

    @BeforeAll
    static void open() {
        // Under the default of many applications a conflict could only be a deadlock.
        bench = Bench.on(
                PostgresServer.shared(),
                "&options=-c%20default_transaction_isolation=repeatable%5C%20read%20-c%20statement_timeout=700");
        saboteur = Saboteur.in(bench);
    }

    @AfterAll
    static void close() {
        bench.close();
    }

    // ---- 40001 and 40P01 -----------------------------------------------------------------------------------------

    @ParameterizedTest
    @MethodSource("conflictsInEveryWay")
    void conflictInTheClaimIsClaimedInANewTransaction(Fault fault, Way way) {
        executesAfter(fault, At.CLAIM, way).hasRun(1).succeededOnce();
    }

    @ParameterizedTest
    @MethodSource("conflictsInTheDatabase")
    void conflictInTheWorkIsRunAgain(Fault fault, Way way) {
        executesAfter(fault, At.DOMAIN, way).hasRun(2).succeededOnce();
    }

    @ParameterizedTest
    @MethodSource("conflictsOfMarks")
    void conflictInTheMarkIsRunAgain(Fault fault, Way way) {
        executesAfter(fault, At.MARK, way).hasRun(2).succeededOnce();
    }

    @ParameterizedTest
    @MethodSource("conflictsInTheDatabase")
    void conflictAtTheCommitIsRunAgain(Fault fault, Way way) {
        executesAfter(fault, At.COMMIT, way).hasRun(2).succeededOnce();
    }

    @ParameterizedTest
    @MethodSource("conflictsInTheDatabase")
    void conflictInTheFailureIsRecordedAgain(Fault fault, Way way) {
        failsAfter(fault, way).hasRun(1).failed();
    }

    @ParameterizedTest
    @MethodSource("conflictsClaimedFirst")
    void conflictInTheHealIsToldAndHealedByTheNextCall(Fault fault, Way way) {
        healsDespite(fault, way).leftPendingWithEffect();
    }

    @ParameterizedTest
    @MethodSource("conflicts")
    void conflictInAnExternalEffectIsUnknownAndNeverRunAgain(Fault fault) {
        externalEffectIsUnknownAfter(fault);
    }

    @ParameterizedTest
    @MethodSource("conflicts")
    void conflictInTheExternalMarkIsMarkedAgain(Fault fault) {
        executesAfter(fault, At.MARK, Way.EXTERNAL).hasRun(1).succeededOnce();
    }

    @ParameterizedTest
    @MethodSource("conflicts")
    void conflictInTheExternalRefusalIsRecordedAgain(Fault fault) {
        failsAfter(fault, Way.EXTERNAL).hasRun(1).failed();
    }

    // ---- 55P03 ---------------------------------------------------------------------------------------------------

    /** A claim only waits for an insert of the same key whose transaction is not over. */
    @ParameterizedTest
    @EnumSource
    void claimThatWaitsInVainForAnotherIsInProgress(Way way) {
        Trial trial = bench.trial(way);
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
    @MethodSource("io.counterpoint.idempotency.jdbc.faults.Way#inDatabase")
    void lockTimeoutInTheWorkIsRunAgain(Way way) {
        executesAfter(Fault.LOCK_TIMEOUT, At.DOMAIN, way).hasRun(2).succeededOnce();
    }

    @ParameterizedTest
    @MethodSource("io.counterpoint.idempotency.jdbc.faults.Way#marked")
    void lockTimeoutInTheMarkIsRunAgain(Way way) {
        executesAfter(Fault.LOCK_TIMEOUT, At.MARK, way).hasRun(2).succeededOnce();
    }

    @ParameterizedTest
    @MethodSource("io.counterpoint.idempotency.jdbc.faults.Way#inDatabase")
    void lockTimeoutAtTheCommitIsRunAgain(Way way) {
        executesAfter(Fault.LOCK_TIMEOUT, At.COMMIT, way).hasRun(2).succeededOnce();
    }

    @Test
    void failureThatIsLockedOutForGoodIsUnknownWithItsCause() {
        failureIsUnknownAfter(Fault.LOCK_TIMEOUT, Way.CLAIM_FIRST).leftPendingWithoutEffect();
    }

    @ParameterizedTest
    @MethodSource("io.counterpoint.idempotency.jdbc.faults.Way#claimedFirst")
    void lockTimeoutInTheHealIsToldAndHealedByTheNextCall(Way way) {
        healsDespite(Fault.LOCK_TIMEOUT, way).leftPendingWithEffect();
    }

    @Test
    void failureOfASingleTransactionThatIsLockedOutForGoodIsUnknownAndLeavesNothing() {
        failureIsUnknownAfter(Fault.LOCK_TIMEOUT, Way.SINGLE_TRANSACTION).leftNothing();
    }

    @Test
    void lockTimeoutInAnExternalEffectIsUnknownAndNeverRunAgain() {
        externalEffectIsUnknownAfter(Fault.LOCK_TIMEOUT);
    }

    @Test
    void externalMarkThatIsLockedOutForGoodIsToldAndHealedByTheNextCall() {
        externalMarkIsLeftAfter(Fault.LOCK_TIMEOUT);
    }

    @Test
    void externalRefusalThatIsLockedOutForGoodIsUnknownWithItsCause() {
        failureIsUnknownAfter(Fault.LOCK_TIMEOUT, Way.EXTERNAL).leftPendingWithoutEffect();
    }

    // ---- 57014 ---------------------------------------------------------------------------------------------------

    @Test
    void statementTimeoutInTheClaimIsClaimedAgain() {
        executesAfter(Fault.STATEMENT_TIMEOUT, At.CLAIM, Way.CLAIM_FIRST).hasRun(1).succeededOnce();
    }

    @Test
    void statementTimeoutInTheWorkIsRunAgain() {
        executesAfter(Fault.STATEMENT_TIMEOUT, At.DOMAIN, Way.CLAIM_FIRST).hasRun(2).succeededOnce();
    }

    @Test
    void statementTimeoutInTheMarkIsRunAgain() {
        executesAfter(Fault.STATEMENT_TIMEOUT, At.MARK, Way.CLAIM_FIRST).hasRun(2).succeededOnce();
    }

    /** The connection is open, so the answer is a proof: the work runs again without arbitration. */
    @Test
    void statementTimeoutAtTheCommitOfAnOpenConnectionIsRunAgain() {
        executesAfter(Fault.STATEMENT_TIMEOUT, At.COMMIT, Way.CLAIM_FIRST).hasRun(2).succeededOnce();
    }

    @Test
    void failureThatTimesOutForGoodIsUnknownWithItsCause() {
        failureIsUnknownAfter(Fault.STATEMENT_TIMEOUT, Way.CLAIM_FIRST).leftPendingWithoutEffect();
    }

    @Test
    void statementTimeoutInTheHealIsToldAndHealedByTheNextCall() {
        healsDespite(Fault.STATEMENT_TIMEOUT, Way.CLAIM_FIRST).leftPendingWithEffect();
    }

    @Test
    void statementTimeoutInAnExternalEffectIsUnknownAndNeverRunAgain() {
        externalEffectIsUnknownAfter(Fault.STATEMENT_TIMEOUT);
    }

    @Test
    void externalMarkThatTimesOutForGoodIsToldAndHealedByTheNextCall() {
        externalMarkIsLeftAfter(Fault.STATEMENT_TIMEOUT);
    }

    // ---- 57P01 ---------------------------------------------------------------------------------------------------

    @ParameterizedTest
    @EnumSource
    void backendTerminatedInTheClaimIsClaimedAgain(Way way) {
        executesAfter(Fault.TERMINATED, At.CLAIM, way).hasRun(1).succeededOnce();
    }

    @ParameterizedTest
    @MethodSource("io.counterpoint.idempotency.jdbc.faults.Way#inDatabase")
    void backendTerminatedInTheWorkIsRunAgain(Way way) {
        executesAfter(Fault.TERMINATED, At.DOMAIN, way).hasRun(2).succeededOnce();
    }

    @ParameterizedTest
    @MethodSource("io.counterpoint.idempotency.jdbc.faults.Way#marked")
    void backendTerminatedInTheMarkIsRunAgain(Way way) {
        executesAfter(Fault.TERMINATED, At.MARK, way).hasRun(2).succeededOnce();
    }

    @ParameterizedTest
    @MethodSource("io.counterpoint.idempotency.jdbc.faults.Way#inDatabase")
    void backendTerminatedAtTheCommitIsProvenRolledBackAndRunAgain(Way way) {
        executesAfter(Fault.TERMINATED, At.COMMIT, way).hasRun(2).succeededOnce();
    }

    @ParameterizedTest
    @MethodSource("io.counterpoint.idempotency.jdbc.faults.Way#inDatabase")
    void backendTerminatedInTheFailureIsRecordedAgain(Way way) {
        failsAfter(Fault.TERMINATED, way).hasRun(1).failed();
    }

    @ParameterizedTest
    @MethodSource("io.counterpoint.idempotency.jdbc.faults.Way#claimedFirst")
    void backendTerminatedInTheHealIsToldAndHealedByTheNextCall(Way way) {
        healsDespite(Fault.TERMINATED, way).leftPendingWithEffect();
    }

    @Test
    void backendTerminatedInAnExternalEffectIsUnknownAndNeverRunAgain() {
        externalEffectIsUnknownAfter(Fault.TERMINATED);
    }

    @Test
    void backendTerminatedInTheExternalMarkIsMarkedAgain() {
        executesAfter(Fault.TERMINATED, At.MARK, Way.EXTERNAL).hasRun(1).succeededOnce();
    }

    // ---- the same at every step ----------------------------------------------------------------------------------

    private static Trial executesAfter(Fault fault, At at, Way way) {
        Trial trial = bench.trial(way);
        try (Saboteur.Intrusion intrusion = saboteur.strikesOnce(at, fault)) {
            assertThat(trial.call()).as("while %s", intrusion).isInstanceOf(Outcome.Executed.class);
        }
        return trial;
    }

    private static Trial failsAfter(Fault fault, Way way) {
        Trial trial = refusing(way);
        IOException refusal = new IOException("refused");
        try (Saboteur.Intrusion intrusion = saboteur.strikesOnce(At.FAIL, fault)) {
            assertThat(thrownBy(trial, refusal)).as("while %s", intrusion).isSameAs(refusal);
        }
        return trial;
    }

    private static Trial failureIsUnknownAfter(Fault fault, Way way) {
        Trial trial = refusing(way);
        IOException refusal = new IOException("refused");
        try (Saboteur.Intrusion intrusion = saboteur.strikes(At.FAIL, fault, Integer.MAX_VALUE)) {
            assertThat(Trial.unknown(thrownBy(trial, refusal)))
                    .as("while %s", intrusion)
                    .hasCause(refusal);
            assertThat(refusal.getSuppressed()).isNotEmpty();
        }
        return trial.hasRun(1);
    }

    private static Trial healsDespite(Fault fault, Way way) {
        Trial trial = bench.trial(way).plantEffectBehindPending();
        try (Saboteur.Intrusion intrusion = saboteur.strikesOnce(At.MARK, fault)) {
            assertThat(trial.callToHeal()).as("while %s", intrusion).isInstanceOf(Outcome.Healed.class);
        }
        return trial;
    }

    private static void externalEffectIsUnknownAfter(Fault fault) {
        Trial trial = bench.trial(Way.EXTERNAL);
        try (Saboteur.Intrusion intrusion = saboteur.strikesOnce(At.DOMAIN, fault)) {
            assertThat(Trial.unknown(trial.thrown(Trial.Doing::write)))
                    .as("while %s", intrusion)
                    .hasCauseInstanceOf(RuntimeException.class);
        }
        trial.hasRun(1).leftPendingWithoutEffect();
    }

    private static void externalMarkIsLeftAfter(Fault fault) {
        Trial trial = bench.trial(Way.EXTERNAL);
        try (Saboteur.Intrusion intrusion = saboteur.strikes(At.MARK, fault, Integer.MAX_VALUE)) {
            assertThat(trial.call()).as("while %s", intrusion).isInstanceOf(Outcome.Executed.class);
        }
        trial.hasRun(1).leftPendingWithEffect();
    }

    private static Trial refusing(Way way) {
        return bench.trial(way).outside(operation -> operation.noEffectWhen(IOException.class::isInstance));
    }

    private static Throwable thrownBy(Trial trial, IOException refusal) {
        return trial.thrown(doing -> {
            if (trial.way != Way.EXTERNAL) {
                doing.write();
            }
            throw refusal;
        });
    }

    static Stream<Fault> conflicts() {
        return Fault.conflicts().stream();
    }

    static Stream<Arguments> conflictsInEveryWay() {
        return conflictsOf(Stream.of(Way.values()));
    }

    static Stream<Arguments> conflictsInTheDatabase() {
        return conflictsOf(Way.inDatabase().stream());
    }

    static Stream<Arguments> conflictsOfMarks() {
        return conflictsOf(Way.marked().stream());
    }

    static Stream<Arguments> conflictsClaimedFirst() {
        return conflictsOf(Way.claimedFirst().stream());
    }

    private static Stream<Arguments> conflictsOf(Stream<Way> ways) {
        return ways.flatMap(way -> conflicts().map(fault -> Arguments.of(fault, way)));
    }
}
