package io.counterpoint.idempotency.testkit;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowable;

import io.counterpoint.idempotency.Failure;
import io.counterpoint.idempotency.Fingerprint;
import io.counterpoint.idempotency.IdempotencyException.OutcomeUnknownException;
import io.counterpoint.idempotency.Outcome;
import io.counterpoint.idempotency.spi.Fault;
import io.counterpoint.idempotency.spi.IdempotencyRecord.Failed;
import io.counterpoint.idempotency.testkit.FaultyStore.Injected;
import io.counterpoint.idempotency.testkit.FaultyStore.Step;
import java.io.IOException;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.Test;

/** Work in the store's own database that throws: rolled back, recorded, and told as the same object. */
abstract class FailureContract<C> extends OperationContractTest<C> {

    FailureContract(OperationFixture<C> fixture) {
        super(fixture);
    }

    /** The step by which a failure is written. */
    private Step failMark() {
        return way.claimsFirst() ? Step.FAIL : Step.CLAIM;
    }

    /** Arms that step; where it is a claim, the one after the leader's own. */
    private FaultyStore.Point atFailMark() {
        if (!way.claimsFirst()) {
            faulty.at(Step.CLAIM);
        }
        return faulty.at(failMark());
    }

    @Test
    void whateverTheWorkThrowsIsTheSameObjectAndTheAttemptHasFailed() throws Exception {
        TestOperation<C> caller = caller().build();
        for (Throwable thrown : List.of(
                new IOException("checked"), new IllegalArgumentException("unchecked"), new AssertionError("error"))) {
            String code = thrown.getClass().getSimpleName();
            String value = "k-" + code;

            assertThat(thrownBy(caller, value, thrown)).isSameAs(thrown);

            Failed failed = (Failed) found(key(value));
            assertThat(failed)
                    .isEqualTo(new Failed(
                            key(value),
                            way.protocol,
                            failed.token(),
                            Fingerprint.of("request"),
                            new Failure(code, "")));
            assertThat(events.take()).containsExactly("claimed", "failed " + code);
            assertThat(caller.call(attempt(value), "result"))
                    .isEqualTo(new Outcome.Rejected<>(key(value), new Failure(code, ""), Optional.empty()));
            assertThat(events.take()).containsExactly("rejected " + code);
        }
        assertThat(caller.runs()).isEqualTo(3);
        assertThat(effects()).isEmpty();
    }

    @Test
    void interruptedExceptionLeavesTheThreadInterrupted() {
        TestOperation<C> caller = caller().build();
        InterruptedException thrown = new InterruptedException("stop");

        boolean interrupted = AnotherThread.get(() -> {
            assertThat(thrownBy(caller, "k", thrown)).isSameAs(thrown);
            return Thread.interrupted();
        });

        assertThat(interrupted).isTrue();
        assertThat(isFailed("k")).isTrue();
        assertThat(effects()).isEmpty();
    }

    @Test
    void failureIsDescribedAsTheOperationWants() throws Exception {
        Failure declined = new Failure("card-declined", "Use another card.");
        TestOperation<C> caller = caller().inDatabase(operation -> operation.describeFailure(thrown -> declined))
                .build();

        assertThat(thrownBy(caller, "k", new IOException("secret"))).isInstanceOf(IOException.class);

        assertThat(caller.call(attempt("k"), "result"))
                .isEqualTo(new Outcome.Rejected<>(key("k"), declined, Optional.empty()));
    }

    @Test
    void descriptionThatThrowsGivesWayToTheDefault() {
        for (Throwable indescribable : List.of(new IllegalStateException("no"), new AssertionError("no"))) {
            TestOperation<C> caller = caller().inDatabase(operation -> operation.describeFailure(thrown -> {
                        throw OperationContractTest.<RuntimeException>same(indescribable);
                    }))
                    .build();
            String value = indescribable.getClass().getSimpleName();
            IOException thrown = new IOException("domain");

            assertThat(thrownBy(caller, value, thrown)).isSameAs(thrown);

            assertThat(thrown).hasSuppressedException(indescribable);
            assertThat(((Failed) found(key(value))).failure().code()).isEqualTo("IOException");
        }
    }

    @SuppressWarnings("NullAway") // The mistake under test.
    private static Failure nothing() {
        return null;
    }

    @Test
    void descriptionThatIsNullGivesWayToTheDefault() {
        TestOperation<C> caller = caller().inDatabase(operation -> operation.describeFailure(thrown -> nothing()))
                .build();
        IOException thrown = new IOException("domain");

        assertThat(thrownBy(caller, "k", thrown)).isSameAs(thrown);

        assertThat(thrown.getSuppressed()).hasSize(1);
        assertThat(((Failed) found(key("k"))).failure().code()).isEqualTo("IOException");
    }

    @Test
    void releasedKeyCanBeUsedAgain() throws Exception {
        TestOperation<C> caller = caller().inDatabase(
                        operation -> operation.releaseOn(thrown -> thrown instanceof IOException))
                .build();
        IOException thrown = new IOException("passing");

        assertThat(thrownBy(caller, "k", thrown)).isSameAs(thrown);

        assertThat(events.take()).containsExactly("claimed", "released");
        assertThat(read(key("k"))).isEmpty();
        assertThat(caller.call(attempt("k"), "result")).isInstanceOf(Outcome.Executed.class);
        assertThat(effects()).containsExactly("result");
        assertThat(thrownBy(caller, "other", new IllegalStateException())).isInstanceOf(IllegalStateException.class);
        assertThat(isFailed("other")).isTrue();
    }

    @Test
    void releaseThatCannotBeDecidedIsNone() {
        for (Throwable undecided : List.of(new IllegalStateException("undecided"), new AssertionError("undecided"))) {
            TestOperation<C> caller = caller().inDatabase(operation -> operation.releaseOn(thrown -> {
                        throw OperationContractTest.<RuntimeException>same(undecided);
                    }))
                    .build();
            String value = undecided.getClass().getSimpleName();
            IOException thrown = new IOException("domain");

            assertThat(thrownBy(caller, value, thrown)).isSameAs(thrown);

            assertThat(thrown).hasSuppressedException(undecided);
            assertThat(isFailed(value)).isTrue();
        }
    }

    @Test
    void planThatCannotBeMadeStartsNothing() {
        TestOperation<C> caller = caller().build();
        IllegalStateException thrown = new IllegalStateException("no identifiers left");

        assertThat(catchThrowable(() -> caller.call(
                        attempt("k"),
                        () -> {
                            throw thrown;
                        },
                        TestOperation.Effects::write)))
                .isSameAs(thrown);

        // Without a plan it is the work that throws.
        assertThat(read(key("k")).isPresent()).isEqualTo(!way.planned);
    }

    @Test
    void workThatMeetsAPassingFaultRunsAgainAndHasItsEffectOnce() throws Exception {
        for (Fault fault : List.of(Fault.CONFLICT, Fault.LOCK_TIMEOUT, Fault.CANCELLED, Fault.CONNECTION_LOST)) {
            TestOperation<C> caller = caller().build();
            String value = fault.name();

            Outcome<String> outcome = caller.call(attempt(value), value, effects -> {
                effects.write();
                if (caller.runs() <= 2) {
                    throw new Injected(fault);
                }
            });

            assertThat(outcome).isEqualTo(new Outcome.Executed<>(key(value), value));
            assertThat(caller.runs()).isEqualTo(3);
            assertThat(caller.plans()).isEqualTo(way.planned ? 1 : 0);
            assertThat(effects()).containsOnlyOnce(value);
            assertThat(isSucceeded(value)).isTrue();
        }
        assertThat(effects()).hasSize(4);
        assertThat(events.take()).filteredOn("run again"::equals).hasSize(8);
        assertThat(clock.sleeps())
                .hasSize(8)
                .allSatisfy(pause -> assertThat(pause).isPositive().isLessThanOrEqualTo(Duration.ofSeconds(1)));
    }

    @Test
    void reRunsAreBoundedAndThenTheAttemptHasFailed() throws Exception {
        TestOperation<C> caller =
                caller().inDatabase(operation -> operation.retries(2)).build();
        Injected conflict = new Injected(Fault.CONFLICT);

        assertThat(thrownBy(caller, "k", conflict)).isSameAs(conflict);

        assertThat(caller.runs()).isEqualTo(3);
        assertThat(caller.call(attempt("k"), "result")).isInstanceOf(Outcome.Rejected.class);
        assertThat(effects()).isEmpty();
    }

    @Test
    void reRunsThatAreUsedUpReleaseWhereTheOperationWants() throws Exception {
        TestOperation<C> caller = caller().inDatabase(
                        operation -> operation.retries(0).releaseOn(thrown -> thrown instanceof Injected))
                .build();
        Injected conflict = new Injected(Fault.CONFLICT);

        assertThat(thrownBy(caller, "k", conflict)).isSameAs(conflict);

        assertThat(caller.runs()).isEqualTo(1);
        assertThat(caller.call(attempt("k"), "result")).isInstanceOf(Outcome.Executed.class);
    }

    @Test
    void workThatIsRefusedByTheDatabaseIsNotRunAgain() {
        for (Fault fault : List.of(Fault.STATEMENT_REFUSED, Fault.UNRECOGNISED)) {
            TestOperation<C> caller = caller().build();
            Injected thrown = new Injected(fault);

            assertThat(thrownBy(caller, fault.name(), thrown)).isSameAs(thrown);

            assertThat(caller.runs()).isEqualTo(1);
            assertThat(isFailed(fault.name())).isTrue();
        }
        assertThat(effects()).isEmpty();
    }

    @Test
    void lastStepThatIsRefusedRollsTheWorkBack() {
        TestOperation<C> caller =
                caller().inDatabase(operation -> operation.retries(0)).build();
        faulty.at(way == ProtocolVariant.SINGLE_TRANSACTION_PLANNED ? Step.COMMIT : Step.SUCCEED)
                .fails(Fault.STATEMENT_REFUSED);

        Throwable thrown = catchThrowable(() -> caller.call(attempt("k"), "result"));

        assertThat(thrown).isInstanceOf(Injected.class);
        assertThat(effects()).isEmpty();
        assertThat(isFailed("k")).isTrue();
    }

    @Test
    void failureIsToldWhenItsAnswerWasLostButItIsDurable() {
        TestOperation<C> caller = caller().build();
        atFailMark().losesAnswer();
        IOException thrown = new IOException("domain");

        assertThat(thrownBy(caller, "k", thrown)).isSameAs(thrown);

        assertThat(isFailed("k")).isTrue();
        assertThat(events.take()).containsExactly("claimed", "failed IOException");
    }

    @Test
    void failureIsWrittenAgainWhenItWasNotDone() {
        for (Fault fault : List.of(Fault.CONNECTION_LOST, Fault.CONFLICT, Fault.LOCK_TIMEOUT, Fault.CANCELLED)) {
            TestOperation<C> caller = caller().build();
            atFailMark().fails(fault);
            IOException thrown = new IOException("domain");

            assertThat(thrownBy(caller, fault.name(), thrown)).isSameAs(thrown);

            assertThat(isFailed(fault.name())).isTrue();
            assertThat(caller.runs()).isEqualTo(1);
        }
    }

    @Test
    void failureThatCannotBeWrittenIsNotTold() throws Exception {
        for (Fault fault :
                List.of(Fault.CONNECTION_LOST, Fault.CONFLICT, Fault.STATEMENT_REFUSED, Fault.UNRECOGNISED)) {
            TestOperation<C> caller = caller().build();
            atFailMark().always().fails(fault);
            IOException thrown = new IOException("domain");

            Throwable told = thrownBy(caller, fault.name(), thrown);

            assertThat(told).isInstanceOf(OutcomeUnknownException.class);
            assertThat(told.getCause()).isSameAs(thrown);
            assertThat(thrown.getSuppressed()).hasAtLeastOneElementOfType(Injected.class);
            assertThat(read(key(fault.name())).isPresent()).isEqualTo(way.claimsFirst());
            assertThat(events.take()).containsExactly("claimed");
            faulty.disarm();
        }
        assertThat(effects()).isEmpty();
    }

    /** However long its work took: the longest wait begins with the step that is not answered. */
    @Test
    void failureOfALongRunWhoseKeyAnotherHasCompletedIsAttachedToThatAnswer() throws Exception {
        TestOperation<C> caller = caller().build();
        IOException thrown = new IOException("domain");

        Outcome<String> outcome = caller.call(attempt("k"), "mine", effects -> {
            clock.advance(Duration.ofMinutes(10));
            faulty.at(failMark())
                    .before(() -> AnotherThread.run(() -> {
                        if (way.claimsFirst()) {
                            takeOverAndSucceed(key("k"), "theirs");
                        } else {
                            assertThat(anotherCaller().build().call(attempt("k"), "theirs"))
                                    .isInstanceOf(Outcome.Executed.class);
                        }
                    }));
            throw thrown;
        });

        assertThat(outcome).isEqualTo(new Outcome.Replayed<>(key("k"), "theirs", Optional.of(thrown)));
    }

    @Test
    void failureOfALeaderWhoseKeyAnotherHasCompletedIsAttachedToThatAnswer() throws Exception {
        TestOperation<C> caller = caller().build();
        atFailMark()
                .before(() -> AnotherThread.run(() -> {
                    if (way.claimsFirst()) {
                        takeOverAndSucceed(key("k"), "theirs");
                    } else {
                        assertThat(anotherCaller().build().call(attempt("k"), "theirs"))
                                .isInstanceOf(Outcome.Executed.class);
                    }
                }));
        IOException thrown = new IOException("domain");

        Outcome<String> outcome = caller.call(attempt("k"), "mine", effects -> {
            effects.write();
            throw thrown;
        });

        assertThat(outcome).isEqualTo(new Outcome.Replayed<>(key("k"), "theirs", Optional.of(thrown)));
        assertThat(outcome.ownFailure()).containsSame(thrown);
        assertThat(effects()).doesNotContain("mine");
        assertThat(caller.runs()).isEqualTo(1);
    }

    private FaultyStore.Point atLockOfTheNextTry() {
        if (way.claimsFirst()) {
            faulty.at(Step.LOCK);
        }
        return faulty.at(Step.LOCK);
    }

    @Test
    void failureOfAKeyThatAnotherLedMeanwhileIsNotTold() throws Exception {
        TestOperation<C> caller = caller().build();
        TestOperation<C> another = anotherCaller().build();
        IOException thrown = new IOException("domain");
        atFailMark().fails(Fault.CONNECTION_LOST);
        atLockOfTheNextTry()
                .before(() -> AnotherThread.run(() -> {
                    if (way.claimsFirst()) {
                        takeOverAndSucceed(key("k"), "theirs");
                    } else {
                        assertThat(another.call(attempt("k"), "theirs")).isInstanceOf(Outcome.Executed.class);
                    }
                }));

        Outcome<String> outcome = caller.call(attempt("k"), "mine", effects -> {
            throw thrown;
        });

        assertThat(outcome).isEqualTo(new Outcome.Replayed<>(key("k"), "theirs", Optional.of(thrown)));
        assertThat(events.take()).doesNotContain("failed IOException");
    }
}
