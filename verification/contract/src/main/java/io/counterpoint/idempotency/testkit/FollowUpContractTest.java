package io.counterpoint.idempotency.testkit;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import io.counterpoint.idempotency.Attempt;
import io.counterpoint.idempotency.ExternalOperation;
import io.counterpoint.idempotency.Failure;
import io.counterpoint.idempotency.Idempotency;
import io.counterpoint.idempotency.IdempotencyException.Reason;
import io.counterpoint.idempotency.Lookup;
import io.counterpoint.idempotency.Outcome;
import io.counterpoint.idempotency.OutcomeUnknownException;
import io.counterpoint.idempotency.ResultCodec;
import io.counterpoint.idempotency.spi.IdempotencyRecord.Pending;
import io.counterpoint.idempotency.spi.IdempotencyRecord.Protocol;
import io.counterpoint.idempotency.spi.IdempotencyStore;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.Callable;
import java.util.concurrent.atomic.AtomicInteger;
import org.jspecify.annotations.Nullable;

/** A charge at the remote side and its booking here, and what may go wrong between the two. */
abstract class FollowUpContractTest<C> extends OperationContractTest<C> {

    static final Failure DECLINED = new Failure("declined", "");

    /** Thrown by the work and the lookup for a refusal that the remote side remembers. */
    static final class Declined extends Exception {
        private static final long serialVersionUID = 1L;
    }

    /** Thrown for a request that was not sent. */
    static final class NotSent extends Exception {
        private static final long serialVersionUID = 1L;
    }

    final AtomicInteger charges = new AtomicInteger();
    final AtomicInteger followUps = new AtomicInteger();

    /** What the follow-up does before it books. */
    volatile Callable<?> beforeBooking = () -> true;

    FollowUpContractTest(OperationFixture<C> fixture) {
        super(fixture);
    }

    /** In the process whose store has faults. */
    final ExternalOperation.Builder<C, String> payment() {
        return withFollowUp(Idempotency.builder(faulty).clock(clock).listener(events));
    }

    /** In another process. */
    final ExternalOperation.Builder<C, String> another() {
        return withFollowUp(Idempotency.builder(store).clock(clock));
    }

    final ExternalOperation.Builder<C, String> withFollowUp(Idempotency.Builder<C> idempotency) {
        return withoutFollowUp(idempotency).then((handle, key, result) -> {
            followUps.incrementAndGet();
            Object unused = beforeBooking.call();
            domain.write(handle, result);
        });
    }

    /** In a process where the follow-up has not been deployed yet. */
    final ExternalOperation.Builder<C, String> withoutFollowUp(Idempotency.Builder<C> idempotency) {
        return idempotency
                .build()
                .external("contract", ResultCodec.string(), unresolved -> Lookup.of(remote.find(unresolved)))
                .refusedWhen(Declined.class::isInstance)
                .noEffectWhen(NotSent.class::isInstance)
                .describeFailure(thrown -> DECLINED);
    }

    final ExternalOperation.Builder<C, String> withoutFollowUp(IdempotencyStore<C> over) {
        return withoutFollowUp(Idempotency.builder(over).clock(clock));
    }

    /** Charges. The other action happens at the remote side before the response. */
    final Outcome<String> pay(
            ExternalOperation.Builder<C, String> payment, Attempt attempt, Callable<?> beforeTheAnswer)
            throws Exception {
        if (way.planned) {
            return payment.planned().build().execute(attempt, () -> "paid", (key, plan) -> {
                charges.incrementAndGet();
                remote.add(key, plan);
                Object unused = beforeTheAnswer.call();
            });
        }
        return payment.build().execute(attempt, key -> {
            charges.incrementAndGet();
            remote.add(key, "paid");
            Object unused = beforeTheAnswer.call();
            return "paid";
        });
    }

    final Outcome<String> pay(ExternalOperation.Builder<C, String> payment) throws Exception {
        return pay(payment, attempt("k"), () -> true);
    }

    /** The record of a leader that is gone, and its effect. */
    final Pending charged() {
        Pending record = claimed(Protocol.EXTERNAL_THEN);
        remote.add(record.key(), "paid");
        return record;
    }

    final Pending claimed(Protocol protocol) {
        return pendingOfAnother(
                key("k"),
                protocol,
                way.planned || protocol == Protocol.FOLLOW_UP_OWED ? Optional.of("paid") : Optional.empty());
    }

    final List<String> bookings() {
        return domain.committed();
    }

    /** Requires one charge and one booking, and the same response to every retry. */
    final void requireBookedOnce() throws Exception {
        assertThat(isSucceeded("k")).isTrue();
        int before = followUps.get();
        assertThat(pay(another())).isEqualTo(new Outcome.Replayed<>(key("k"), "paid"));
        assertThat(bookings()).containsExactly("paid");
        assertThat(followUps).hasValue(before);
        assertThat(charges).hasValueLessThanOrEqualTo(1);
    }

    static void assertUnknown(Reason reason, @Nullable Throwable cause, Callable<?> call) {
        assertThatExceptionOfType(OutcomeUnknownException.class)
                .isThrownBy(call::call)
                .returns(reason, OutcomeUnknownException::reason)
                .satisfies(thrown -> assertThat(cause == null || thrown.getCause() == cause)
                        .as("cause")
                        .isTrue());
    }

    final Protocol protocolOfTheRecord() {
        return found(key("k")).protocol();
    }
}
