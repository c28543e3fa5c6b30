package io.counterpoint.idempotency.jdbc.faults;

import static org.assertj.core.api.Assertions.assertThat;

import io.counterpoint.idempotency.Outcome;
import io.counterpoint.idempotency.testing.Cut;
import java.io.IOException;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** A connection that breaks before a statement was sent, or after the server has done it. */
@Tag("thorough")
@Timeout(60)
class LostConnectionTest {

    private static Bench bench;

    @BeforeAll
    static void open() {
        bench = Bench.shared();
    }

    @AfterEach
    void heal() {
        bench.proxy.heal();
    }

    @AfterAll
    static void close() {
        bench.close();
    }

    @ParameterizedTest
    @MethodSource("io.counterpoint.idempotency.jdbc.faults.ProtocolVariant#marked")
    void connectionCutBeforeTheMarkIsRunAgain(ProtocolVariant way) {
        Trial trial = bench.trial(way);
        bench.cut(Step.MARK, Cut.BEFORE_SEND);
        trial.executes(2);
    }

    /** The commit goes with the mark, and so has the answer to both. */
    @ParameterizedTest
    @MethodSource("io.counterpoint.idempotency.jdbc.faults.ProtocolVariant#marked")
    void markWhoseAnswerIsLostIsFoundCommitted(ProtocolVariant way) {
        Trial trial = bench.trial(way);
        bench.cut(Step.MARK, Cut.AFTER_ANSWER);
        trial.executes(1);
    }

    @ParameterizedTest
    @MethodSource("io.counterpoint.idempotency.jdbc.faults.ProtocolVariant#claimedFirst")
    void connectionCutBeforeTheHealIsHealedInTheEnd(ProtocolVariant way) {
        Trial trial = bench.trial(way).plantEffectBehindPending();
        bench.cut(Step.HEAL, Cut.BEFORE_SEND);
        trial.healed(trial.callToHeal());
    }

    @ParameterizedTest
    @MethodSource("io.counterpoint.idempotency.jdbc.faults.ProtocolVariant#claimedFirst")
    void healWhoseAnswerIsLostIsDone(ProtocolVariant way) {
        Trial trial = bench.trial(way).plantEffectBehindPending();
        bench.cut(Step.HEAL, Cut.AFTER_ANSWER);
        assertThat(trial.callToHeal()).isInstanceOf(Outcome.Completed.class);
        trial.succeededOnce();
    }

    @Test
    void connectionCutBeforeAnExternalEffectIsUnknownAndPending() {
        Trial trial = bench.trial(ProtocolVariant.EXTERNAL);
        bench.cut(Step.DOMAIN, Cut.BEFORE_SEND);
        Trial.unknown(trial.thrown(Trial.Doing::write));
        trial.hasRun(1).leftPendingWithoutEffect();
    }

    @Test
    void externalEffectWithALostAnswerIsUnknownAndHealedByARetry() {
        Trial trial = bench.trial(ProtocolVariant.EXTERNAL);
        bench.cut(Step.DOMAIN, Cut.AFTER_ANSWER);
        Trial.unknown(trial.thrown(Trial.Doing::write));
        trial.hasRun(1).leftPendingWithEffect();
    }

    @Test
    void externalRefusalThatCannotBeRecordedIsUnknownWithItsCause() {
        Trial trial = bench.trial(ProtocolVariant.EXTERNAL)
                .outside(operation -> operation.noEffectWhen(IOException.class::isInstance));
        IOException refusal = new IOException("refused");
        Throwable thrown = trial.thrown(doing -> {
            bench.goAway();
            throw refusal;
        });
        assertThat(Trial.unknown(thrown)).hasCause(refusal);
        trial.hasRun(1).leftPendingWithoutEffect();
    }

    @Test
    void externalRefusalWithALostAnswerIsThrownOnceItIsDurable() {
        Trial trial = bench.trial(ProtocolVariant.EXTERNAL)
                .outside(operation -> operation.noEffectWhen(IOException.class::isInstance));
        IOException refusal = new IOException("refused");
        bench.cut(Step.FAIL, Cut.AFTER_ANSWER);
        assertThat(trial.thrown(doing -> {
                    throw refusal;
                }))
                .isSameAs(refusal);
        trial.hasRun(1).failed();
    }
}
