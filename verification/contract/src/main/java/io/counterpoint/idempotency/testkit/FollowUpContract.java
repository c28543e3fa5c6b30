package io.counterpoint.idempotency.testkit;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.counterpoint.idempotency.ExternalOperation;
import io.counterpoint.idempotency.Idempotency;
import io.counterpoint.idempotency.IdempotencyException.Reason;
import io.counterpoint.idempotency.Lookup;
import io.counterpoint.idempotency.MisuseException;
import io.counterpoint.idempotency.NestedCallException;
import io.counterpoint.idempotency.Outcome;
import io.counterpoint.idempotency.Outcome.Ending;
import io.counterpoint.idempotency.OutcomeUnknownException;
import io.counterpoint.idempotency.ResultCodec;
import io.counterpoint.idempotency.spi.Fault;
import io.counterpoint.idempotency.spi.IdempotencyRecord.Pending;
import io.counterpoint.idempotency.spi.IdempotencyRecord.Protocol;
import io.counterpoint.idempotency.testkit.faults.StoreCall;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;

/** An external effect and its follow-up. The first caller to find out that the effect exists books it. */
abstract class FollowUpContract<C> extends FollowUpContractTest<C> {

    FollowUpContract(OperationFixture<C> fixture) {
        super(fixture);
    }

    // ---- the five who may find out -------------------------------------------------------------------------------

    @Test
    void leaderBooksWhatItsWorkHasDone() throws Exception {
        assertThat(pay(payment())).isEqualTo(new Outcome.Executed<>(key("k"), "paid"));

        requireBookedOnce();
        assertThat(events.take()).containsExactly("claimed", "succeeded");
    }

    @Test
    void followerBooksWhatItsLookupFinds() throws Exception {
        Pending unused = charged();

        assertThat(pay(payment())).isEqualTo(new Outcome.Healed<>(key("k"), "paid"));

        requireBookedOnce();
        assertThat(charges).hasValue(0);
        assertThat(events.take()).contains("healed");
    }

    @Test
    void endOfAsynchronousWorkBooks() throws Exception {
        CompletableFuture<String> effect = new CompletableFuture<>();
        CompletionStage<Outcome<String>> answer = payment().build().executeAsync(attempt("k"), key -> {
            remote.add(key, "paid");
            return effect;
        });
        assertThat(bookings()).isEmpty();

        AnotherThread.run(() -> effect.complete("paid"));

        assertThat(answer.toCompletableFuture().get(10, TimeUnit.SECONDS).orElseThrow())
                .isEqualTo("paid");
        requireBookedOnce();
    }

    @Test
    void asynchronousWorkThatHasEndedWithinItsCallIsBooked() {
        assertThat(payment().build().executeAsync(attempt("k"), key -> {
                    remote.add(key, "paid");
                    return CompletableFuture.completedStage("paid");
                }))
                .isCompletedWithValue(new Outcome.Executed<>(key("k"), "paid"));

        assertThat(bookings()).containsExactly("paid");
    }

    @Test
    void operatorWhoSaysThatTheEffectIsThereBooks() throws Exception {
        Pending unused = claimed(Protocol.EXTERNAL_THEN);

        assertThat(payment().build().resolveSucceeded(key("k"), "paid"))
                .contains(new Outcome.Replayed<>(key("k"), "paid"));

        requireBookedOnce();
    }

    @Test
    void settlingBooksWhatTheLookupFinds() throws Exception {
        Pending unused = charged();

        assertThat(payment().build().settle(key("k"))).contains(new Outcome.Healed<>(key("k"), "paid"));

        requireBookedOnce();
        assertThat(payment().build().settle(key("k"))).contains(new Outcome.Replayed<>(key("k"), "paid"));
    }

    // ---- settling ------------------------------------------------------------------------------------------------

    @Test
    void settlingClaimsNothingAndChangesNothingWhereNothingIsKnown() {
        assertThat(payment().build().settle(key("k"))).isEmpty();
        assertThat(read(key("k"))).isEmpty();

        Pending record = claimed(Protocol.EXTERNAL_THEN);
        assertInProgress(payment().build().settle(key("k")).orElseThrow(), Ending.NEEDS_OPERATOR);

        assertThat(record("k")).isEqualTo(record);
        assertThat(bookings()).isEmpty();
    }

    /** The key is released between its read and the lookup's result. */
    @Test
    void settlingClaimsNothingWhereTheRecordGoesAway() {
        Pending record = charged();
        ExternalOperation<String> settling =
                withFollowUp(Idempotency.builder(faulty).clock(clock)).build();
        faulty.at(StoreCall.LOCK)
                .before(() ->
                        AnotherThread.run(() -> assertThat(forget(record.key())).isTrue()));

        assertUnknown(Reason.RECORD_GONE, null, () -> settling.settle(key("k")));

        assertThat(read(key("k"))).isEmpty();
        assertThat(bookings()).isEmpty();
    }

    @Test
    void settlingEndsAnAttemptWithoutFollowUpToo() {
        Pending found = pendingOfAnother(key("k"), Protocol.EXTERNAL, Optional.empty());
        remote.add(found.key(), "paid");

        assertThat(withoutFollowUp(store).build().settle(key("k"))).contains(new Outcome.Healed<>(key("k"), "paid"));

        assertThat(isSucceeded("k")).isTrue();
    }

    // ---- refusals of the other side ------------------------------------------------------------------------------

    @Test
    void refusalThatTheLookupMeetsIsTheAnswerOfEveryRetry() throws Exception {
        for (Protocol protocol : List.of(Protocol.EXTERNAL_THEN, Protocol.EXTERNAL)) {
            Pending record = pendingOfAnother(key(protocol.name()), protocol, Optional.empty());
            remote.outOfReach(new Declined());

            Outcome<String> told = payment().build().settle(record.key()).orElseThrow();

            assertThat(told).isEqualTo(new Outcome.Rejected<>(record.key(), DECLINED));
            assertThat(pay(another(), attempt(protocol.name()), () -> true)).isEqualTo(told);
        }
        assertThat(charges).hasValue(0);
        assertThat(bookings()).isEmpty();
    }

    @Test
    void refusalThatTheWorkMeetsIsTheAnswerOfEveryRetry() throws Exception {
        Declined refused = new Declined();
        assertThatThrownBy(() -> payment().build().execute(attempt("k"), key -> {
                    throw refused;
                }))
                .isSameAs(refused);

        assertThat(pay(another())).isEqualTo(new Outcome.Rejected<>(key("k"), DECLINED));
        assertThat(bookings()).isEmpty();
    }

    /** The lookup's own request was not sent, which says nothing about the request of the work. */
    @Test
    void lookupThatDoesNotReachTheOtherSideProvesNothing() {
        Pending record = claimed(Protocol.EXTERNAL_THEN);
        NotSent notSent = new NotSent();
        remote.outOfReach(notSent);

        assertUnknown(Reason.LOOKUP_FAILED, notSent, () -> pay(payment()));

        assertThat(events.take()).containsExactly("lookup failed");
        assertThat(record("k")).isEqualTo(record);
    }

    /** The remote side declined the lookup, but the request of the work arrived all the same. */
    @Test
    void lateSuccessAfterARefusalIsToldAsAFailureWithAnEffect() {
        assertUnknown(
                Reason.FAILED_WITH_EFFECT,
                null,
                () -> pay(payment(), attempt("k"), () -> {
                    remote.outOfReach(new Declined());
                    return AnotherThread.get(() -> another().build().settle(key("k")));
                }));

        assertThat(isFailed("k")).isTrue();
        assertThat(bookings()).isEmpty();
        assertThat(events.take()).contains("unresolved");
    }

    /**
     * The user declares many exceptions and has thrown none; the library's own exception about a null is not a refusal.
     */
    @Test
    void nullIsNeverTakenForADeclaredRefusal() {
        ExternalOperation<String> operation = Idempotency.on(store)
                .<String>external("contract", ResultCodec.string(), unresolved -> noLookup())
                .refusedWhen(thrown -> true)
                .releaseWhenNoEffect(thrown -> true)
                .then((handle, key, result) -> domain.write(handle, result))
                .build();

        assertUnknown(Reason.EXTERNAL_FAILED, null, () -> operation.execute(attempt("k"), key -> nothing()));
        assertUnknown(Reason.LOOKUP_FAILED, null, () -> operation.settle(key("k")));
        assertThat(operation.executeAsync(attempt("a"), key -> CompletableFuture.completedStage(nothing())))
                .failsWithin(10, TimeUnit.SECONDS)
                .withThrowableThat()
                .withCauseInstanceOf(OutcomeUnknownException.class);

        assertThat(isPending("k")).isTrue();
        assertThat(isPending("a")).isTrue();
    }

    @SuppressWarnings("NullAway") // the mistake of a user
    private static String nothing() {
        return null;
    }

    @SuppressWarnings("NullAway") // the mistake of a user
    private static Lookup<String> noLookup() {
        return null;
    }

    // ---- two at once ---------------------------------------------------------------------------------------------

    @Test
    void leaderWhoseFollowerHasBookedReturnsTheSame() throws Exception {
        Outcome<String> leaders = pay(payment(), attempt("k"), () -> {
            assertThat(AnotherThread.get(() -> pay(another()))).isEqualTo(new Outcome.Healed<>(key("k"), "paid"));
            return true;
        });

        assertThat(leaders).isEqualTo(new Outcome.Executed<>(key("k"), "paid"));
        requireBookedOnce();
        assertThat(followUps).hasValue(1);
    }

    /** A leader that has charged learns that the effect exists, not that another caller may be working. */
    @Test
    void leaderBesideAFollowUpAtWorkKnowsThatTheEffectIsThere() {
        faulty.at(StoreCall.LOCK).always().fails(Fault.LOCK_TIMEOUT);

        assertUnknown(Reason.FOLLOW_UP_OWED, null, () -> pay(payment()));

        assertThat(protocolOfTheRecord()).isEqualTo(Protocol.FOLLOW_UP_OWED);
        faulty.disarm();
    }

    /** Another caller's follow-up takes long, so its lock is not granted in time. */
    @Test
    void callerBesideAFollowUpAtWorkIsInProgress() throws Exception {
        Pending record = charged();
        faulty.at(StoreCall.LOCK).fails(Fault.LOCK_TIMEOUT);

        assertInProgress(pay(payment()), Ending.NEEDS_OPERATOR);

        assertThat(record("k")).isEqualTo(record);
        assertThat(pay(payment())).isEqualTo(new Outcome.Healed<>(key("k"), "paid"));
        requireBookedOnce();
    }

    @Test
    void settlingWaitsForNobody() {
        Pending unused = claimed(Protocol.EXTERNAL_THEN);
        ExternalOperation<String> patient = withFollowUp(
                        Idempotency.builder(faulty).clock(clock))
                .waitAtMost(Duration.ofHours(1))
                .build();

        assertInProgress(patient.settle(key("k")).orElseThrow(), Ending.NEEDS_OPERATOR);

        assertThat(remote.lookUps()).isEqualTo(1);
    }

    @Test
    void callersThatFindOutTogetherBookOnce() throws Exception {
        Pending unused = charged();
        var one = AnotherThread.begin(() -> pay(another()));
        var other = AnotherThread.begin(() -> another().build().settle(key("k")).orElseThrow());

        List<Outcome<String>> outcomes = List.of(AnotherThread.end(one), AnotherThread.end(other));
        assertThat(outcomes.stream().flatMap(outcome -> outcome.asOptional().stream()))
                .isNotEmpty()
                .allMatch("paid"::equals);
        requireBookedOnce();
    }

    // ---- rule 1: what is owed is the record's --------------------------------------------------------------------

    @Test
    void operationWithoutFollowUpNeitherEndsNorHealsAnAttemptThatOwesOne() throws Exception {
        for (Protocol protocol : List.of(Protocol.EXTERNAL_THEN, Protocol.FOLLOW_UP_OWED, Protocol.FOLLOW_UP_BROKEN)) {
            Pending record = pendingOfAnother(key("k"), protocol, Optional.of("paid"));
            remote.add(record.key(), "paid");
            ExternalOperation.Builder<C, String> old = withoutFollowUp(faulty);

            assertUnknown(Reason.FOLLOW_UP_MISSING, null, () -> pay(old));
            assertUnknown(Reason.FOLLOW_UP_MISSING, null, () -> old.build().settle(key("k")));
            assertThatThrownBy(() -> old.build().resolveSucceeded(key("k"), "paid"))
                    .isInstanceOf(MisuseException.class)
                    .hasMessageContaining("owes a follow-up");
            assertThatThrownBy(() -> old.build().resolveFailed(key("k"), DECLINED))
                    .isInstanceOf(MisuseException.class);

            assertThat(record("k")).isEqualTo(record);
            assertThat(forget(key("k"))).isTrue();
        }
        assertThat(charges).hasValue(0);
    }

    /** The key was claimed before the follow-up was deployed, so no booking is owed. */
    @Test
    void attemptThatOwesNoFollowUpIsHealedWithoutOne() throws Exception {
        Pending record = claimed(Protocol.EXTERNAL);
        remote.add(record.key(), "paid");

        assertThat(pay(payment())).isEqualTo(new Outcome.Healed<>(key("k"), "paid"));

        assertThat(bookings()).isEmpty();
    }

    // ---- what a follow-up may do ---------------------------------------------------------------------------------

    @Test
    void followUpIsNoPlaceForAnotherCall() throws Exception {
        beforeBooking = () -> another().build().execute(attempt("inner"), key -> "charged too");
        for (boolean leads : List.of(true, false)) {
            assertThatThrownBy(() -> pay(payment()))
                    .as("leads: " + leads)
                    .isInstanceOf(OutcomeUnknownException.class)
                    .hasCauseInstanceOf(NestedCallException.class);
        }
        assertThatThrownBy(() -> payment().build().settle(key("k"))).hasCauseInstanceOf(NestedCallException.class);
        assertThatThrownBy(() -> payment().build().resolveSucceeded(key("k"), "paid"))
                .hasCauseInstanceOf(NestedCallException.class);
        assertThat(payment().build().executeAsync(attempt("async"), key -> CompletableFuture.completedStage("paid")))
                .failsWithin(10, TimeUnit.SECONDS)
                .withThrowableThat()
                .havingRootCause()
                .isInstanceOf(NestedCallException.class);

        beforeBooking = () -> true;
        assertThat(pay(payment())).isEqualTo(new Outcome.Healed<>(key("k"), "paid"));
        requireBookedOnce();
        assertThat(read(key("inner"))).isEmpty();
    }

    /** The stage completes inside the work of another operation, which has a different transaction. */
    @Test
    void workThatEndsInsideAnotherCallIsBookedByTheNextOne() throws Exception {
        CompletableFuture<String> effect = new CompletableFuture<>();
        CompletionStage<Outcome<String>> answer = payment().build().executeAsync(attempt("k"), key -> {
            remote.add(key, "paid");
            return effect;
        });
        Outcome<String> other = withoutFollowUp(store).build().execute(attempt("other"), key -> {
            boolean unused = effect.complete("paid");
            return "done";
        });

        assertThat(other.orElseThrow()).isEqualTo("done");
        assertThat(answer)
                .failsWithin(10, TimeUnit.SECONDS)
                .withThrowableThat()
                .havingCause()
                .isInstanceOf(OutcomeUnknownException.class);
        assertThat(bookings()).isEmpty();
        assertThat(pay(payment())).isEqualTo(new Outcome.Healed<>(key("k"), "paid"));
        requireBookedOnce();
    }
}
