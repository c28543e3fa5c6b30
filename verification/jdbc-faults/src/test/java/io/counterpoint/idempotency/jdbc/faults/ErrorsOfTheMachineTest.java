package io.counterpoint.idempotency.jdbc.faults;

import static org.assertj.core.api.Assertions.assertThat;

import io.counterpoint.idempotency.Outcome;
import io.counterpoint.idempotency.jdbc.JdbiIdempotencyStore;
import io.counterpoint.idempotency.testkit.faults.FaultyStore;
import io.counterpoint.idempotency.testkit.faults.StoreCall;
import java.util.List;
import org.jdbi.v3.core.Handle;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.MethodSource;

/** No memory, or no more stack, in the middle of a step: an error like any other, which proves nothing about a commit. */
@Tag("thorough")
@Timeout(60)
class ErrorsOfTheMachineTest {

    private static Bench bench;
    private FaultyStore<Handle> store;

    @BeforeAll
    static void open() {
        bench = Bench.shared();
    }

    @BeforeEach
    void arm() {
        store = FaultyStore.around(JdbiIdempotencyStore.on(bench.victim()));
    }

    @AfterAll
    static void close() {
        bench.close();
    }

    private Trial trial(ProtocolVariant way) {
        return bench.trial(way).over(store);
    }

    /** More than any JVM grants. */
    private static void noMemory() {
        long[][] tooMuch = new long[Integer.MAX_VALUE][];
        assertThat(tooMuch).isNotEmpty();
    }

    private static int noStack(int depth) {
        return depth < 0 ? depth : noStack(depth + 1) + 1;
    }

    @ParameterizedTest
    @MethodSource("io.counterpoint.idempotency.jdbc.faults.ProtocolVariant#claimedFirst")
    void outOfMemoryAfterTheClaimIsRecognisedAsItsOwn(ProtocolVariant way) {
        Trial trial = trial(way);
        store.at(StoreCall.CLAIM).after(ErrorsOfTheMachineTest::noMemory);
        trial.executes(1);
    }

    /** The claim is rolled back with its transaction. */
    @ParameterizedTest
    @EnumSource(names = {"SINGLE_TRANSACTION", "SINGLE_TRANSACTION_PLANNED"})
    void outOfMemoryAfterTheClaimOfASingleTransactionStartsNothing(ProtocolVariant way) {
        Trial trial = trial(way);
        store.at(StoreCall.CLAIM).after(ErrorsOfTheMachineTest::noMemory);
        assertThat(trial.thrown(Trial.Doing::write)).isInstanceOf(OutOfMemoryError.class);
        trial.hasRun(0).leftNothing();
    }

    @ParameterizedTest
    @MethodSource("io.counterpoint.idempotency.jdbc.faults.ProtocolVariant#inDatabase")
    void stackOverflowInTheWorkFailsTheAttempt(ProtocolVariant way) {
        Trial trial = trial(way);
        assertThat(trial.thrown(doing -> {
                    doing.write();
                    assertThat(noStack(0)).isZero();
                }))
                .isInstanceOf(StackOverflowError.class);
        trial.hasRun(1).failed();
    }

    @ParameterizedTest
    @MethodSource("io.counterpoint.idempotency.jdbc.faults.ProtocolVariant#marked")
    void outOfMemoryAtTheMarkFailsTheAttempt(ProtocolVariant way) {
        Trial trial = trial(way);
        store.at(StoreCall.SUCCEED).after(ErrorsOfTheMachineTest::noMemory);
        assertThat(trial.thrown(Trial.Doing::write)).isInstanceOf(OutOfMemoryError.class);
        trial.hasRun(1).failed();
    }

    @ParameterizedTest
    @MethodSource("io.counterpoint.idempotency.jdbc.faults.ProtocolVariant#inDatabase")
    void outOfMemoryAfterTheCommitIsFoundCommitted(ProtocolVariant way) {
        Trial trial = trial(way);
        store.at(StoreCall.COMMIT).after(ErrorsOfTheMachineTest::noMemory);
        trial.executes(1);
    }

    @Test
    void outOfMemoryAtTheFailureIsUnknownWithItsCause() {
        Trial trial = trial(ProtocolVariant.CLAIM_FIRST);
        store.at(StoreCall.FAIL).before(ErrorsOfTheMachineTest::noMemory);
        IllegalArgumentException refusal = new IllegalArgumentException("refused");
        assertThat(Trial.unknown(trial.thrown(doing -> {
                    throw refusal;
                })))
                .hasCause(refusal);
        assertThat(List.of(refusal.getSuppressed())).hasAtLeastOneElementOfType(OutOfMemoryError.class);
        trial.hasRun(1).leftPendingWithoutEffect();
    }

    @ParameterizedTest
    @MethodSource("io.counterpoint.idempotency.jdbc.faults.ProtocolVariant#claimedFirst")
    void outOfMemoryAtTheHealIsHealedInTheEnd(ProtocolVariant way) {
        Trial trial = trial(way).plantEffectBehindPending();
        store.at(StoreCall.SUCCEED).before(ErrorsOfTheMachineTest::noMemory);
        trial.healed(trial.callToHeal());
    }

    @Test
    void stackOverflowInAnExternalEffectLeavesItPending() {
        Trial trial = trial(ProtocolVariant.EXTERNAL);
        assertThat(trial.thrown(doing -> {
                    doing.write();
                    assertThat(noStack(0)).isZero();
                }))
                .isInstanceOf(StackOverflowError.class);
        trial.hasRun(1).leftPendingWithEffect();
    }

    @Test
    void outOfMemoryAtTheExternalMarkIsHealedByTheNextCall() {
        Trial trial = trial(ProtocolVariant.EXTERNAL);
        store.at(StoreCall.SUCCEED).before(ErrorsOfTheMachineTest::noMemory);
        assertThat(trial.call()).isInstanceOf(Outcome.Executed.class);
        trial.hasRun(1).leftPendingWithEffect();
    }
}
