package io.counterpoint.idempotency.jdbc.faults;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.counterpoint.idempotency.Attempt;
import io.counterpoint.idempotency.ExternalOperation;
import io.counterpoint.idempotency.Idempotency;
import io.counterpoint.idempotency.IdempotencyEvent;
import io.counterpoint.idempotency.IdempotencyListener;
import io.counterpoint.idempotency.Lookup;
import io.counterpoint.idempotency.NotStartedException;
import io.counterpoint.idempotency.Operation;
import io.counterpoint.idempotency.Outcome;
import io.counterpoint.idempotency.OutcomeUnknownException;
import io.counterpoint.idempotency.ResultCodec;
import io.counterpoint.idempotency.jdbc.JdbiIdempotencyStore;
import io.counterpoint.idempotency.testing.Cut;
import io.counterpoint.idempotency.testing.CuttingProxy;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Consumer;
import org.jdbi.v3.core.Handle;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** Real PostgreSQL behind a proxy that cuts at chosen messages: every answer is exact, or says that it is not known. */
@Tag("thorough")
@Timeout(60)
class CutConnectionsTest {

    private static final Attempt ATTEMPT =
            Attempt.inScope("user:1").key("key-1").request("request");
    private final AtomicInteger runs = new AtomicInteger();
    private final List<String> events = new CopyOnWriteArrayList<>();
    private Bench bench;
    private CuttingProxy proxy;
    private JdbiIdempotencyStore store;

    @BeforeEach
    void open() {
        bench = Bench.shared();
        proxy = bench.proxy;
        store = JdbiIdempotencyStore.on(bench.victim());
    }

    @AfterEach
    void close() {
        bench.close();
    }

    enum Shape {
        CLAIM_FIRST,
        CLAIM_FIRST_PLANNED,
        SINGLE_TRANSACTION,
        SINGLE_TRANSACTION_PLANNED
    }

    @ParameterizedTest
    @EnumSource
    void commitWhoseAnswerIsLostIsFoundCommitted(Shape shape) {
        proxy.swallowNextCommitAnswer();
        executes(shape, 1);
        assertThat(proxy.hasCut()).isTrue();
        assertThat(events).contains("commit unknown");
        assertThat(execute(shape)).isInstanceOf(Outcome.Replayed.class);
    }

    @ParameterizedTest
    @EnumSource
    void commitThatNeverArrivedIsProvenRolledBackAndRunAgain(Shape shape) {
        proxy.dropNextCommit();
        executes(shape, 2);
        assertThat(proxy.hasCut()).isTrue();
        assertThat(execute(shape)).isInstanceOf(Outcome.Replayed.class);
    }

    @ParameterizedTest
    @EnumSource
    void connectionCutBeforeADomainWriteIsRunAgain(Shape shape) {
        proxy.onNextStatement(CutConnectionsTest::isDomainWrite, Cut.BEFORE_SEND);
        executes(shape, 2);
    }

    @ParameterizedTest
    @EnumSource
    void connectionCutAfterADomainWriteIsRunAgain(Shape shape) {
        proxy.onNextStatement(CutConnectionsTest::isDomainWrite, Cut.AFTER_ANSWER);
        executes(shape, 2);
    }

    @ParameterizedTest
    @EnumSource
    void claimThatNeverArrivedIsClaimedAgain(Shape shape) {
        proxy.onNextStatement(CutConnectionsTest::isClaim, Cut.BEFORE_SEND);
        executes(shape, 1);
    }

    /** Claim first: the record is there under this call's token, so it leads; one transaction: it is rolled back. */
    @ParameterizedTest
    @EnumSource
    void claimWhoseAnswerIsLostLeadsOnce(Shape shape) {
        proxy.onNextStatement(CutConnectionsTest::isClaim, Cut.AFTER_ANSWER);
        executes(shape, 1);
    }

    @ParameterizedTest
    @EnumSource
    void databaseGoneAtTheCommitIsUnknownAndLaterExact(Shape shape) {
        assertThatThrownBy(() -> execute(shape, handle -> {
                    Effects.write(handle, "effect");
                    proxy.swallowNextCommitAnswer();
                    proxy.refuseConnections();
                }))
                .isInstanceOf(OutcomeUnknownException.class)
                .hasMessageNotContaining("key-1");
        proxy.heal();
        Outcome<String> outcome = execute(shape);
        assertThat(outcome.asOptional()).contains("result");
        assertThat(effects()).hasSize(1);
    }

    @ParameterizedTest
    @EnumSource
    void failureIsThrownOnlyWhenItIsDurable(Shape shape) {
        IllegalArgumentException refused = new IllegalArgumentException("refused");
        assertThatThrownBy(() -> execute(shape, handle -> {
                    proxy.onNextStatement(CutConnectionsTest::isFailure, Cut.AFTER_ANSWER);
                    throw refused;
                }))
                .isSameAs(refused);
        assertThat(proxy.hasCut()).isTrue();
        assertThat(execute(shape)).isInstanceOf(Outcome.Rejected.class);
        assertThat(effects()).isEmpty();
    }

    @ParameterizedTest
    @EnumSource
    void failureThatCannotBeRecordedIsUnknownWithItsCause(Shape shape) {
        IllegalArgumentException refused = new IllegalArgumentException("refused");
        assertThatThrownBy(() -> execute(shape, handle -> {
                    proxy.refuseConnections();
                    proxy.resetAll();
                    throw refused;
                }))
                .isInstanceOf(OutcomeUnknownException.class)
                .hasCause(refused);
        assertThat(effects()).isEmpty();
    }

    @ParameterizedTest
    @EnumSource
    void databaseThatCannotBeReachedStartsNothing(Shape shape) {
        proxy.refuseConnections();
        assertThatThrownBy(() -> execute(shape)).isInstanceOf(NotStartedException.class);
        assertThat(runs).hasValue(0);
        proxy.heal();
        assertThat(execute(shape)).isInstanceOf(Outcome.Executed.class);
    }

    @Test
    void externalEffectIsAnsweredThoughItsMarkIsLostAndHealsNext() {
        ExternalOperation<String> operation = external();
        assertThat(operation
                        .execute(ATTEMPT, key -> {
                            runs.incrementAndGet();
                            proxy.refuseConnections();
                            proxy.resetAll();
                            return "result";
                        })
                        .orElseThrow())
                .isEqualTo("result");
        proxy.heal();
        assertThat(operation.execute(ATTEMPT, key -> "again")).isInstanceOf(Outcome.Healed.class);
        assertThat(operation.execute(ATTEMPT, key -> "again")).isInstanceOf(Outcome.Replayed.class);
        assertThat(runs).hasValue(1);
    }

    @Test
    void externalMarkWhoseAnswerIsLostIsRecognisedAsItsOwn() {
        ExternalOperation<String> operation = external();
        proxy.onNextStatement(CutConnectionsTest::isSuccess, Cut.AFTER_ANSWER);
        assertThat(operation.execute(ATTEMPT, key -> "result")).isInstanceOf(Outcome.Executed.class);
        assertThat(proxy.hasCut()).isTrue();
        assertThat(events).contains("succeeded");
        assertThat(operation.execute(ATTEMPT, key -> "again")).isInstanceOf(Outcome.Replayed.class);
    }

    @Test
    void externalClaimWhoseAnswerIsLostLeadsOnce() {
        proxy.onNextStatement(CutConnectionsTest::isClaim, Cut.AFTER_ANSWER);
        assertThat(external().execute(ATTEMPT, key -> "effect-" + runs.incrementAndGet()))
                .isInstanceOf(Outcome.Executed.class);
        assertThat(runs).hasValue(1);
    }

    @Test
    void followerTakesOverAfterItsOwnTakeOverWasNotAnswered() {
        Operation<Handle, String> abandoning = operation(Shape.CLAIM_FIRST).build();
        assertThatThrownBy(() -> abandoning.execute(ATTEMPT, handle -> {
                    proxy.refuseConnections();
                    proxy.resetAll();
                    throw new IllegalStateException("dies without a trace");
                }))
                .isInstanceOf(OutcomeUnknownException.class);
        proxy.heal();
        Operation<Handle, String> takingOver = idempotency()
                .operation("operate", ResultCodec.string())
                .whenAbandoned(Operation.Abandoned.TAKE_OVER, Duration.ofNanos(1))
                .build();
        proxy.swallowNextCommitAnswer();
        assertThat(takingOver.execute(ATTEMPT, this::effect)).isInstanceOf(Outcome.Executed.class);
        assertThat(proxy.hasCut()).isTrue();
        assertThat(effects()).containsExactly("effect");
    }

    private static boolean isClaim(String sql) {
        return sql.contains("INSERT INTO idempotency_record");
    }

    private static boolean isDomainWrite(String sql) {
        return sql.startsWith("INSERT INTO effect");
    }

    private static boolean isSuccess(String sql) {
        return sql.contains("state = 'S'");
    }

    /** In one transaction the failure is inserted, after the claim was rolled back. */
    private static boolean isFailure(String sql) {
        return sql.contains("state = 'F'") || isClaim(sql);
    }

    private void executes(Shape shape, int expectedRuns) {
        Outcome<String> outcome = execute(shape);
        assertThat(outcome).isInstanceOf(Outcome.Executed.class);
        assertThat(outcome.asOptional()).contains("result");
        assertThat(runs).hasValue(expectedRuns);
        assertThat(effects()).containsExactly("effect");
    }

    private Outcome<String> execute(Shape shape) {
        return execute(shape, handle -> Effects.write(handle, "effect"));
    }

    private Outcome<String> execute(Shape shape, Consumer<Handle> work) {
        Operation.Builder<Handle, String> builder = operation(shape);
        return shape.name().endsWith("PLANNED")
                ? builder.planned().build().execute(ATTEMPT, () -> "result", (handle, plan) -> {
                    runs.incrementAndGet();
                    work.accept(handle);
                })
                : builder.build().execute(ATTEMPT, handle -> {
                    runs.incrementAndGet();
                    work.accept(handle);
                    return "result";
                });
    }

    private String effect(Handle handle) {
        Effects.write(handle, "effect");
        return "result";
    }

    private Operation.Builder<Handle, String> operation(Shape shape) {
        Operation.Builder<Handle, String> builder = idempotency()
                .operation("operate", ResultCodec.string())
                .settleWithin(Duration.ofSeconds(1))
                .whenAbandoned(Operation.Abandoned.FAIL, Duration.ofDays(1));
        return shape.name().startsWith("SINGLE") ? builder.protocol(Operation.Protocol.SINGLE_TRANSACTION) : builder;
    }

    private ExternalOperation<String> external() {
        return idempotency()
                .external("external", ResultCodec.string(), unresolved -> Lookup.found("result"))
                .settleWithin(Duration.ofSeconds(1))
                .build();
    }

    private Idempotency<Handle> idempotency() {
        return Idempotency.builder(store)
                .listener(IdempotencyListener.on(
                                IdempotencyEvent.CommitUnknown.class, event -> events.add("commit unknown"))
                        .andThen(IdempotencyListener.on(
                                IdempotencyEvent.Succeeded.class, event -> events.add("succeeded"))))
                .build();
    }

    private List<String> effects() {
        return bench.direct.withHandle(handle ->
                handle.createQuery("SELECT id FROM effect").mapTo(String.class).list());
    }
}
