package io.counterpoint.idempotency.testkit;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.counterpoint.idempotency.Idempotency;
import io.counterpoint.idempotency.IdempotencyException.Reason;
import io.counterpoint.idempotency.MisuseException;
import io.counterpoint.idempotency.Outcome;
import io.counterpoint.idempotency.OutcomeUnknownException;
import io.counterpoint.idempotency.spi.Fault;
import io.counterpoint.idempotency.spi.IdempotencyRecord.Pending;
import io.counterpoint.idempotency.spi.IdempotencyRecord.Protocol;
import io.counterpoint.idempotency.spi.LockScope;
import io.counterpoint.idempotency.testkit.faults.InjectedFault;
import io.counterpoint.idempotency.testkit.faults.StoreCall;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.atomic.AtomicBoolean;
import org.junit.jupiter.api.Test;

/**
 * What may go wrong between a charge and its booking. There is never a second charge, a second booking or a denial of
 * the first.
 */
abstract class FollowUpFaultContract<C> extends FollowUpContractTest<C> {

    FollowUpFaultContract(OperationFixture<C> fixture) {
        super(fixture);
    }

    // ---- rule 4: a follow-up that fails --------------------------------------------------------------------------

    @Test
    void followUpThatFailsIsOwedAndTheNextCallDoesNothingElse() throws Exception {
        IllegalStateException thrown = new IllegalStateException("no such order");
        beforeBooking = () -> {
            throw thrown;
        };
        assertUnknown(Reason.FOLLOW_UP_OWED, thrown, () -> pay(payment()));
        assertThat(protocolOfTheRecord()).isEqualTo(Protocol.FOLLOW_UP_OWED);
        assertThat(events.take()).contains("follow up owed");
        assertThat(followUps).hasValue(1);
        assertThat(bookings()).isEmpty();
        int lookUps = remote.lookUps();

        assertUnknown(Reason.FOLLOW_UP_OWED, thrown, () -> pay(another()));
        assertUnknown(Reason.FOLLOW_UP_OWED, thrown, () -> another().build().settle(key("k")));
        beforeBooking = () -> true;
        assertThat(pay(another())).isEqualTo(new Outcome.Healed<>(key("k"), "paid"));

        requireBookedOnce();
        assertThat(charges).hasValue(1);
        assertThat(remote.lookUps()).isEqualTo(lookUps);
    }

    @Test
    void effectThatIsKnownCannotBeResolvedAsFailed() throws Exception {
        for (Protocol protocol : List.of(Protocol.FOLLOW_UP_OWED, Protocol.FOLLOW_UP_BROKEN)) {
            Pending record = claimed(protocol);

            assertThatThrownBy(() -> payment().build().resolveFailed(key("k"), DECLINED))
                    .isInstanceOf(MisuseException.class)
                    .hasMessageContaining("is known to have taken effect");

            assertThat(record("k")).isEqualTo(record);
            assertThat(forget(key("k"))).isTrue();
        }
    }

    @Test
    void operatorWhoSaysWhatIsKnownBooksWhatIsKnown() throws Exception {
        Pending unused = claimed(Protocol.FOLLOW_UP_OWED);

        assertThat(payment().build().resolveSucceeded(key("k"), "something else"))
                .contains(new Outcome.Replayed<>(key("k"), "paid"));

        requireBookedOnce();
    }

    /** Another process has run the follow-up by the time this one stores what it knows. */
    @Test
    void followUpThatAnotherProcessHasRunIsNotOwed() throws Exception {
        IllegalStateException thrown = new IllegalStateException("no such order");
        beforeBooking = () -> {
            throw thrown;
        };
        faulty.at(StoreCall.CHANGE_PROTOCOL).before(() -> {
            beforeBooking = () -> true;
            assertThat(AnotherThread.get(() -> pay(another()))).isEqualTo(new Outcome.Healed<>(key("k"), "paid"));
        });

        Outcome<String> outcome = pay(payment());

        assertThat(outcome).isEqualTo(new Outcome.Executed<>(key("k"), "paid"));
        assertThat(outcome.suppressedFailure()).containsSame(thrown);
        assertThat(followUps).hasValue(2);
        requireBookedOnce();
    }

    @Test
    void faultsThatPassLetTheFollowUpRunAgain() throws Exception {
        AtomicBoolean first = new AtomicBoolean(true);
        beforeBooking = () -> {
            if (first.getAndSet(false)) {
                throw new InjectedFault(Fault.CONFLICT);
            }
            return true;
        };
        assertThat(pay(payment())).isEqualTo(new Outcome.Executed<>(key("k"), "paid"));

        assertThat(followUps).hasValue(2);
        requireBookedOnce();
    }

    @Test
    void faultsThatDoNotPassEndAfterTheRetries() throws Exception {
        beforeBooking = () -> {
            throw new InjectedFault(Fault.CONFLICT);
        };
        var payment = withFollowUp(Idempotency.builder(faulty).clock(clock)).maxRetries(2);

        assertUnknown(Reason.FOLLOW_UP_OWED, null, () -> pay(payment));

        assertThat(followUps).hasValue(3);
        assertThat(bookings()).isEmpty();
    }

    /** A follower has seen the effect, so the leader's claim that there is none no longer counts. */
    @Test
    void leaderCannotDenyAnEffectThatIsKnown() throws Exception {
        beforeBooking = () -> {
            throw new IllegalStateException("no such order");
        };
        NotSent denial = new NotSent();

        assertThatThrownBy(() -> pay(payment(), attempt("k"), () -> {
                    assertUnknown(Reason.FOLLOW_UP_OWED, null, () -> AnotherThread.get(() -> pay(another())));
                    throw denial;
                }))
                .isInstanceOf(OutcomeUnknownException.class)
                .returns(Reason.FOLLOW_UP_OWED, thrown -> ((OutcomeUnknownException) thrown).reason());

        beforeBooking = () -> true;
        assertThat(pay(another())).isEqualTo(new Outcome.Healed<>(key("k"), "paid"));
        requireBookedOnce();
    }

    @Test
    void resultThatCannotBeStoredIsBookedAllTheSame() throws Exception {
        var payment = withFollowUp(Idempotency.builder(faulty).clock(clock)).maxResultBytes(1);

        assertThat(pay(payment)).isEqualTo(new Outcome.Executed<>(key("k"), "paid"));

        assertThat(bookings()).containsExactly("paid");
        assertThat(pay(payment)).isEqualTo(new Outcome.Replayed<>(key("k"), "paid"));
        assertThat(bookings()).containsExactly("paid");
    }

    @Test
    void resultThatCannotBeStoredIsLookedUpForWhatIsOwed() throws Exception {
        var payment = withFollowUp(Idempotency.builder(faulty).clock(clock)).maxResultBytes(1);
        beforeBooking = () -> {
            throw new IllegalStateException("no such order");
        };
        assertUnknown(Reason.FOLLOW_UP_OWED, null, () -> pay(payment));
        assertThatThrownBy(() -> payment.build().resolveFailed(key("k"), DECLINED))
                .isInstanceOf(MisuseException.class);
        beforeBooking = () -> true;

        assertThat(pay(payment)).isEqualTo(new Outcome.Healed<>(key("k"), "paid"));

        assertThat(bookings()).containsExactly("paid");
        assertThat(charges).hasValue(1);
    }

    /**
     * The database is unavailable for a while: what is known is stored as soon as it is back, and the follow-up runs.
     */
    @Test
    void outageAfterTheEffectIsSatOut() throws Exception {
        assertThat(pay(payment(), attempt("k"), () -> {
                    for (int i = 0; i < 4; i++) {
                        faulty.at(StoreCall.OPEN).fails(Fault.CONNECTION_LOST);
                    }
                    return true;
                }))
                .isEqualTo(new Outcome.Executed<>(key("k"), "paid"));

        requireBookedOnce();
        assertThat(remote.lookUps()).isZero();
    }

    // ---- rule 3: commits without an answer -----------------------------------------------------------------------

    @Test
    void commitThatArrivedWithoutAnAnswerIsBookedOnce() throws Exception {
        faulty.at(StoreCall.COMMIT).losesAnswer();

        assertThat(pay(payment())).isEqualTo(new Outcome.Executed<>(key("k"), "paid"));

        assertThat(followUps).hasValue(1);
        requireBookedOnce();
    }

    @Test
    void commitThatDidNotArriveIsRunAgain() throws Exception {
        faulty.at(StoreCall.COMMIT).fails(Fault.CONNECTION_LOST);

        assertThat(pay(payment())).isEqualTo(new Outcome.Executed<>(key("k"), "paid"));

        assertThat(followUps).hasValue(2);
        requireBookedOnce();
    }

    @Test
    void followersCommitThatDidNotArriveIsRunAgain() throws Exception {
        Pending unused = charged();
        faulty.at(StoreCall.COMMIT).fails(Fault.CONNECTION_LOST);

        assertThat(pay(payment())).isEqualTo(new Outcome.Healed<>(key("k"), "paid"));

        assertThat(followUps).hasValue(2);
        requireBookedOnce();
    }

    @Test
    void followersCommitThatArrivedWithoutAnAnswerIsBookedOnce() throws Exception {
        Pending unused = charged();
        faulty.at(StoreCall.COMMIT).losesAnswer();

        assertThat(pay(payment())).isEqualTo(new Outcome.Healed<>(key("k"), "paid"));

        assertThat(followUps).hasValue(1);
        requireBookedOnce();
    }

    @Test
    void commitThatCannotBeResolvedIsOwed() throws Exception {
        for (boolean arrives : List.of(true, false)) {
            String value = "arrives-" + arrives;
            faulty.at(StoreCall.COMMIT)
                    .after(() -> faulty.at(StoreCall.OPEN).always().fails(Fault.CONNECTION_LOST));
            faulty.disarm();
            var commit = faulty.at(StoreCall.COMMIT)
                    .before(() -> faulty.at(StoreCall.OPEN).always().fails(Fault.CONNECTION_LOST));
            Object unused = arrives ? commit.losesAnswer() : commit.fails(Fault.CONNECTION_LOST);

            assertUnknown(Reason.FOLLOW_UP_OWED, null, () -> pay(payment(), attempt(value), () -> true));
            faulty.disarm();

            assertThat(pay(payment(), attempt(value), () -> true).orElseThrow()).isEqualTo("paid");
            assertThat(pay(payment(), attempt(value), () -> true))
                    .isEqualTo(new Outcome.Replayed<>(key(value), "paid"));
        }
        assertThat(bookings()).containsExactly("paid", "paid");
        assertThat(charges).hasValue(2);
    }

    /** What is known was written, but the reply was lost; the call finds its own record. */
    @Test
    void answerThatIsLostToWhatIsKnownChangesNothing() throws Exception {
        for (boolean arrives : List.of(true, false)) {
            String value = "arrives-" + arrives;
            AtomicBoolean first = new AtomicBoolean(true);
            beforeBooking = () -> {
                if (first.getAndSet(false)) {
                    throw new InjectedFault(Fault.CONFLICT);
                }
                return true;
            };
            var known = faulty.at(StoreCall.CHANGE_PROTOCOL);
            Object unused = arrives ? known.losesAnswer() : known.fails(Fault.CONNECTION_LOST);

            assertThat(pay(payment(), attempt(value), () -> true).orElseThrow()).isEqualTo("paid");
        }
        assertThat(bookings()).containsExactly("paid", "paid");
        assertThat(charges).hasValue(2);
    }

    // ---- rule 5: a follow-up that ends its transaction -----------------------------------------------------------

    @Test
    void leadersFollowUpThatEndsItsTransactionIsForAnOperator() {
        requireForAnOperator();
    }

    @Test
    void followersFollowUpThatEndsItsTransactionIsForAnOperator() {
        Pending unused = charged();
        requireForAnOperator();
    }

    /** If locks are local, another node may have ended the transaction, so the follow-up runs again. */
    private void requireForAnOperator() {
        if (store.lockScope() == LockScope.NODE) {
            return;
        }
        faulty.at(StoreCall.SUCCEED).changesNothing();

        assertUnknown(Reason.ENDED_BY_WORK, null, () -> pay(payment()));

        assertThat(protocolOfTheRecord()).isEqualTo(Protocol.FOLLOW_UP_BROKEN);
        assertThat(another().build().knowsResult(key("k"))).isTrue();
        assertUnknown(Reason.ENDED_BY_WORK, null, () -> pay(another()));
        assertUnknown(Reason.ENDED_BY_WORK, null, () -> another().build().settle(key("k")));
        assertThat(another().build().resolvePlanned(key("k"))).contains(new Outcome.Replayed<>(key("k"), "paid"));
        assertThat(followUps).hasValue(1);
        assertThat(bookings()).isEmpty();
    }

    @Test
    void endOfTheTransactionIsRecordedWhenTheStoreAnswersAgain() {
        if (store.lockScope() == LockScope.NODE) {
            return;
        }
        faulty.at(StoreCall.SUCCEED).changesNothing();
        faulty.at(StoreCall.CHANGE_PROTOCOL).losesAnswer();

        assertThatThrownBy(() -> pay(payment())).hasMessageContaining("until an operator settles it");

        assertThat(protocolOfTheRecord()).isEqualTo(Protocol.FOLLOW_UP_BROKEN);
    }

    // ---- rule 6: no record any more ------------------------------------------------------------------------------

    @Test
    void attemptWithoutARecordIsNotBooked() {
        for (boolean inDoubt : List.of(true, false)) {
            followUps.set(0);
            if (inDoubt) {
                faulty.at(StoreCall.COMMIT).fails(Fault.CONNECTION_LOST).before(() -> {});
                faulty.second(StoreCall.LOCK).before(() -> AnotherThread.run(this::loseTheRecord));
            }
            assertUnknown(
                    Reason.RECORD_GONE,
                    null,
                    () -> pay(payment(), attempt("k"), () -> {
                        if (!inDoubt) {
                            AnotherThread.run(this::loseTheRecord);
                        }
                        return true;
                    }));

            assertThat(followUps).hasValue(inDoubt ? 1 : 0);
            assertThat(read(key("k"))).isEmpty();
            assertThat(bookings()).isEmpty();
        }
    }

    @Test
    void followerWhoseRecordIsGoneBooksAndClaimsNothing() {
        Pending unused = charged();
        faulty.at(StoreCall.LOCK).before(() -> AnotherThread.run(this::loseTheRecord));

        assertUnknown(Reason.RECORD_GONE, null, () -> pay(payment()));

        assertThat(followUps).hasValue(0);
        assertThat(charges).hasValue(0);
        assertThat(read(key("k"))).isEmpty();
    }

    /** Deletes the record, like a purge after the retention period. */
    private void loseTheRecord() {
        assertThat(forget(key("k"))).isTrue();
    }

    // ---- every fault at every step -------------------------------------------------------------------------------

    /** Whatever is lost, and wherever, there is one booking in the end, and no response has denied the charge. */
    @Test
    void anyFaultAtAnyStepEndsInOneBooking() throws Exception {
        for (boolean arrives : List.of(true, false)) {
            for (int step = 1; ; step++) {
                String value = "step-" + step + "-" + arrives;
                int booked = bookings().size();
                var call = faulty.atCall(step);
                Object unused = arrives ? call.losesAnswer() : call.fails(Fault.CONNECTION_LOST);
                try {
                    assertThat(pay(payment(), attempt(value), () -> true).orElseThrow())
                            .isEqualTo("paid");
                } catch (OutcomeUnknownException | io.counterpoint.idempotency.NotStartedException lost) {
                    // The next call settles it.
                }
                boolean met = !faulty.isArmed();
                faulty.disarm();
                letTimePass(Duration.ofMillis(1));
                assertThat(pay(payment(), attempt(value), () -> true).orElseThrow())
                        .isEqualTo("paid");
                assertThat(bookings()).hasSize(booked + 1);
                if (!met) {
                    break;
                }
            }
        }
    }
}
