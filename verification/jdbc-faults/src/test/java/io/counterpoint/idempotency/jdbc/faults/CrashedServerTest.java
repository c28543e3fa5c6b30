package io.counterpoint.idempotency.jdbc.faults;

import static org.assertj.core.api.Assertions.assertThat;

import io.counterpoint.idempotency.Outcome;
import io.counterpoint.idempotency.jdbc.JdbiIdempotencyStore;
import io.counterpoint.idempotency.testing.Cut;
import io.counterpoint.idempotency.testing.PostgresServer;
import java.io.IOException;
import java.util.concurrent.Callable;
import java.util.concurrent.Future;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/**
 * A server that crashes at a chosen statement, and is back when the caller asks again. Its log is written out only for
 * commits that ask for it, so whatever was committed asynchronously is lost.
 */
@Tag("thorough")
@Tag("own-server")
@Timeout(60)
class CrashedServerTest {

    private static PostgresServer server;
    private static Bench bench;

    @BeforeAll
    static void open() {
        server = PostgresServer.start("wal_writer_delay=10000ms");
        bench = Bench.on(server, "");
    }

    @AfterEach
    void heal() {
        bench.proxy.heal();
    }

    @AfterAll
    static void close() {
        bench.close();
        server.close();
    }

    enum Crash {
        IMMEDIATE_STOP,
        KILL_9;

        /** Returns when the server is back. */
        void happens() {
            if (this == KILL_9) {
                server.kill();
            } else {
                server.stopImmediately();
            }
            server.restart();
        }
    }

    @ParameterizedTest
    @EnumSource
    void claimThatIsLostInACrashIsMadeAgain(Crash crash) {
        Trial trial = bench.trial(ProtocolVariant.CLAIM_FIRST);
        bench.cut(Step.LOCK, Cut.HOLD);
        Future<Outcome<String>> call = trial.begin();
        bench.awaitCut();
        // The server may still be at the claim, which was sent in the same message as the lock.
        Bench.await("the claim", () -> trial.state().equals("P"));
        crash.happens();
        assertThat(trial.state()).as("the asynchronous claim").isEqualTo("-");
        bench.proxy.heal();
        assertThat(Bench.end(call)).isInstanceOf(Outcome.Executed.class);
        trial.hasRun(1).succeededOnce();
    }

    @ParameterizedTest
    @EnumSource
    void crashInTheWorkIsRunAgain(Crash crash) {
        executes(bench.trial(ProtocolVariant.CLAIM_FIRST), 2, crash, Step.DOMAIN);
    }

    @ParameterizedTest
    @EnumSource
    void crashInTheMarkThatLeavesADurableClaimIsRunAgain(Crash crash) {
        executes(durablyClaiming(), 2, crash, Step.MARK);
    }

    /** The commit is on its way with the mark: the answer is that of a commit. */
    @ParameterizedTest
    @EnumSource
    void markLostInACrashWithItsClaimIsUnknownAndLeavesNothing(Crash crash) {
        Trial trial = bench.trial(ProtocolVariant.CLAIM_FIRST);
        Trial.unknown(duringCrash(crash, Step.MARK, () -> trial.thrown(Trial.Doing::write)));
        trial.hasRun(1).leftNothing();
    }

    @ParameterizedTest
    @EnumSource
    void commitWhoseAnswerIsLostInACrashIsFoundCommitted(Crash crash) {
        Trial trial = bench.trial(ProtocolVariant.CLAIM_FIRST).onDoubt(crash::happens);
        bench.proxy.swallowNextCommitAnswer();
        trial.executes(1);
    }

    /** The claim is lost as well, which from here looks like a success that is purged already. */
    @ParameterizedTest
    @EnumSource
    void commitLostInACrashWithItsClaimIsUnknownAndLeavesNothing(Crash crash) {
        Trial trial = bench.trial(ProtocolVariant.CLAIM_FIRST).onDoubt(crash::happens);
        bench.proxy.dropNextCommit();
        Trial.unknown(trial.thrown(Trial.Doing::write));
        trial.hasRun(1).leftNothing();
    }

    @ParameterizedTest
    @EnumSource
    void commitThatIsLostInACrashAndLeavesADurableClaimIsRunAgain(Crash crash) {
        executes(durablyClaiming(), 2, crash, Step.COMMIT);
    }

    @ParameterizedTest
    @EnumSource
    void failureIsThrownOnceItSurvivesCrashes(Crash crash) {
        Trial trial = durablyClaiming();
        IOException refusal = new IOException("refused");
        assertThat(duringCrash(
                        crash,
                        Step.FAIL,
                        () -> trial.thrown(doing -> {
                            doing.write();
                            throw refusal;
                        })))
                .isSameAs(refusal);
        crash.happens();
        trial.hasRun(1).failed();
    }

    @ParameterizedTest
    @EnumSource
    void crashInTheHealIsHealedInTheEnd(Crash crash) {
        Trial trial = bench.trial(ProtocolVariant.CLAIM_FIRST).plantEffectBehindPending();
        trial.healed(duringCrash(crash, Step.HEAL, () -> trial.callToHeal()));
    }

    @ParameterizedTest
    @EnumSource
    void commitOfASingleTransactionThatIsLostInACrashIsRunAgain(Crash crash) {
        executes(bench.trial(ProtocolVariant.SINGLE_TRANSACTION_PLANNED), 2, crash, Step.COMMIT);
    }

    @ParameterizedTest
    @EnumSource
    void claimOfAnExternalAttemptSurvivesACrash(Crash crash) {
        Trial trial = bench.trial(ProtocolVariant.EXTERNAL);
        assertThat(trial.call(doing -> {
                    crash.happens();
                    assertThat(trial.state()).isEqualTo("P");
                    doing.write();
                }))
                .isInstanceOf(Outcome.Executed.class);
        trial.hasRun(1).succeededOnce();
    }

    @ParameterizedTest
    @EnumSource
    void crashInAnExternalEffectIsUnknownAndNeverRunAgain(Crash crash) {
        Trial trial = bench.trial(ProtocolVariant.EXTERNAL);
        Trial.unknown(duringCrash(crash, Step.DOMAIN, () -> trial.thrown(Trial.Doing::write)));
        trial.hasRun(1).leftPendingWithoutEffect();
    }

    @ParameterizedTest
    @EnumSource
    void crashInTheExternalMarkIsMarkedAgain(Crash crash) {
        executes(bench.trial(ProtocolVariant.EXTERNAL), 1, crash, Step.MARK);
    }

    private static Trial durablyClaiming() {
        return bench.trial(ProtocolVariant.CLAIM_FIRST)
                .over(JdbiIdempotencyStore.builder(bench.victim())
                        .durableClaims(true)
                        .build());
    }

    private static void executes(Trial trial, int runs, Crash crash, Step step) {
        assertThat(duringCrash(crash, step, () -> trial.call())).isInstanceOf(Outcome.Executed.class);
        trial.hasRun(runs).succeededOnce();
    }

    private static <T> T duringCrash(Crash crash, Step step, Callable<T> call) {
        bench.cut(step, Cut.HOLD);
        Future<T> answer = Bench.begin(call);
        bench.awaitCut();
        crash.happens();
        bench.proxy.heal();
        return Bench.end(answer);
    }
}
