package io.counterpoint.idempotency.jdbc.faults;

import static org.assertj.core.api.Assertions.assertThat;

import io.counterpoint.idempotency.Outcome;
import io.counterpoint.idempotency.jdbc.faults.Saboteur.At;
import io.counterpoint.idempotency.jdbc.faults.Saboteur.Fault;
import io.counterpoint.idempotency.testing.PostgresServer;
import java.io.IOException;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.TestInstance;

/** What happens to callers when the server refuses a statement at some step: the same for every fault. */
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
abstract class SabotagedBench {

    private final String options;
    Bench bench;
    private Saboteur saboteur;

    /** {@code options} are for the connections of the callers under test. */
    SabotagedBench(String options) {
        this.options = options;
    }

    @BeforeAll
    void open() {
        bench = Bench.on(PostgresServer.shared(), options);
        saboteur = Saboteur.in(bench);
    }

    @AfterAll
    void close() {
        bench.close();
    }

    final Trial executesAfter(Fault fault, At at, ProtocolVariant way) {
        Trial trial = bench.trial(way);
        try (Saboteur.Intrusion intrusion = saboteur.strikesOnce(at, fault)) {
            assertThat(trial.call()).as("while %s", intrusion).isInstanceOf(Outcome.Executed.class);
        }
        return trial;
    }

    final Trial failsAfter(Fault fault, ProtocolVariant way) {
        Trial trial = refusing(way);
        IOException refusal = new IOException("refused");
        try (Saboteur.Intrusion intrusion = saboteur.strikesOnce(At.FAIL, fault)) {
            assertThat(thrownBy(trial, refusal)).as("while %s", intrusion).isSameAs(refusal);
        }
        return trial;
    }

    final Trial failureIsUnknownAfter(Fault fault, ProtocolVariant way) {
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

    final void healsDespite(Fault fault, ProtocolVariant way) {
        Trial trial = bench.trial(way).plantEffectBehindPending();
        Outcome<String> outcome;
        try (Saboteur.Intrusion intrusion = saboteur.strikesOnce(At.MARK, fault)) {
            outcome = trial.callToHeal();
            assertThat(outcome).as("while %s", intrusion).isInstanceOf(Outcome.Completed.class);
        }
        trial.healed(outcome);
    }

    final void externalEffectIsUnknownAfter(Fault fault) {
        Trial trial = bench.trial(ProtocolVariant.EXTERNAL);
        try (Saboteur.Intrusion intrusion = saboteur.strikesOnce(At.DOMAIN, fault)) {
            assertThat(Trial.unknown(trial.thrown(Trial.Doing::write)))
                    .as("while %s", intrusion)
                    .hasCauseInstanceOf(RuntimeException.class);
        }
        trial.hasRun(1).leftPendingWithoutEffect();
    }

    final void externalMarkIsLeftAfter(Fault fault) {
        Trial trial = bench.trial(ProtocolVariant.EXTERNAL);
        try (Saboteur.Intrusion intrusion = saboteur.strikes(At.MARK, fault, Integer.MAX_VALUE)) {
            assertThat(trial.call()).as("while %s", intrusion).isInstanceOf(Outcome.Executed.class);
        }
        trial.hasRun(1).leftPendingWithEffect();
    }

    final Trial refusing(ProtocolVariant way) {
        return bench.trial(way).outside(operation -> operation.noEffectWhen(IOException.class::isInstance));
    }

    final Throwable thrownBy(Trial trial, IOException refusal) {
        return trial.thrown(doing -> {
            if (trial.way != ProtocolVariant.EXTERNAL) {
                doing.write();
            }
            throw refusal;
        });
    }
}
