package io.counterpoint.idempotency.mariadb;

import static io.counterpoint.idempotency.mariadb.ProxiedCalls.ATTEMPT;
import static io.counterpoint.idempotency.mariadb.ProxiedCalls.isCommit;
import static io.counterpoint.idempotency.mariadb.ProxiedCalls.write;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.counterpoint.idempotency.ExternalOperation;
import io.counterpoint.idempotency.Idempotency;
import io.counterpoint.idempotency.Lookup;
import io.counterpoint.idempotency.NotStartedException;
import io.counterpoint.idempotency.Outcome;
import io.counterpoint.idempotency.OutcomeUnknownException;
import io.counterpoint.idempotency.ResultCodec;
import io.counterpoint.idempotency.mariadb.ProxiedCalls.Shape;
import io.counterpoint.idempotency.testing.Cut;
import io.counterpoint.idempotency.testing.MariaDbProxy;
import io.counterpoint.idempotency.testing.MariaDbServer;
import java.time.Duration;
import java.util.List;
import java.util.function.Predicate;
import java.util.function.UnaryOperator;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** A real server behind a proxy that cuts at chosen statements: every answer is exact, or says that it is not known. */
@Tag("thorough")
@Timeout(60)
class CutConnectionsTest {

    private ProxiedCalls calls;
    private MariaDbProxy proxy;

    @BeforeEach
    void open() {
        calls = new ProxiedCalls(TestPool.with(""), UnaryOperator.identity());
        proxy = calls.proxy;
    }

    @AfterEach
    void close() {
        calls.close();
    }

    @ParameterizedTest
    @EnumSource
    void commitWhoseAnswerIsLostIsFoundCommitted(Shape shape) {
        assertThat(calls.execute(shape, handle -> {
                    write(handle);
                    proxy.onNextStatement(ProxiedCalls::isCommit, Cut.AFTER_ANSWER);
                }))
                .isInstanceOf(Outcome.Executed.class);
        assertThat(proxy.hasCut()).isTrue();
        assertThat(calls.runs).hasValue(1);
        assertThat(calls.effects()).containsExactly("effect");
        assertThat(calls.execute(shape)).isInstanceOf(Outcome.Replayed.class);
    }

    /** It says that the transaction was rolled back, and does not know. */
    @ParameterizedTest
    @EnumSource
    void commitAtWhichTheDriverConnectsAgainIsFoundCommitted(Shape shape) {
        calls.close();
        calls = new ProxiedCalls(TestPool.by(Driver.MARIADB, ""), url -> ProxiedCalls.twice(url, "sequential:"));
        proxy = calls.proxy;
        commitWhoseAnswerIsLostIsFoundCommitted(shape);
    }

    @ParameterizedTest
    @EnumSource
    void commitThatNeverArrivedIsProvenRolledBackAndRunAgain(Shape shape) {
        cutOnceAt(shape, ProxiedCalls::isCommit, Cut.BEFORE_SEND);
    }

    @ParameterizedTest
    @EnumSource
    void connectionCutAfterADomainWriteIsRunAgain(Shape shape) {
        cutOnceAt(shape, sql -> sql.startsWith("INSERT INTO effect"), Cut.AFTER_ANSWER);
    }

    /** MariaDB has committed with the answer to the check. */
    @ParameterizedTest
    @EnumSource
    void connectionCutAtTheCheckOfTheTransactionIsRunAgain(Shape shape) {
        Cut cut = !MariaDbServer.shared().isMySql() ? Cut.BEFORE_SEND : Cut.AFTER_ANSWER;
        cutOnceAt(shape, sql -> sql.contains("RELEASE SAVEPOINT"), cut);
    }

    /** The work runs twice, and has one effect. */
    private void cutOnceAt(Shape shape, Predicate<String> sql, Cut cut) {
        assertThat(calls.execute(shape, handle -> {
                    if (calls.runs.get() == 1) {
                        proxy.onNextStatement(sql, cut);
                    }
                    write(handle);
                }))
                .isInstanceOf(Outcome.Executed.class);
        assertThat(proxy.hasCut()).isTrue();
        assertThat(calls.runs).hasValue(2);
        assertThat(calls.effects()).containsExactly("effect");
        assertThat(calls.execute(shape)).isInstanceOf(Outcome.Replayed.class);
    }

    @ParameterizedTest
    @EnumSource
    void claimThatIsCutLeadsOnce(Shape shape) {
        for (Cut cut : List.of(Cut.BEFORE_SEND, Cut.AFTER_ANSWER)) {
            calls.reset();
            proxy.onNextStatement(CutConnectionsTest::isClaim, cut);
            assertThat(calls.execute(shape)).isInstanceOf(Outcome.Executed.class);
            assertThat(proxy.hasCut()).isTrue();
            assertThat(calls.runs).hasValue(1);
            assertThat(calls.effects()).containsExactly("effect");
        }
    }

    @ParameterizedTest
    @EnumSource
    void databaseGoneAtTheCommitIsUnknownAndLaterExact(Shape shape) {
        assertThatThrownBy(() -> calls.execute(shape, handle -> {
                    write(handle);
                    proxy.onNextStatement(
                            sql -> {
                                if (isCommit(sql)) {
                                    // Connections that are made after this one is cut.
                                    proxy.refuseConnections();
                                }
                                return isCommit(sql);
                            },
                            Cut.AFTER_ANSWER);
                }))
                .isInstanceOf(OutcomeUnknownException.class)
                .hasMessageNotContaining("key-1");
        proxy.heal();
        assertThat(calls.execute(shape).asOptional()).contains("result");
        assertThat(calls.effects()).hasSize(1);
    }

    @ParameterizedTest
    @EnumSource
    void failureIsThrownOnlyWhenItIsDurable(Shape shape) {
        IllegalArgumentException refused = new IllegalArgumentException("refused");
        assertThatThrownBy(() -> calls.execute(shape, handle -> {
                    proxy.onNextStatement(sql -> sql.contains("state = 'F'") || isClaim(sql), Cut.AFTER_ANSWER);
                    throw refused;
                }))
                .isSameAs(refused);
        assertThat(proxy.hasCut()).isTrue();
        assertThat(calls.execute(shape)).isInstanceOf(Outcome.Rejected.class);
        assertThat(calls.effects()).isEmpty();
    }

    @ParameterizedTest
    @EnumSource
    void databaseThatCannotBeReachedStartsNothing(Shape shape) {
        proxy.goAway();
        assertThatThrownBy(() -> calls.execute(shape)).isInstanceOf(NotStartedException.class);
        assertThat(calls.runs).hasValue(0);
        proxy.heal();
        assertThat(calls.execute(shape)).isInstanceOf(Outcome.Executed.class);
    }

    @Test
    void externalMarkWhoseAnswerIsLostIsRecognisedAsItsOwn() {
        ExternalOperation<String> operation = external();
        proxy.onNextStatement(sql -> sql.contains("state = 'S'"), Cut.AFTER_ANSWER);
        assertThat(operation.execute(ATTEMPT, key -> "result")).isInstanceOf(Outcome.Executed.class);
        assertThat(proxy.hasCut()).isTrue();
        assertThat(operation.execute(ATTEMPT, key -> "again")).isInstanceOf(Outcome.Replayed.class);
    }

    @Test
    void externalEffectIsAnsweredThoughItsMarkIsLostAndHealsNext() {
        ExternalOperation<String> operation = external();
        assertThat(operation
                        .execute(ATTEMPT, key -> {
                            proxy.goAway();
                            return "result";
                        })
                        .orElseThrow())
                .isEqualTo("result");
        proxy.heal();
        assertThat(operation.execute(ATTEMPT, key -> "again")).isInstanceOf(Outcome.Healed.class);
    }

    private static boolean isClaim(String sql) {
        return sql.contains("INSERT INTO idempotency_record");
    }

    private ExternalOperation<String> external() {
        return Idempotency.on(calls.store)
                .external("external", ResultCodec.string(), unresolved -> Lookup.found("result"))
                .settleWithin(Duration.ofSeconds(1))
                .build();
    }
}
