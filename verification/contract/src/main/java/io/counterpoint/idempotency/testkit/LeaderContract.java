package io.counterpoint.idempotency.testkit;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowable;

import io.counterpoint.idempotency.NotStartedException;
import io.counterpoint.idempotency.Operation;
import io.counterpoint.idempotency.Outcome;
import io.counterpoint.idempotency.spi.Fault;
import io.counterpoint.idempotency.testkit.faults.InjectedFault;
import io.counterpoint.idempotency.testkit.faults.StoreCall;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

/** A leader that holds only its claim for a while: before it takes its lock, and between its runs. */
abstract class LeaderContract<C> extends OperationContractTest<C> {

    LeaderContract(OperationFixture<C> fixture) {
        super(fixture);
    }

    @Test
    void leaderTakenOverBeforeItsLockStandsDown() throws Exception {
        TestOperation<C> caller = caller().build();
        faulty.at(StoreCall.LOCK).before(() -> AnotherThread.run(() -> takeOverAndSucceed(key("k"), "theirs")));

        assertThat(caller.call(attempt("k"), "mine")).isEqualTo(new Outcome.Replayed<>(key("k"), "theirs"));

        assertThat(caller.runs()).isZero();
        assertThat(effects()).isEmpty();
    }

    @Test
    void staleLeaderWritesNothingWhenItComesBackAfterATakeOver() throws Exception {
        TestOperation<C> stale = caller().build();
        TestOperation<C> taker = anotherCaller()
                .inDatabase(operation -> operation.whenAbandoned(Operation.Abandoned.TAKE_OVER, Duration.ofNanos(1)))
                .build();
        faulty.at(StoreCall.LOCK)
                .before(() -> AnotherThread.run(() -> {
                    letTimePass(Duration.ofNanos(1000));
                    assertThat(taker.call(attempt("k"), "taker's")).isInstanceOf(Outcome.Executed.class);
                }));

        Outcome<String> outcome = stale.call(attempt("k"), "stale leader's");

        // With a plan, the first leader's plan has been carried out.
        String result = way.planned ? "stale leader's" : "taker's";
        assertThat(outcome).isEqualTo(new Outcome.Replayed<>(key("k"), result));
        assertThat(effects()).containsExactly(result);
        assertThat(stale.runs()).isZero();
        assertThat(taker.runs()).isEqualTo(1);
    }

    @Test
    void leaderFailedBeforeItsLockStandsDown() throws Exception {
        TestOperation<C> caller = caller().build();
        faulty.at(StoreCall.LOCK)
                .before(() -> AnotherThread.run(
                        () -> assertThat(failAsAbandoned(key("k"))).isTrue()));

        assertThat(caller.call(attempt("k"), "mine")).isInstanceOf(Outcome.Rejected.class);

        assertThat(caller.runs()).isZero();
        assertThat(effects()).isEmpty();
    }

    @Test
    void leaderWhoseClaimWasLostInACrashClaimsAgain() throws Exception {
        TestOperation<C> caller = caller().build();
        faulty.at(StoreCall.LOCK)
                .before(() ->
                        AnotherThread.run(() -> assertThat(forget(key("k"))).isTrue()));

        assertThat(caller.call(attempt("k"), "result")).isEqualTo(new Outcome.Executed<>(key("k"), "result"));

        assertThat(caller.runs()).isEqualTo(1);
        assertThat(effects()).containsExactly("result");
        assertThat(isSucceeded("k")).isTrue();
    }

    @Test
    void leaderWhoseClaimAnotherMadeAnewStandsDown() throws Exception {
        TestOperation<C> caller = caller().build();
        faulty.at(StoreCall.LOCK)
                .before(() -> AnotherThread.run(() -> {
                    assertThat(forget(key("k"))).isTrue();
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
        faulty.at(StoreCall.LOCK)
                .always()
                .before(() ->
                        AnotherThread.run(() -> assertThat(forget(key("k"))).isTrue()));

        assertThat(caller.call(attempt("k"), "mine")).isInstanceOf(Outcome.InProgress.class);

        assertThat(caller.runs()).isZero();
        assertThat(faulty.calls()).hasSizeLessThan(40);
    }

    @Test
    void lockThatFailsForAPassingReasonIsTriedAgain() throws Exception {
        for (Fault fault : List.of(Fault.CONNECTION_LOST, Fault.CONFLICT, Fault.LOCK_TIMEOUT, Fault.CANCELLED)) {
            TestOperation<C> caller = caller().build();
            String value = fault.name();
            faulty.at(StoreCall.LOCK).fails(fault);

            assertThat(caller.call(attempt(value), value)).isInstanceOf(Outcome.Executed.class);

            assertThat(caller.runs()).isEqualTo(1);
            assertThat(effects()).containsOnlyOnce(value);
        }
    }

    @Test
    void lockThatIsNeverGivenReleasesTheKey() throws Exception {
        TestOperation<C> caller = caller().build();
        faulty.at(StoreCall.LOCK).always().fails(Fault.LOCK_TIMEOUT);

        Throwable thrown = catchThrowable(() -> caller.call(attempt("k"), "result"));

        assertThat(thrown).isInstanceOf(NotStartedException.class);
        assertThat(read(key("k"))).isEmpty();
        assertThat(caller.runs()).isZero();
    }

    @Test
    void connectionThatCannotBeHadForTheNextRunIsTriedAgain() throws Exception {
        TestOperation<C> caller = caller().build();
        faulty.at(StoreCall.COMMIT).fails(Fault.CONFLICT);
        faulty.at(StoreCall.OPEN);
        // Once for the write that shows that the leader is alive, and once for the next run.
        faulty.at(StoreCall.OPEN).fails(Fault.CONNECTION_LOST);
        faulty.at(StoreCall.OPEN).fails(Fault.CONNECTION_LOST);

        assertThat(caller.call(attempt("k"), "result")).isInstanceOf(Outcome.Executed.class);

        assertThat(caller.runs()).isEqualTo(2);
        assertThat(effects()).containsExactly("result");
    }

    @Test
    void leaderGivesASignOfLifeBeforeItRunsAgain() throws Exception {
        TestOperation<C> caller = caller().build();
        faulty.at(StoreCall.COMMIT).fails(Fault.CONFLICT);
        List<StoreCall> before = new ArrayList<>();
        clock.onSleep(pause -> before.addAll(faulty.calls()));

        assertThat(caller.call(attempt("k"), "result")).isInstanceOf(Outcome.Executed.class);

        assertThat(before).endsWith(StoreCall.REPLACE_TOKEN);
        assertThat(faulty.openSessions()).isZero();
    }

    @Test
    void leaderPausesWithoutASession() throws Exception {
        TestOperation<C> caller = caller().build();
        faulty.at(StoreCall.COMMIT).fails(Fault.CONFLICT);
        List<Integer> sessions = new ArrayList<>();
        clock.onSleep(pause -> sessions.add(faulty.openSessions()));

        assertThat(caller.call(attempt("k"), "result")).isInstanceOf(Outcome.Executed.class);

        assertThat(sessions).containsExactly(0);
    }

    @Test
    void leaderTakenOverBetweenItsRunsStandsDown() throws Exception {
        TestOperation<C> caller = caller().build();
        faulty.at(StoreCall.COMMIT).fails(Fault.CONFLICT);
        clock.onSleep(pause -> takeOverAndSucceed(key("k"), "theirs"));

        Outcome<String> outcome = caller.call(attempt("k"), "mine");

        assertThat(outcome.orElseThrow()).isEqualTo("theirs");
        assertThat(outcome.suppressedFailure())
                .hasValueSatisfying(thrown -> assertThat(thrown).isInstanceOf(InjectedFault.class));
        assertThat(caller.runs()).isEqualTo(1);
        assertThat(effects()).isEmpty();
    }
}
