package io.counterpoint.idempotency.jdbc.faults;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowable;

import com.zaxxer.hikari.HikariConfig;
import com.zaxxer.hikari.HikariDataSource;
import io.counterpoint.idempotency.NotStartedException;
import io.counterpoint.idempotency.Outcome;
import io.counterpoint.idempotency.jdbc.JdbiIdempotencyStore;
import io.counterpoint.idempotency.testkit.faults.FaultyStore;
import io.counterpoint.idempotency.testkit.faults.StoreCall;
import java.io.IOException;
import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import org.jdbi.v3.core.Handle;
import org.jdbi.v3.core.Jdbi;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.MethodSource;

/** A pool of one connection, which another caller has just then. */
@Tag("matrix")
@Timeout(60)
class ExhaustedPoolTest {

    private Bench bench;
    private HikariDataSource pool;
    private FaultyStore<Handle> store;
    private Connection taken;

    @BeforeEach
    void open() {
        bench = Bench.shared();
        HikariConfig config = new HikariConfig();
        config.setJdbcUrl(bench.victimUrl());
        config.setMaximumPoolSize(1);
        config.setConnectionTimeout(250);
        pool = new HikariDataSource(config);
        store = FaultyStore.around(JdbiIdempotencyStore.on(Jdbi.create(pool)));
    }

    @AfterEach
    void close() {
        pool.close();
        bench.close();
    }

    private Trial trial(ProtocolVariant way) {
        return bench.trial(way).over(store);
    }

    private void take() {
        try {
            taken = pool.getConnection();
        } catch (SQLException e) {
            throw new AssertionError(e);
        }
    }

    private void giveBack() {
        try {
            taken.close();
        } catch (SQLException e) {
            throw new AssertionError(e);
        }
    }

    /** The connection is taken just before a caller wants it for the n-th time. */
    private void takeBeforeSession(int n) {
        for (int i = 1; i < n; i++) {
            store.at(StoreCall.OPEN);
        }
        store.at(StoreCall.OPEN).before(this::take);
    }

    @ParameterizedTest
    @EnumSource
    void callerWithoutAConnectionHasStartedNothing(ProtocolVariant way) {
        Trial trial = trial(way);
        take();
        assertThat(trial.thrown(Trial.Doing::write)).isInstanceOf(NotStartedException.class);
        giveBack();
        trial.hasRun(0).leftNothing();
    }

    /** The first run has its connection from the claim; a further one needs another. */
    @ParameterizedTest
    @EnumSource(names = {"CLAIM_FIRST", "CLAIM_FIRST_PLANNED"})
    void furtherRunWithoutAConnectionIsTriedAgain(ProtocolVariant way) {
        Trial trial = trial(way);
        takeBeforeSession(3);
        trial.onDoubt(() -> {
            if (taken != null) {
                giveBack();
            }
        });
        assertThat(trial.call(doing -> {
                    doing.write();
                    if (doing.run() == 1) {
                        doing.handle().execute("SELECT pg_terminate_backend(pg_backend_pid())");
                    }
                }))
                .isInstanceOf(Outcome.Executed.class);
        assertThat(taken).isNotNull();
        trial.hasRun(2).succeededOnce();
    }

    @Test
    void failureThatGetsNoConnectionIsUnknownWithItsCause() {
        Trial trial = trial(ProtocolVariant.CLAIM_FIRST);
        takeBeforeSession(2);
        IOException refusal = new IOException("refused");
        assertThat(Trial.unknown(trial.thrown(doing -> {
                    doing.write();
                    throw refusal;
                })))
                .hasCause(refusal);
        giveBack();
        trial.hasRun(1).leftPendingWithoutEffect();
    }

    @ParameterizedTest
    @MethodSource("io.counterpoint.idempotency.jdbc.faults.ProtocolVariant#claimedFirst")
    void healThatGetsNoConnectionIsMadeByTheNextCall(ProtocolVariant way) {
        Trial trial = trial(way)
                .inDatabase(operation -> operation.settleWithin(Duration.ofMillis(100)))
                .plantEffectBehindPending();
        // An external lookup needs none of this pool's connections.
        takeBeforeSession(way == ProtocolVariant.EXTERNAL ? 2 : 3);
        if (way == ProtocolVariant.EXTERNAL) {
            assertThat(trial.callToHeal()).isInstanceOf(Outcome.Healed.class);
        } else {
            Trial.unknown(catchThrowable(trial::callToHeal));
        }
        giveBack();
        trial.leftPendingWithEffect();
    }

    @Test
    void externalMarkWithoutAConnectionIsHealedByTheNextCall() {
        Trial trial = trial(ProtocolVariant.EXTERNAL);
        takeBeforeSession(2);
        assertThat(trial.call()).isInstanceOf(Outcome.Executed.class);
        giveBack();
        trial.hasRun(1).leftPendingWithEffect();
    }

    @Test
    void externalRefusalThatGetsNoConnectionIsUnknownWithItsCause() {
        Trial trial = trial(ProtocolVariant.EXTERNAL)
                .outside(operation -> operation.noEffectWhen(IOException.class::isInstance));
        takeBeforeSession(2);
        IOException refusal = new IOException("refused");
        assertThat(Trial.unknown(trial.thrown(doing -> {
                    throw refusal;
                })))
                .hasCause(refusal);
        giveBack();
        trial.hasRun(1).leftPendingWithoutEffect();
    }
}
