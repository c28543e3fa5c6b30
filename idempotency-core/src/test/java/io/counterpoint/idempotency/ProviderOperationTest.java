package io.counterpoint.idempotency;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.counterpoint.idempotency.IdempotencyException.Reason;
import io.counterpoint.idempotency.memory.InMemoryIdempotencyStore;
import io.counterpoint.idempotency.memory.InMemoryIdempotencyStore.Transaction;
import java.io.IOException;
import java.net.SocketTimeoutException;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

/** A provider that does one thing for each key, and whose answers get lost. */
class ProviderOperationTest {

    private static final Attempt ATTEMPT = Attempt.inScope("user:1").key("k").request("order 7");
    private static final Failure DECLINED = new Failure("card-declined", "");

    /** What the provider is to do before, or instead of, its answer. */
    private final Deque<Exception> faults = new ArrayDeque<>();

    private final Map<String, Integer> charges = new HashMap<>();
    private final List<String> asked = new ArrayList<>();
    private final List<String> booked = new ArrayList<>();
    private @Nullable RuntimeException cannotBook;
    private Instant now = Instant.parse("2026-01-01T00:00:00Z");
    private final IdempotencyClock clock = new IdempotencyClock() {
        @Override
        public Instant now() {
            return now;
        }

        @Override
        public void sleep(Duration pause) {
            now = now.plus(pause);
        }
    };
    private final Idempotency<Transaction> idempotency = Idempotency.builder(new InMemoryIdempotencyStore(clock))
            .clock(clock)
            .build();

    private static final class Declined extends Exception {
        private static final long serialVersionUID = 1L;
    }

    /** Charges once for each key, whatever becomes of the answer. */
    private Integer charge(IdempotencyKey key, String request) throws Exception {
        asked.add(request);
        Exception fault = faults.poll();
        if (fault instanceof Declined) {
            faults.addFirst(fault);
            throw fault;
        }
        int charge = charges.computeIfAbsent(key.hash(), unused -> charges.size() + 1);
        if (fault != null) {
            throw fault;
        }
        return charge;
    }

    private ProviderOperation.Builder<Transaction, String, Integer> builder() {
        return idempotency
                .provider(
                        "pay", ResultCodec.string(), ResultCodec.text(String::valueOf, Integer::valueOf), this::charge)
                .rememberedFor(Duration.ofHours(24))
                .refusedWhen(Declined.class::isInstance)
                .describeFailure(thrown -> DECLINED);
    }

    private ProviderOperation<String, Integer> booking() {
        return builder()
                .then((handle, key, request, charge) -> {
                    if (cannotBook != null) {
                        throw cannotBook;
                    }
                    handle.onCommit(() -> booked.add(request + ": charge " + charge));
                })
                .build();
    }

    @Test
    void chargeIsBookedWithItsRequestAndItsAnswerIsReplayed() {
        assertThat(booking().execute(ATTEMPT, "7 EUR")).isEqualTo(new Outcome.Executed<>(key(), 1));
        assertThat(booking().execute(ATTEMPT, "7 EUR")).isEqualTo(new Outcome.Replayed<>(key(), 1));

        assertThat(booked).containsExactly("7 EUR: charge 1");
        assertThat(asked).hasSize(1);
    }

    @Test
    void chargeWhoseReplyIsLostIsFoundByTheSameRequestUnderItsKey() {
        SocketTimeoutException lost = new SocketTimeoutException("no reply");
        faults.add(lost);
        assertThatExceptionOfType(OutcomeUnknownException.class)
                .isThrownBy(() -> booking().execute(ATTEMPT, "7 EUR"))
                .withCause(lost);
        assertThat(booked).isEmpty();

        assertThat(booking().execute(ATTEMPT, "8 EUR")).isEqualTo(new Outcome.Healed<>(key(), 1));

        assertThat(asked).containsExactly("7 EUR", "7 EUR");
        assertThat(charges).hasSize(1);
        assertThat(booked).containsExactly("7 EUR: charge 1");
    }

    @Test
    void refusalThatTheProviderKeepsIsTheAnswerOfEveryCall() {
        Declined declined = new Declined();
        faults.add(declined);

        Outcome<Integer> first = booking().execute(ATTEMPT, "7 EUR");

        assertThat(first).isEqualTo(new Outcome.Rejected<>(key(), DECLINED));
        assertThat(first.suppressedFailure()).containsSame(declined);
        assertThat(booking().execute(ATTEMPT, "7 EUR")).isEqualTo(first);
        assertThat(asked).hasSize(1);
    }

    /** The first answer is lost, and the provider has refused: the next call learns it for good. */
    @Test
    void refusalAfterAnErrorIsTheAnswerOfEveryCall() {
        faults.add(new IOException("500"));
        assertThatThrownBy(() -> booking().execute(ATTEMPT, "7 EUR")).isInstanceOf(OutcomeUnknownException.class);
        charges.clear();
        faults.add(new Declined());

        assertThat(booking().execute(ATTEMPT, "7 EUR")).isEqualTo(new Outcome.Rejected<>(key(), DECLINED));

        faults.clear();
        assertThat(booking().execute(ATTEMPT, "7 EUR")).isEqualTo(new Outcome.Rejected<>(key(), DECLINED));
        assertThat(booked).isEmpty();
    }

    @Test
    void bookingThatFailsIsOwedAndNothingIsSentAgain() {
        cannotBook = new IllegalStateException("no such order");
        assertThatExceptionOfType(OutcomeUnknownException.class)
                .isThrownBy(() -> booking().execute(ATTEMPT, "7 EUR"))
                .withCause(cannotBook)
                .returns(Reason.FOLLOW_UP_OWED, OutcomeUnknownException::reason);
        assertThat(booking().knowsResult(key())).isTrue();
        cannotBook = null;
        now = now.plus(Duration.ofDays(30));

        assertThat(booking().settle(key())).contains(new Outcome.Healed<>(key(), 1));

        assertThat(booked).containsExactly("7 EUR: charge 1");
        assertThat(asked).hasSize(1);
    }

    @Test
    void nothingIsSentAgainWhenTheProviderMayForgetTheKey() {
        faults.add(new IOException("lost"));
        assertThatThrownBy(() -> booking().execute(ATTEMPT, "7 EUR")).isInstanceOf(OutcomeUnknownException.class);
        now = now.plus(Duration.ofHours(23)).plusMillis(1);

        assertThat(booking().execute(ATTEMPT, "7 EUR")).isInstanceOf(Outcome.InProgress.class);
        assertThat(booking().settle(key()).orElseThrow()).isInstanceOf(Outcome.InProgress.class);

        assertThat(asked).hasSize(1);
        assertThat(booking().isUnresolved(key())).isTrue();
        assertThat(booking().knowsResult(key())).isFalse();
        assertThatThrownBy(() -> booking().resolvePlanned(key())).isInstanceOf(MisuseException.class);
        assertThat(booking().resolveSucceeded(key(), 1)).contains(new Outcome.Replayed<>(key(), 1));
        assertThat(booked).containsExactly("7 EUR: charge 1");
    }

    @Test
    void lastRequestIsSentBeforeTheMargin() {
        faults.add(new IOException("lost"));
        assertThatThrownBy(() -> booking().execute(ATTEMPT, "7 EUR")).isInstanceOf(OutcomeUnknownException.class);
        now = now.plus(Duration.ofHours(23));

        assertThat(booking().execute(ATTEMPT, "7 EUR")).isEqualTo(new Outcome.Healed<>(key(), 1));
    }

    @Test
    void operatorEndsAnAttemptWithoutFollowUp() {
        ProviderOperation<String, Integer> pay = builder().build();
        for (String value : List.of("there", "absent")) {
            faults.add(new IOException("lost"));
            Attempt attempt = Attempt.inScope("user:1").key(value).request("order 7");
            assertThatThrownBy(() -> pay.execute(attempt, "7 EUR")).isInstanceOf(OutcomeUnknownException.class);

            Outcome<Integer> said = (value.equals("there")
                            ? pay.resolveSucceeded(pay.keyOf(attempt), 12)
                            : pay.resolveFailed(pay.keyOf(attempt), DECLINED))
                    .orElseThrow();

            assertThat(pay.execute(attempt, "7 EUR")).isEqualTo(said);
            assertThat(said.asOptional().isPresent()).isEqualTo(value.equals("there"));
        }
    }

    @Test
    void operatorCannotResolveWithoutTheAnswer() {
        assertThat(booking().resolveSucceeded(key(), 1)).isEmpty();
        assertThat(booking().settle(key())).isEmpty();
    }

    @Test
    void memoryOfTheProviderHasToBeStatedAndRemembered() {
        assertThatThrownBy(() -> idempotency
                        .provider(
                                "pay",
                                ResultCodec.string(),
                                ResultCodec.text(String::valueOf, Integer::valueOf),
                                this::charge)
                        .build())
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessage("Operation pay: call rememberedFor(…) with the time that the provider remembers a key.");
        assertThatThrownBy(() -> builder().retention(Duration.ofHours(23)).build())
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessage("Operation pay: the retention must be at least as long as the provider remembers a key, 1"
                        + " day, found 23 h.");
    }

    @Test
    void answerThatIsTooLargeIsReturnedAndAskedForAgain() {
        ProviderOperation<String, Integer> pay = longAnswers(10).build();

        assertThat(pay.execute(ATTEMPT, "7 EUR")).isEqualTo(new Outcome.Executed<>(key(), 1));
        assertThat(pay.execute(ATTEMPT, "7 EUR").orElseThrow()).isEqualTo(1);
        assertThat(charges).hasSize(1);
    }

    @Test
    void requestAndAnswerHaveTheirBoundEach() {
        String request = "x".repeat(11);
        assertThat(longAnswers(11).build().execute(ATTEMPT, request)).isEqualTo(new Outcome.Executed<>(key(), 1));
        assertThat(longAnswers(11).build().execute(ATTEMPT, request)).isEqualTo(new Outcome.Replayed<>(key(), 1));
        assertThat(asked).hasSize(1);

        Attempt other = Attempt.inScope("user:1").key("other").withoutRequest();
        assertThatThrownBy(() -> longAnswers(11).build().execute(other, request + "x"))
                .isInstanceOf(UnstorableResultException.class)
                .hasStackTraceContaining("12 bytes long, which exceeds the limit of 11");
        assertThat(asked).hasSize(1);
    }

    private ProviderOperation.Builder<Transaction, String, Integer> longAnswers(int most) {
        return idempotency
                .provider(
                        "pay",
                        ResultCodec.string(),
                        ResultCodec.text(
                                charge -> "charge-%04d".formatted(charge),
                                text -> Integer.valueOf(text.substring("charge-".length()))),
                        this::charge)
                .rememberedFor(Duration.ofHours(24))
                .maxResultBytes(most);
    }

    /** What the library complains about is nothing that the provider has refused. */
    @Test
    void answerOfNullProvesNothing() {
        ProviderOperation<String, Integer> pay = idempotency
                .<String, Integer>provider(
                        "pay",
                        ResultCodec.string(),
                        ResultCodec.text(String::valueOf, Integer::valueOf),
                        (key, request) -> {
                            var unused = charge(key, request);
                            return nothing();
                        })
                .rememberedFor(Duration.ofHours(24))
                .refusedWhen(thrown -> !(thrown instanceof IOException))
                .build();

        for (int call = 0; call < 2; call++) {
            assertThatThrownBy(() -> pay.execute(ATTEMPT, "7 EUR"))
                    .isInstanceOf(OutcomeUnknownException.class)
                    .hasStackTraceContaining("The provider's response is null");
        }
        assertThat(charges).hasSize(1);
    }

    @SuppressWarnings("NullAway") // the mistake of a user
    private static Integer nothing() {
        return null;
    }

    /** The codec of requests was changed, and reads no more what was written before. */
    @Test
    void answerIsReplayedAndAttemptsFailThoughTheRequestCannotBeRead() {
        var before = booking().execute(ATTEMPT, "7 EUR");
        Attempt open = Attempt.inScope("user:1").key("open").request("order 8");
        faults.add(new IOException("lost"));
        assertThatThrownBy(() -> booking().execute(open, "8 EUR")).isInstanceOf(OutcomeUnknownException.class);
        ProviderOperation<Integer, Integer> changed = idempotency
                .<Integer, Integer>provider(
                        "pay",
                        ResultCodec.text(String::valueOf, Integer::valueOf),
                        ResultCodec.text(String::valueOf, Integer::valueOf),
                        (key, request) -> request)
                .rememberedFor(Duration.ofHours(24))
                .build();

        assertThat(changed.execute(ATTEMPT, 7)).isEqualTo(new Outcome.Replayed<>(key(), before.orElseThrow()));
        assertThatThrownBy(() -> changed.execute(open, 8)).isInstanceOf(UndecodableException.class);
        assertThat(changed.resolveFailed(changed.keyOf(open), DECLINED))
                .contains(new Outcome.Rejected<>(changed.keyOf(open), DECLINED));
    }

    /** An operation of another kind had the name before, and the first bytes of its results look like a length. */
    @Test
    void bytesOfAnotherKindOfOperationAreRefusedAtOnce() {
        var former = idempotency
                .external("pay", ResultCodec.string(), unresolved -> Lookup.notYet())
                .build();
        assertThat(former.execute(ATTEMPT, key -> "a text that is no exchange").asOptional())
                .isPresent();

        assertThatThrownBy(() -> booking().execute(ATTEMPT, "7 EUR"))
                .isInstanceOf(UndecodableException.class)
                .hasStackTraceContaining("not a provider's request and response");
    }

    @Test
    void refusalThatAnotherCallHasRecordedIsTheOwnFailureAsItWasThrown() {
        Declined declined = new Declined();
        ProviderOperation<String, Integer> pay = idempotency
                .<String, Integer>provider(
                        "pay",
                        ResultCodec.string(),
                        ResultCodec.text(String::valueOf, Integer::valueOf),
                        (key, request) -> {
                            assertThat(CompletableFuture.supplyAsync(() -> {
                                                faults.add(new Declined());
                                                return booking().settle(key());
                                            })
                                            .join())
                                    .contains(new Outcome.Rejected<>(key(), DECLINED));
                            throw declined;
                        })
                .rememberedFor(Duration.ofHours(24))
                .refusedWhen(Declined.class::isInstance)
                .describeFailure(thrown -> DECLINED)
                .build();

        Outcome<Integer> outcome = pay.execute(ATTEMPT, "7 EUR");

        assertThat(outcome).isEqualTo(new Outcome.Rejected<>(key(), DECLINED));
        assertThat(outcome.suppressedFailure()).containsSame(declined);
    }

    private static IdempotencyKey key() {
        return IdempotencyKey.inScope("user:1").operation("pay").value("k");
    }
}
