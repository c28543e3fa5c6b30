package io.counterpoint.idempotency.jdbc.faults;

import static org.assertj.core.api.Assertions.assertThat;

import io.counterpoint.idempotency.Outcome;
import io.counterpoint.idempotency.testing.Cut;
import io.counterpoint.idempotency.testing.PostgresServer;
import java.io.IOException;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/**
 * A connection on which nothing passes any more until the client's socket times out, while the server still has the
 * session and its locks. What was held back reaches the server later, when the client has given up: at the worst moment,
 * which is while the caller looks what became of it.
 */
@Tag("matrix")
@Timeout(60)
class BlackHoleTest {

    private static Bench bench;

    @BeforeAll
    static void open() {
        bench = Bench.on(PostgresServer.shared(), "&socketTimeout=1");
    }

    @AfterEach
    void heal() {
        bench.proxy.heal();
        bench.awaitVictimsGone();
    }

    @AfterAll
    static void close() {
        bench.close();
    }

    @Test
    void claimThatArrivesAfterItsCallerGaveUpChangesNothing() {
        Trial trial = bench.trial(ProtocolVariant.CLAIM_FIRST);
        bench.cut(Step.CLAIM, Cut.HOLD);
        assertThat(trial.call()).isInstanceOf(Outcome.Executed.class);
        bench.proxy.heal();
        bench.awaitVictimsGone();
        trial.hasRun(1).succeededOnce();
    }

    @Test
    void silentConnectionInTheWorkIsRunAgain() {
        Trial trial = bench.trial(ProtocolVariant.CLAIM_FIRST).onDoubt(bench.proxy::heal);
        bench.cut(Step.DOMAIN, Cut.HOLD);
        trial.executes(2);
    }

    @Test
    void markThatArrivesLateWithItsCommitIsAwaitedAndFound() {
        Trial trial = bench.trial(ProtocolVariant.CLAIM_FIRST).onDoubt(bench.proxy::heal);
        bench.cut(Step.MARK, Cut.HOLD);
        trial.executes(1);
    }

    @Test
    void commitThatArrivesLateIsAwaitedAndFound() {
        Trial trial = bench.trial(ProtocolVariant.CLAIM_FIRST).onDoubt(bench.proxy::heal);
        bench.cut(Step.COMMIT, Cut.HOLD);
        trial.executes(1);
    }

    /** Without a record of its own to lock: the next claim waits for the old transaction, and finds it. */
    @Test
    void singleTransactionCommitThatArrivesLateIsAwaitedAndFound() {
        Trial trial = bench.trial(ProtocolVariant.SINGLE_TRANSACTION).onDoubt(bench.proxy::heal);
        bench.cut(Step.COMMIT, Cut.HOLD);
        trial.executes(1);
    }

    @Test
    void failureThatArrivesAfterItWasRecordedAnewChangesNothing() {
        Trial trial = bench.trial(ProtocolVariant.CLAIM_FIRST);
        IOException refusal = new IOException("refused");
        bench.cut(Step.FAIL, Cut.HOLD);
        assertThat(trial.thrown(doing -> {
                    throw refusal;
                }))
                .isSameAs(refusal);
        bench.proxy.heal();
        bench.awaitVictimsGone();
        trial.hasRun(1).failed();
    }

    @Test
    void healThatArrivesAfterItsCallerGaveUpIsDone() {
        Trial trial = bench.trial(ProtocolVariant.CLAIM_FIRST).plantEffectBehindPending();
        bench.cut(Step.HEAL, Cut.HOLD);
        assertThat(trial.callToHeal()).isInstanceOf(Outcome.Healed.class);
        bench.proxy.heal();
        bench.awaitVictimsGone();
        trial.succeededOnce();
    }

    @Test
    void silentConnectionInAnExternalEffectIsUnknownAndLaterHealed() {
        Trial trial = bench.trial(ProtocolVariant.EXTERNAL);
        bench.cut(Step.DOMAIN, Cut.HOLD);
        Trial.unknown(trial.thrown(Trial.Doing::write));
        bench.proxy.heal();
        bench.awaitVictimsGone();
        trial.hasRun(1).leftPendingWithEffect();
    }

    @Test
    void externalMarkThatArrivesAfterItWasMadeAnewChangesNothing() {
        Trial trial = bench.trial(ProtocolVariant.EXTERNAL);
        bench.cut(Step.MARK, Cut.HOLD);
        assertThat(trial.call()).isInstanceOf(Outcome.Executed.class);
        bench.proxy.heal();
        bench.awaitVictimsGone();
        trial.hasRun(1).succeededOnce();
    }
}
