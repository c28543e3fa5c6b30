package io.counterpoint.idempotency.testkit;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.counterpoint.idempotency.Failure;
import io.counterpoint.idempotency.Outcome;
import io.counterpoint.idempotency.OutcomeUnknownException;
import io.counterpoint.idempotency.spi.Fault;
import io.counterpoint.idempotency.spi.LockScope;
import io.counterpoint.idempotency.testkit.faults.StoreCall;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.UUID;
import org.junit.jupiter.api.Test;

/** A leader after its work: its commit, failure or release, if another caller changes the record meanwhile. */
abstract class LeaderOutcomeContract<C> extends OperationContractTest<C> {

    LeaderOutcomeContract(OperationFixture<C> fixture) {
        super(fixture);
    }

    @Test
    void leaderTakenOverBeforeItsFailureIsWrittenStandsDown() throws Exception {
        TestOperation<C> caller = caller().build();
        faulty.at(StoreCall.FAIL)
                .before(() -> AnotherThread.run(
                        () -> assertThat(failAsAbandoned(key("k"))).isTrue()));
        IOException thrown = new IOException("domain");

        Outcome<String> outcome = caller.call(attempt("k"), "mine", effects -> {
            effects.write();
            throw thrown;
        });

        assertThat(outcome)
                .isEqualTo(new Outcome.Rejected<>(key("k"), failed("k").failure()));
        assertThat(outcome.suppressedFailure()).containsSame(thrown);
        assertThat(effects()).isEmpty();
    }

    /** Its claim existed and its work has run, and another caller may even be carrying out its plan. */
    @Test
    void leaderThatCannotAskAboutItsKeyDoesNotKnow() {
        TestOperation<C> caller = caller().build();
        faulty.at(StoreCall.FAIL)
                .before(() -> AnotherThread.run(
                        () -> assertThat(failAsAbandoned(key("k"))).isTrue()));
        faulty.third(StoreCall.OPEN).fails(Fault.CONNECTION_LOST);
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
        faulty.at(StoreCall.COMMIT).fails(Fault.CONNECTION_LOST);
        faulty.second(StoreCall.LOCK).before(() -> AnotherThread.run(() -> takeOverAndSucceed(key("k"), "theirs")));

        Outcome<String> outcome = caller.call(attempt("k"), "mine");

        assertThat(outcome.orElseThrow()).isEqualTo("theirs");
        assertThat(outcome.suppressedFailure()).isPresent();
        assertThat(effects()).isEmpty();
    }

    @Test
    void leaderInDoubtWhoseRecordIsGoneDoesNotKnow() {
        TestOperation<C> caller = caller().build();
        faulty.at(StoreCall.COMMIT).fails(Fault.CONNECTION_LOST);
        faulty.second(StoreCall.LOCK)
                .before(() ->
                        AnotherThread.run(() -> assertThat(forget(key("k"))).isTrue()));

        assertThatThrownBy(() -> caller.call(attempt("k"), "mine")).isInstanceOf(OutcomeUnknownException.class);
    }

    @Test
    void doubtfulCommitChangesTheTokenBeforeTheWorkRunsAgain() throws Exception {
        TestOperation<C> caller = caller().build();
        List<Object> tokens = new ArrayList<>();
        faulty.at(StoreCall.COMMIT).fails(Fault.CONNECTION_LOST).before(() -> tokens.add(token()));
        faulty.second(StoreCall.COMMIT).before(() -> tokens.add(token()));

        assertThat(caller.call(attempt("k"), "result")).isInstanceOf(Outcome.Executed.class);

        assertThat(tokens).hasSize(2).doesNotHaveDuplicates();
    }

    private Object token() {
        return AnotherThread.get(() -> found(key("k")).token());
    }

    @Test
    void releaseWithALostAnswerIsReportedOnceItIsDurable() {
        TestOperation<C> caller = caller().inDatabase(operation -> operation.releaseOn(thrown -> true))
                .build();
        faulty.at(StoreCall.RELEASE).losesAnswer();
        IOException thrown = new IOException("domain");

        assertThat(thrownBy(caller, "k", thrown)).isSameAs(thrown);

        requireReleasedAfterALostAnswer("k");
        assertThat(events.take())
                .containsExactly("claimed", store.lockScope() == LockScope.GLOBAL ? "released" : "failed IOException");
    }

    @Test
    void failureWhoseKeyWasTakenOverMeanwhileIsNotThrown() throws Exception {
        TestOperation<C> caller = caller().build();
        UUID fresh = UUID.randomUUID();
        faulty.at(StoreCall.FAIL).fails(Fault.CONNECTION_LOST);
        faulty.second(StoreCall.LOCK)
                .before(() -> AnotherThread.run(() -> assertThat(changes(transaction -> transaction.replaceToken(
                                key("k"), found(key("k")).token(), fresh)))
                        .isTrue()));
        IOException thrown = new IOException("domain");

        Outcome<String> outcome = caller.call(attempt("k"), "result", effects -> {
            throw thrown;
        });

        assertThat(outcome).isInstanceOf(Outcome.InProgress.class);
        assertThat(outcome.suppressedFailure()).contains(thrown);
        assertThat(found(key("k")).token()).isEqualTo(fresh);
        assertThat(isPending("k")).isTrue();
    }

    @Test
    void releaseOfAKeyThatWasTakenOverMeanwhileIsNotReported() throws Exception {
        TestOperation<C> caller = caller().inDatabase(operation -> operation.releaseOn(IOException.class::isInstance))
                .build();
        UUID fresh = UUID.randomUUID();
        faulty.at(StoreCall.RELEASE).fails(Fault.CONNECTION_LOST);
        faulty.second(StoreCall.LOCK)
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
        faulty.at(StoreCall.COMMIT).fails(Fault.CONNECTION_LOST);
        faulty.second(StoreCall.LOCK)
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

    /** A promoted standby may lack the failure that the leader has read. */
    @Test
    void failureThatReplacedALeaderInDoubtIsNotReturnedBeforeItIsConfirmed() {
        TestOperation<C> caller = caller().build();
        faulty.at(StoreCall.COMMIT).fails(Fault.CONNECTION_LOST);
        faulty.second(StoreCall.LOCK)
                .before(() -> AnotherThread.run(
                        () -> assertThat(failAsAbandoned(key("k"))).isTrue()));
        faulty.at(StoreCall.CONFIRM).always().fails(Fault.CONNECTION_LOST);

        assertThatThrownBy(() -> caller.call(attempt("k"), "result")).isInstanceOf(OutcomeUnknownException.class);

        assertThat(isFailed("k")).isTrue();
        assertThat(effects()).isEmpty();
    }
}
