package io.counterpoint.idempotency.testkit;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.catchThrowable;

import io.counterpoint.idempotency.Idempotency;
import io.counterpoint.idempotency.Operation;
import io.counterpoint.idempotency.Outcome;
import io.counterpoint.idempotency.OutcomeUnknownException;
import io.counterpoint.idempotency.PlannedOperation;
import io.counterpoint.idempotency.ResultCodec;
import io.counterpoint.idempotency.UndecodableException;
import io.counterpoint.idempotency.function.CheckedBiPredicate;
import io.counterpoint.idempotency.internal.Rethrow;
import io.counterpoint.idempotency.spi.Fault;
import io.counterpoint.idempotency.spi.IdempotencyRecord.Pending;
import io.counterpoint.idempotency.spi.IdempotencyRecord.Protocol;
import io.counterpoint.idempotency.spi.IdempotencyRecord.Succeeded;
import io.counterpoint.idempotency.testkit.faults.StoreCall;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.function.UnaryOperator;
import org.junit.jupiter.api.Test;

/** Lookups in the store's own database, by plan if there is one, otherwise by key. */
abstract class HealContract<C> extends OperationContractTest<C> {

    HealContract(OperationFixture<C> fixture) {
        super(fixture);
    }

    /** A caller whose lookup is asked for an effect: for the plan if there is one, otherwise for "result". */
    private TestOperation.Builder<C> lookingUp(
            CheckedBiPredicate<C, String, Exception> isThere, UnaryOperator<Operation.Builder<C, String>> options) {
        return caller().inDatabase(operation -> options.apply(operation)
                        .lookUpByKey((handle, key) ->
                                isThere.test(handle, "result") ? Optional.of("result") : Optional.empty()))
                .planned(operation -> operation.lookUpByPlan(isThere));
    }

    private TestOperation.Builder<C> healing(UnaryOperator<Operation.Builder<C, String>> options) {
        return lookingUp(domain::isThere, operation -> options.apply(operation.waitAtMost(Duration.ofMillis(1))));
    }

    private TestOperation.Builder<C> healing() {
        return healing(UnaryOperator.identity());
    }

    private Pending pending() {
        return pendingOfAnother(key("k"), Protocol.CLAIM_FIRST, way.planned ? Optional.of("result") : Optional.empty());
    }

    private void effectIsThere() {
        inTransaction((transaction, scope) -> {
            domain.write(scope.handle(), "result");
            return true;
        });
    }

    @Test
    void committedEffectBehindAPendingRecordIsHealed() throws Exception {
        TestOperation<C> caller = healing().build();
        Pending record = pending();
        effectIsThere();

        Outcome<String> outcome = caller.call(attempt("k"), "another");

        assertThat(outcome).isEqualTo(new Outcome.Healed<>(key("k"), "result"));
        assertThat(found(key("k")))
                .isEqualTo(new Succeeded(
                        record.key(),
                        record.protocol(),
                        record.token(),
                        record.fingerprint(),
                        Optional.of(bytes("result"))));
        assertThat(caller.call(attempt("k"), "another")).isInstanceOf(Outcome.Replayed.class);
        assertThat(caller.runs()).isZero();
        assertThat(effects()).containsExactly("result");
        assertThat(events.take()).containsExactly("healed", "replayed");
    }

    @Test
    void committedEffectIsHealedAndNotArbitrated() throws Exception {
        TestOperation<C> caller = healing(
                        operation -> operation.whenAbandoned(Operation.Abandoned.FAIL, Duration.ofNanos(1)))
                .build();
        pending();
        effectIsThere();
        letTimePass(Duration.ofNanos(1000));

        assertThat(caller.call(attempt("k"), "another")).isInstanceOf(Outcome.Healed.class);

        assertThat(faulty.calls()).doesNotContain(StoreCall.LOCK);
    }

    @Test
    void effectThatIsNotFoundProvesNothing() throws Exception {
        TestOperation<C> caller = healing().build();
        Pending record = pending();

        assertThat(caller.call(attempt("k"), "another")).isInstanceOf(Outcome.InProgress.class);

        assertThat(record("k")).isEqualTo(record);
        assertThat(caller.runs()).isZero();
    }

    @Test
    void abandonedKeyWhoseEffectIsNotFoundIsArbitrated() throws Exception {
        TestOperation<C> caller = healing(
                        operation -> operation.whenAbandoned(Operation.Abandoned.FAIL, Duration.ofNanos(1)))
                .build();
        pending();
        letTimePass(Duration.ofNanos(1000));

        assertThat(caller.call(attempt("k"), "another")).isInstanceOf(Outcome.Rejected.class);
    }

    @Test
    void otherRequestUnderTheKeyIsRefusedBeforeTheLookUp() throws Exception {
        TestOperation<C> caller = lookingUp(
                        (handle, effect) -> {
                            throw new AssertionError("looked up");
                        },
                        UnaryOperator.identity())
                .build();
        pending();

        assertThat(caller.call(attempt("k", "another request"), "another")).isInstanceOf(Outcome.KeyReused.class);
    }

    @Test
    void lookUpThatFailsLeavesTheRecordAsItIs() {
        Pending record = pending();
        for (Throwable thrown : List.of(new IOException("domain"), new AssertionError("domain"))) {
            TestOperation<C> caller = lookingUp(
                            (handle, effect) -> {
                                throw Rethrow.unchanged(thrown);
                            },
                            UnaryOperator.identity())
                    .build();

            assertLeaves(thrown, catchThrowable(() -> caller.call(attempt("k"), "another")));

            assertThat(record("k")).isEqualTo(record);
            assertThat(faulty.openSessions()).isZero();
        }
    }

    @Test
    void lookupThatIsCutOffIsUnknownAndMadeByTheNextCall() throws Exception {
        TestOperation<C> caller = healing().build();
        pending();
        effectIsThere();
        faulty.at(StoreCall.COMMIT).fails(Fault.CONNECTION_LOST);

        assertThatThrownBy(() -> caller.call(attempt("k"), "another")).isInstanceOf(OutcomeUnknownException.class);

        assertThat(caller.call(attempt("k"), "another")).isInstanceOf(Outcome.Healed.class);
    }

    @Test
    void healThatCannotBeWrittenIsNotReturnedAndMadeByTheNextCall() throws Exception {
        TestOperation<C> caller = healing().build();
        pending();
        effectIsThere();
        faulty.at(StoreCall.SUCCEED).always().fails(Fault.CONNECTION_LOST);

        assertThatThrownBy(() -> caller.call(attempt("k"), "another")).isInstanceOf(OutcomeUnknownException.class);

        assertThat(isPending("k")).isTrue();
        faulty.disarm();
        assertThat(caller.call(attempt("k"), "another")).isInstanceOf(Outcome.Healed.class);
    }

    @Test
    void healThatComesTooLateReturnsWhatIsStored() throws Exception {
        TestOperation<C> caller = healing().build();
        Pending record = pending();
        effectIsThere();
        faulty.at(StoreCall.SUCCEED)
                .before(() -> AnotherThread.run(
                        () -> assertThat(succeeds(record, "stored")).isTrue()));

        assertThat(caller.call(attempt("k"), "another")).isEqualTo(new Outcome.Replayed<>(key("k"), "stored"));
    }

    /** The caller has seen the effect; another claim would lead and create a second one. */
    @Test
    void healOfAPurgedKeyIsReturnedAndTheWorkNotRun() throws Exception {
        TestOperation<C> caller = healing().build();
        Pending record = pending();
        effectIsThere();
        faulty.at(StoreCall.SUCCEED)
                .before(() -> AnotherThread.run(() -> assertThat(
                                changes(transaction -> transaction.release(record.key(), record.token())))
                        .isTrue()));

        assertThat(caller.call(attempt("k"), "another")).isEqualTo(new Outcome.Healed<>(key("k"), "result"));

        assertThat(caller.runs()).isZero();
        assertThat(read(key("k"))).isEmpty();
        assertThat(effects()).containsExactly("result");
    }

    @Test
    void planThatCannotBeReadIsReportedAndTheWorkNotRun() {
        TestOperation<C> caller = healing()
                .codec(ResultCodec.of(text -> text.getBytes(StandardCharsets.UTF_8), bytes -> {
                    throw new IOException("an old form");
                }))
                .build();
        Pending record = pendingOfAnother(key("k"), Protocol.CLAIM_FIRST, Optional.of("result"));

        assertThatThrownBy(() -> caller.call(attempt("k"), "another")).isInstanceOf(UndecodableException.class);

        assertThat(record("k")).isEqualTo(record);
        assertThat(caller.runs()).isZero();
    }

    /** The leader that made the plan has committed nothing, as the lock on its record proves. */
    @Test
    void attemptWhosePlanCannotBeReadFailsAfterTheGrace() throws Exception {
        Duration grace = Duration.ofNanos(1000);
        TestOperation<C> caller = healing(operation -> operation.whenAbandoned(Operation.Abandoned.FAIL, grace))
                .codec(ResultCodec.of(text -> text.getBytes(StandardCharsets.UTF_8), bytes -> {
                    throw new IOException("its key is gone");
                }))
                .build();
        Pending unused = pendingOfAnother(key("k"), Protocol.CLAIM_FIRST, Optional.of("result"));
        letTimePass(grace);

        assertThat(caller.call(attempt("k"), "another")).isInstanceOf(Outcome.Rejected.class);

        assertThat(isFailed("k")).isTrue();
        assertThat(caller.runs()).isZero();
    }

    @Test
    void lookUpByPlanFindsNothingWithoutAPlan() {
        PlannedOperation.Builder<C, String> builder = Idempotency.on(store)
                .operation("contract", ResultCodec.string())
                .waitAtMost(Duration.ofMillis(1))
                .planned()
                .lookUpByPlan((handle, plan) -> true);
        PlannedOperation<C, String> operation =
                (way.claimsFirst() ? builder : builder.protocol(Operation.Protocol.SINGLE_TRANSACTION)).build();
        pendingOfAnother(key("unplanned"), Protocol.CLAIM_FIRST, Optional.empty());

        Outcome<String> outcome = operation.execute(attempt("unplanned"), () -> "plan", (handle, plan) -> {});

        assertThat(outcome).isInstanceOf(Outcome.InProgress.class);
    }

    @Test
    void lookUpThatIsSetLastCounts() throws Exception {
        TestOperation<C> caller = healing()
                .planned(operation -> operation
                        .lookUpByPlan((handle, plan) -> {
                            throw new AssertionError("looked up by plan");
                        })
                        .lookUpByKey((handle, key) -> Optional.of("result")))
                .build();
        pending();
        effectIsThere();

        assertThat(caller.call(attempt("k"), "another")).isInstanceOf(Outcome.Healed.class);
    }

    @Test
    void interruptedLookUpLeavesTheThreadInterrupted() {
        TestOperation<C> caller = lookingUp(
                        (handle, effect) -> {
                            throw new InterruptedException();
                        },
                        UnaryOperator.identity())
                .build();
        pending();

        boolean interrupted = AnotherThread.get(() -> {
            assertThatThrownBy(() -> caller.call(attempt("k"), "another"))
                    .isInstanceOf(OutcomeUnknownException.class)
                    .hasCauseInstanceOf(InterruptedException.class);
            return Thread.interrupted();
        });

        assertThat(interrupted).isTrue();
    }

    @Test
    void interruptedFollowerHealsAndStaysInterrupted() {
        TestOperation<C> caller = healing().build();
        pending();
        effectIsThere();

        AnotherThread.run(() -> {
            Thread.currentThread().interrupt();
            assertThat(caller.call(attempt("k"), "another")).isInstanceOf(Outcome.Healed.class);
            assertThat(Thread.interrupted()).isTrue();
        });

        assertThat(isSucceeded("k")).isTrue();
    }
}
