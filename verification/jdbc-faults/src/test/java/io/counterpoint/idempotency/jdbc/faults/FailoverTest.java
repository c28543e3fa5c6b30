package io.counterpoint.idempotency.jdbc.faults;

import static org.assertj.core.api.Assertions.assertThat;

import io.counterpoint.idempotency.Outcome;
import io.counterpoint.idempotency.testing.Cut;
import io.counterpoint.idempotency.testing.PostgresServer;
import java.io.IOException;
import java.util.concurrent.Callable;
import java.util.concurrent.Future;
import org.jdbi.v3.core.Jdbi;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/**
 * A failover to a standby that lacks the newest commits: a copy of the database takes the name of the one that is gone.
 * What was acknowledged since the copy is lost, with and without its effects.
 */
@Tag("thorough")
@Timeout(60)
class FailoverTest {

    private Bench bench;
    private Jdbi administrator;
    private String primary;

    @BeforeEach
    void open() {
        bench = Bench.on(PostgresServer.shared(), "");
        administrator = Jdbi.create(PostgresServer.shared().jdbcUrl());
        primary = bench.direct.withHandle(handle -> handle.createQuery("SELECT current_database()")
                .mapTo(String.class)
                .one());
    }

    @AfterEach
    void close() {
        bench.close();
    }

    /** The standby has got all until now, and will get no more. */
    private void standbyFallsBehind() {
        sever();
        administrator.useHandle(
                handle -> handle.execute("CREATE DATABASE %s_standby TEMPLATE %s".formatted(primary, primary)));
    }

    private void failOver() {
        sever();
        administrator.useHandle(handle -> {
            handle.execute("DROP DATABASE %s".formatted(primary));
            handle.execute("ALTER DATABASE %s_standby RENAME TO %s".formatted(primary, primary));
        });
    }

    private void sever() {
        administrator.useHandle(handle -> handle.createQuery(
                        "SELECT pg_terminate_backend(pid, 10000) FROM pg_stat_activity WHERE datname = :name")
                .bind("name", primary)
                .mapTo(Boolean.class)
                .list());
    }

    private void failOverAt(Step step, Trial trial) {
        assertThat(failOverAt(step, () -> trial.call())).isInstanceOf(Outcome.Executed.class);
    }

    private <T> T failOverAt(Step step, Callable<T> call) {
        standbyFallsBehind();
        bench.cut(step, Cut.HOLD);
        Future<T> answer = Bench.begin(call);
        bench.awaitCut();
        failOver();
        bench.proxy.heal();
        return Bench.end(answer);
    }

    @Test
    void claimThatIsLostInAFailOverIsMadeAgain() {
        Trial trial = bench.trial(ProtocolVariant.CLAIM_FIRST);
        failOverAt(Step.LOCK, trial);
        trial.hasRun(1).succeededOnce();
    }

    @Test
    void failOverInTheWorkIsClaimedAndRunAgain() {
        Trial trial = bench.trial(ProtocolVariant.CLAIM_FIRST);
        failOverAt(Step.DOMAIN, trial);
        trial.hasRun(2).succeededOnce();
    }

    @Test
    void failOverInTheMarkIsUnknownAndLeavesNothing() {
        Trial trial = bench.trial(ProtocolVariant.CLAIM_FIRST);
        Trial.unknown(failOverAt(Step.MARK, () -> trial.thrown(Trial.Doing::write)));
        trial.hasRun(1).leftNothing();
    }

    @Test
    void successThatIsLostInAFailOverIsLostWithItsEffectAndRunsAgain() {
        Trial trial = bench.trial(ProtocolVariant.CLAIM_FIRST);
        standbyFallsBehind();
        assertThat(trial.call()).isInstanceOf(Outcome.Executed.class);
        trial.succeededOnce();
        failOver();
        trial.leftNothing();
    }

    @Test
    void failureThatIsLostInAFailOverLeavesTheKeyFree() {
        Trial trial = bench.trial(ProtocolVariant.CLAIM_FIRST);
        standbyFallsBehind();
        IOException refusal = new IOException("refused");
        assertThat(trial.thrown(doing -> {
                    throw refusal;
                }))
                .isSameAs(refusal);
        trial.failed();
        failOver();
        trial.leftNothing();
    }

    @Test
    void healThatIsLostInAFailOverIsMadeAgain() {
        Trial trial = bench.trial(ProtocolVariant.CLAIM_FIRST).plantEffectBehindPending();
        standbyFallsBehind();
        assertThat(trial.callToHeal()).isInstanceOf(Outcome.Healed.class);
        trial.succeededOnce();
        failOver();
        trial.leftPendingWithEffect();
    }

    /** The remote has to recognise the key: no record here remembers the claim. */
    @Test
    void externalClaimLostInAFailoverLetsARetryCallTheRemoteAgain() {
        Trial trial = bench.trial(ProtocolVariant.EXTERNAL);
        standbyFallsBehind();
        assertThat(trial.call(doing -> failOver())).isInstanceOf(Outcome.Executed.class);
        assertThat(trial.state()).isEqualTo("-");
        assertThat(trial.hasRun(1).retry()).isInstanceOf(Outcome.Executed.class);
        trial.succeededOnce();
    }
}
