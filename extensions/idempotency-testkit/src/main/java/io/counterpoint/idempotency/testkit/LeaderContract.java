package io.counterpoint.idempotency.testkit;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.catchThrowable;

import io.counterpoint.idempotency.Failure;
import io.counterpoint.idempotency.IdempotencyException.OutcomeUnknownException;
import io.counterpoint.idempotency.Outcome;
import io.counterpoint.idempotency.spi.Fault;
import io.counterpoint.idempotency.testkit.FaultyStore.Injected;
import io.counterpoint.idempotency.testkit.FaultyStore.Step;
import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.UUID;
import org.junit.jupiter.api.Test;

/** A leader whose claim stands alone for a while: before its lock, between its runs, and after its commit. */
abstract class LeaderContract<C> extends OperationContractTest<C> {

    LeaderContract(OperationFixture<C> fixture) {
        super(fixture);
    }

    @Test
    void leaderTakenOverBeforeItsLockStandsDown() throws Exception {
        TestOperation<C> caller = caller().build();
        faulty.at(Step.LOCK).before(() -> AnotherThread.run(() -> takeOverAndSucceed(key("k"), "theirs")));

        assertThat(caller.call(attempt("k"), "mine"))
                .isEqualTo(new Outcome.Replayed<>(key("k"), "theirs", Optional.empty()));

        assertThat(caller.runs()).isZero();
        assertThat(effects()).isEmpty();
    }

    @Test
    void staleLeaderWritesNothingWhenItComesBackAfterATakeOver() throws Exception {
        TestOperation<C> stale = caller().build();
        TestOperation<C> taker = anotherCaller()
                .inDatabase(operation -> operation.takeOverAbandonedAfter(Duration.ofNanos(1)))
                .build();
        faulty.at(Step.LOCK)
                .before(() -> AnotherThread.run(() -> {
                    letTimePass(Duration.ofNanos(1000));
                    assertThat(taker.call(attempt("k"), "taker's")).isInstanceOf(Outcome.Executed.class);
                }));

        Outcome<String> outcome = stale.call(attempt("k"), "stale leader's");

        // With a plan, that of the first leader has become true.
        String result = way.planned ? "stale leader's" : "taker's";
        assertThat(outcome).isEqualTo(new Outcome.Replayed<>(key("k"), result, Optional.empty()));
        assertThat(effects()).containsExactly(result);
        assertThat(stale.runs()).isZero();
        assertThat(taker.runs()).isEqualTo(1);
    }

    @Test
    void leaderFailedBeforeItsLockStandsDown() throws Exception {
        TestOperation<C> caller = caller().build();
        faulty.at(Step.LOCK)
                .before(() ->
                        AnotherThread.run(() -> assertThat(failAsAbandoned()).isTrue()));

        assertThat(caller.call(attempt("k"), "mine")).isInstanceOf(Outcome.Rejected.class);

        assertThat(caller.runs()).isZero();
        assertThat(effects()).isEmpty();
    }

    private boolean failAsAbandoned() {
        var record = found(key("k"));
        return changes(transaction ->
                transaction.fail(record.key(), record.token(), failed("k").failure()));
    }

    @Test
    void leaderWhoseClaimWasLostInACrashClaimsAgain() throws Exception {
        TestOperation<C> caller = caller().build();
        faulty.at(Step.LOCK)
                .before(() -> AnotherThread.run(() -> assertThat(forget()).isTrue()));

        assertThat(caller.call(attempt("k"), "result")).isEqualTo(new Outcome.Executed<>(key("k"), "result"));

        assertThat(caller.runs()).isEqualTo(1);
        assertThat(effects()).containsExactly("result");
        assertThat(isSucceeded("k")).isTrue();
    }

    private boolean forget() {
        var record = found(key("k"));
        return changes(transaction -> transaction.release(record.key(), record.token()));
    }

    @Test
    void leaderWhoseClaimAnotherMadeAnewStandsDown() throws Exception {
        TestOperation<C> caller = caller().build();
        faulty.at(Step.LOCK)
                .before(() -> AnotherThread.run(() -> {
                    assertThat(forget()).isTrue();
                    assertThat(anotherCaller().build().call(attempt("k"), "theirs"))
                            .isInstanceOf(Outcome.Executed.class);
                }));

        assertThat(caller.call(attempt("k"), "mine").orElseThrow()).isEqualTo("theirs");

        assertThat(caller.runs()).isZero();
        assertThat(effects()).containsExactly("theirs");
    }

    @Test
    void leaderThatLosesItsKeyAgainAndAgainIsAnswered() throws Exception {
        TestOperation<C> caller = caller().build();
        faulty.at(Step.LOCK)
                .always()
                .before(() -> AnotherThread.run(() -> assertThat(forget()).isTrue()));

        assertThat(caller.call(attempt("k"), "mine")).isInstanceOf(Outcome.InProgress.class);

        assertThat(caller.runs()).isZero();
        assertThat(faulty.calls()).hasSizeLessThan(40);
    }

    @Test
    void lockThatFailsForAPassingReasonIsTriedAgain() throws Exception {
        for (Fault fault : List.of(Fault.CONNECTION_LOST, Fault.CONFLICT, Fault.LOCK_TIMEOUT, Fault.CANCELLED)) {
            TestOperation<C> caller = caller().build();
            String value = fault.name();
            faulty.at(Step.LOCK).fails(fault);

            assertThat(caller.call(attempt(value), value)).isInstanceOf(Outcome.Executed.class);

            assertThat(caller.runs()).isEqualTo(1);
            assertThat(effects()).containsOnlyOnce(value);
        }
    }

    @Test
    void lockThatIsNeverGivenFailsTheAttempt() throws Exception {
        TestOperation<C> caller = caller().build();
        faulty.at(Step.LOCK).always().fails(Fault.LOCK_TIMEOUT);

        Throwable thrown = catchThrowable(() -> caller.call(attempt("k"), "result"));

        assertThat(thrown).isInstanceOf(Injected.class);
        assertThat(isFailed("k")).isTrue();
        assertThat(caller.runs()).isZero();
    }

    @Test
    void connectionThatCannotBeHadForTheNextRunIsTriedAgain() throws Exception {
        TestOperation<C> caller = caller().build();
        faulty.at(Step.COMMIT).fails(Fault.CONFLICT);
        faulty.at(Step.OPEN);
        // For the write that shows that the leader is alive, and for the next run.
        faulty.at(Step.OPEN).fails(Fault.CONNECTION_LOST);
        faulty.at(Step.OPEN).fails(Fault.CONNECTION_LOST);

        assertThat(caller.call(attempt("k"), "result")).isInstanceOf(Outcome.Executed.class);

        assertThat(caller.runs()).isEqualTo(2);
        assertThat(effects()).containsExactly("result");
    }

    @Test
    void leaderGivesASignOfLifeBeforeItRunsAgain() throws Exception {
        TestOperation<C> caller = caller().build();
        faulty.at(Step.COMMIT).fails(Fault.CONFLICT);
        List<Step> before = new ArrayList<>();
        clock.onSleep(pause -> before.addAll(faulty.calls()));

        assertThat(caller.call(attempt("k"), "result")).isInstanceOf(Outcome.Executed.class);

        assertThat(before).endsWith(Step.REPLACE_TOKEN);
        assertThat(faulty.openSessions()).isZero();
    }

    @Test
    void leaderPausesWithoutASession() throws Exception {
        TestOperation<C> caller = caller().build();
        faulty.at(Step.COMMIT).fails(Fault.CONFLICT);
        List<Integer> sessions = new ArrayList<>();
        clock.onSleep(pause -> sessions.add(faulty.openSessions()));

        assertThat(caller.call(attempt("k"), "result")).isInstanceOf(Outcome.Executed.class);

        assertThat(sessions).containsExactly(0);
    }

    @Test
    void leaderTakenOverBetweenItsRunsStandsDown() throws Exception {
        TestOperation<C> caller = caller().build();
        faulty.at(Step.COMMIT).fails(Fault.CONFLICT);
        clock.onSleep(pause -> takeOverAndSucceed(key("k"), "theirs"));

        Outcome<String> outcome = caller.call(attempt("k"), "mine");

        assertThat(outcome.orElseThrow()).isEqualTo("theirs");
        assertThat(outcome.ownFailure())
                .hasValueSatisfying(thrown -> assertThat(thrown).isInstanceOf(Injected.class));
        assertThat(caller.runs()).isEqualTo(1);
        assertThat(effects()).isEmpty();
    }

    @Test
    void leaderTakenOverBeforeItsFailureIsWrittenStandsDown() throws Exception {
        TestOperation<C> caller = caller().build();
        faulty.at(Step.FAIL)
                .before(() ->
                        AnotherThread.run(() -> assertThat(failAsAbandoned()).isTrue()));
        IOException thrown = new IOException("domain");

        Outcome<String> outcome = caller.call(attempt("k"), "mine", effects -> {
            effects.write();
            throw thrown;
        });

        assertThat(outcome)
                .isEqualTo(new Outcome.Rejected<>(key("k"), failed("k").failure(), Optional.of(thrown)));
        assertThat(effects()).isEmpty();
    }

    /** Its claim was there, its work has run, and another may even be carrying out its plan. */
    @Test
    void leaderThatCannotAskWhatBecameOfItsKeyIsNotToldThatNothingWasStarted() {
        TestOperation<C> caller = caller().build();
        faulty.at(Step.FAIL)
                .before(() ->
                        AnotherThread.run(() -> assertThat(failAsAbandoned()).isTrue()));
        faulty.at(Step.OPEN);
        faulty.at(Step.OPEN);
        faulty.at(Step.OPEN).fails(Fault.CONNECTION_LOST);
        IOException thrown = new IOException("domain");

        assertThatThrownBy(() -> caller.call(attempt("k"), "mine", effects -> {
                    throw thrown;
                }))
                .isInstanceOf(OutcomeUnknownException.class)
                .hasCause(thrown);
        assertThat(effects()).isEmpty();
    }

    @Test
    void leaderInDoubtThatWasTakenOverMeanwhileStandsDown() throws Exception {
        TestOperation<C> caller = caller().build();
        faulty.at(Step.COMMIT).fails(Fault.CONNECTION_LOST);
        faulty.at(Step.LOCK);
        faulty.at(Step.LOCK).before(() -> AnotherThread.run(() -> takeOverAndSucceed(key("k"), "theirs")));

        Outcome<String> outcome = caller.call(attempt("k"), "mine");

        assertThat(outcome.orElseThrow()).isEqualTo("theirs");
        assertThat(outcome.ownFailure()).isPresent();
        assertThat(effects()).isEmpty();
    }

    @Test
    void leaderInDoubtWhoseRecordIsGoneDoesNotKnow() {
        TestOperation<C> caller = caller().build();
        faulty.at(Step.COMMIT).fails(Fault.CONNECTION_LOST);
        faulty.at(Step.LOCK);
        faulty.at(Step.LOCK)
                .before(() -> AnotherThread.run(() -> assertThat(forget()).isTrue()));

        assertThatThrownBy(() -> caller.call(attempt("k"), "mine")).isInstanceOf(OutcomeUnknownException.class);
    }

    @Test
    void doubtfulCommitChangesTheTokenBeforeTheWorkRunsAgain() throws Exception {
        TestOperation<C> caller = caller().build();
        List<Object> tokens = new ArrayList<>();
        faulty.at(Step.COMMIT).fails(Fault.CONNECTION_LOST).before(() -> tokens.add(token()));
        faulty.at(Step.COMMIT);
        faulty.at(Step.COMMIT).before(() -> tokens.add(token()));

        assertThat(caller.call(attempt("k"), "result")).isInstanceOf(Outcome.Executed.class);

        assertThat(tokens).hasSize(2).doesNotHaveDuplicates();
    }

    private Object token() {
        return AnotherThread.get(() -> found(key("k")).token());
    }

    @Test
    void releaseIsToldWhenItsAnswerWasLostButItIsDurable() {
        TestOperation<C> caller = caller().inDatabase(operation -> operation.releaseOn(thrown -> true))
                .build();
        faulty.at(Step.RELEASE).losesAnswer();
        IOException thrown = new IOException("domain");

        assertThat(thrownBy(caller, "k", thrown)).isSameAs(thrown);

        assertThat(read(key("k"))).isEmpty();
        assertThat(events.take()).containsExactly("claimed", "released");
    }

    @Test
    void failureWhoseKeyWasTakenOverMeanwhileIsNotTold() throws Exception {
        TestOperation<C> caller = caller().build();
        UUID fresh = UUID.randomUUID();
        faulty.at(Step.FAIL).fails(Fault.CONNECTION_LOST);
        faulty.at(Step.LOCK);
        faulty.at(Step.LOCK)
                .before(() -> AnotherThread.run(() -> assertThat(changes(transaction -> transaction.replaceToken(
                                key("k"), found(key("k")).token(), fresh)))
                        .isTrue()));
        IOException thrown = new IOException("domain");

        Outcome<String> outcome = caller.call(attempt("k"), "result", effects -> {
            throw thrown;
        });

        assertThat(outcome).isInstanceOf(Outcome.InProgress.class);
        assertThat(outcome.ownFailure()).contains(thrown);
        assertThat(found(key("k")).token()).isEqualTo(fresh);
        assertThat(isPending("k")).isTrue();
    }

    @Test
    void releaseOfAKeyThatWasTakenOverMeanwhileIsNotTold() throws Exception {
        TestOperation<C> caller = caller().inDatabase(operation -> operation.releaseOn(IOException.class::isInstance))
                .build();
        UUID fresh = UUID.randomUUID();
        faulty.at(Step.RELEASE).fails(Fault.CONNECTION_LOST);
        faulty.at(Step.LOCK);
        faulty.at(Step.LOCK)
                .before(() -> AnotherThread.run(() -> assertThat(changes(transaction -> transaction.replaceToken(
                                key("k"), found(key("k")).token(), fresh)))
                        .isTrue()));

        Outcome<String> outcome = caller.call(attempt("k"), "result", effects -> {
            throw new IOException("domain");
        });

        assertThat(outcome).isInstanceOf(Outcome.InProgress.class);
        assertThat(isPending("k")).isTrue();
    }

    @Test
    void leaderInDoubtWhoseKeyWasFailedMeanwhileIsRejected() throws Exception {
        TestOperation<C> caller = caller().build();
        Failure gone = new Failure(Failure.ABANDONED, "gone");
        faulty.at(Step.COMMIT).fails(Fault.CONNECTION_LOST);
        faulty.at(Step.LOCK);
        faulty.at(Step.LOCK)
                .before(() -> AnotherThread.run(() -> assertThat(changes(transaction ->
                                transaction.fail(key("k"), found(key("k")).token(), gone)))
                        .isTrue()));

        Outcome<String> outcome = caller.call(attempt("k"), "result");

        assertThat(outcome)
                .isInstanceOfSatisfying(
                        Outcome.Rejected.class,
                        rejected -> assertThat(rejected.failure()).isEqualTo(gone));
        assertThat(caller.runs()).isEqualTo(1);
        assertThat(effects()).isEmpty();
    }
}
