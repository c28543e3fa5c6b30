package io.counterpoint.idempotency.testkit;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.counterpoint.idempotency.NotStartedException;
import io.counterpoint.idempotency.Outcome;
import io.counterpoint.idempotency.OutcomeUnknownException;
import io.counterpoint.idempotency.spi.Fault;
import io.counterpoint.idempotency.testkit.faults.InjectedFault;
import io.counterpoint.idempotency.testkit.faults.StoreCall;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.Test;

/** Faults during the claim: the caller leads once, nothing has begun, or the caller learns that this is unknown. */
abstract class ClaimFaultContract<C> extends OperationContractTest<C> {

    ClaimFaultContract(OperationFixture<C> fixture) {
        super(fixture);
    }

    private void executesOnce(String value) throws Exception {
        TestOperation<C> caller = caller().build();

        assertThat(caller.call(attempt(value), value)).isEqualTo(new Outcome.Executed<>(key(value), value));

        assertThat(caller.runs()).isEqualTo(1);
        assertThat(effects()).containsOnlyOnce(value);
        assertThat(isSucceeded(value)).isTrue();
        assertThat(events.take()).containsExactly("claimed", "succeeded");
    }

    @Test
    void callerWhoseClaimArrivedUnansweredLeadsOnce() throws Exception {
        faulty.at(StoreCall.CLAIM).losesAnswer();

        executesOnce("k");
    }

    @Test
    void callerWhoseClaimsArrivedOrNotLeadsOnce() throws Exception {
        faulty.at(StoreCall.CLAIM).fails(Fault.CONNECTION_LOST);
        faulty.at(StoreCall.CLAIM).losesAnswer();
        faulty.at(StoreCall.CLAIM).fails(Fault.CONNECTION_LOST);

        executesOnce("k");
    }

    @Test
    void claimThatWasRolledBackForAPassingReasonIsMadeAgain() throws Exception {
        for (Fault fault : List.of(Fault.CONNECTION_LOST, Fault.CONFLICT, Fault.CANCELLED)) {
            faulty.at(StoreCall.CLAIM).fails(fault);

            executesOnce(fault.name());
        }
    }

    @Test
    void claimThatIsRefusedHasStartedNothing() throws Exception {
        TestOperation<C> caller = caller().build();
        faulty.at(StoreCall.CLAIM).fails(Fault.STATEMENT_REFUSED);

        assertThatThrownBy(() -> caller.call(attempt("k"), "k"))
                .isInstanceOf(NotStartedException.class)
                .hasCauseInstanceOf(InjectedFault.class);

        assertThat(read(key("k"))).isEmpty();
        assertThat(caller.runs()).isZero();
        executesOnce("k");
    }

    @Test
    void claimThatIsRolledBackForEverHasStartedNothing() throws Exception {
        for (Fault fault : List.of(Fault.CONFLICT, Fault.CANCELLED)) {
            TestOperation<C> caller = caller().build();
            faulty.at(StoreCall.CLAIM).always().fails(fault);

            assertThatThrownBy(() -> caller.call(attempt(fault.name()), "k"))
                    .isInstanceOf(NotStartedException.class)
                    .hasCauseInstanceOf(InjectedFault.class);

            faulty.disarm();
            executesOnce(fault.name());
        }
    }

    @Test
    void callerWithoutAConnectionHasStartedNothing() throws Exception {
        for (Fault fault : List.of(Fault.CONNECTION_LOST, Fault.STATEMENT_REFUSED, Fault.UNRECOGNISED)) {
            TestOperation<C> caller = caller().build();
            faulty.at(StoreCall.OPEN).fails(fault);

            assertThatThrownBy(() -> caller.call(attempt(fault.name()), "k"))
                    .isInstanceOf(NotStartedException.class)
                    .hasCauseInstanceOf(InjectedFault.class);

            assertThat(read(key(fault.name()))).isEmpty();
            assertThat(caller.runs()).isZero();
            executesOnce(fault.name());
        }
    }

    @Test
    void claimThatWaitsInVainIsAnsweredByInProgress() throws Exception {
        TestOperation<C> caller = caller().inDatabase(operation -> operation.waitAtMost(Duration.ofMillis(5)))
                .build();
        faulty.at(StoreCall.CLAIM).always().fails(Fault.LOCK_TIMEOUT);

        assertThat(caller.call(attempt("k"), "k"))
                .isEqualTo(new Outcome.InProgress<>(key("k"), Duration.ZERO, endingOfALeader()));

        assertThat(caller.runs()).isZero();
        assertThat(events.take()).containsExactly("in progress");
        faulty.disarm();
        executesOnce("k");
    }

    @Test
    void callerThatIsNeverAnsweredDoesNotKnow() throws Exception {
        TestOperation<C> caller = caller().build();
        faulty.at(StoreCall.CLAIM).always().losesAnswer();

        if (way.claimsFirst()) {
            assertThatThrownBy(() -> caller.call(attempt("k"), "k"))
                    .isInstanceOf(OutcomeUnknownException.class)
                    .hasCauseInstanceOf(InjectedFault.class);
            assertThat(isPending("k")).isTrue();
        } else {
            // The commit of such a claim was never sent.
            assertThatThrownBy(() -> caller.call(attempt("k"), "k")).isInstanceOf(NotStartedException.class);
            assertThat(read(key("k"))).isEmpty();
        }
        assertThat(caller.runs()).isZero();
        assertThat(faulty.calls()).hasSizeLessThan(60);
    }

    @Test
    void callerWhoseClaimDidNotArriveFollowsTheFirstCaller() throws Exception {
        TestOperation<C> caller = caller().build();
        TestOperation<C> another = anotherCaller().build();
        faulty.at(StoreCall.CLAIM).fails(Fault.CONNECTION_LOST);
        faulty.at(StoreCall.CLAIM)
                .before(() -> AnotherThread.run(
                        () -> assertThat(another.call(attempt("k"), "theirs")).isInstanceOf(Outcome.Executed.class)));

        assertThat(caller.call(attempt("k"), "mine")).isEqualTo(new Outcome.Replayed<>(key("k"), "theirs"));

        assertThat(caller.runs()).isZero();
        assertThat(effects()).containsExactly("theirs");
    }

    @Test
    void claimIsTriedSixTimesWithALongerPauseBeforeEachTry() {
        TestOperation<C> caller = caller().build();
        faulty.at(StoreCall.CLAIM).always().fails(Fault.CONFLICT);

        assertThatThrownBy(() -> caller.call(attempt("k"), "k")).isInstanceOf(NotStartedException.class);

        assertThat(faulty.calls()).filteredOn(StoreCall.CLAIM::equals).hasSize(6);
        assertThat(clock.sleeps()).hasSize(5);
        for (int i = 0; i < 5; i++) {
            Duration longest = Duration.ofMillis(10L << i);
            assertThat(clock.sleeps().get(i)).isBetween(longest.dividedBy(2), longest);
        }
    }
}
