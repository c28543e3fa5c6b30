package io.counterpoint.idempotency.engine;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.counterpoint.idempotency.Attempt;
import io.counterpoint.idempotency.ExternalOperation;
import io.counterpoint.idempotency.Failure;
import io.counterpoint.idempotency.Fingerprint;
import io.counterpoint.idempotency.Idempotency;
import io.counterpoint.idempotency.IdempotencyEvent;
import io.counterpoint.idempotency.IdempotencyException.Reason;
import io.counterpoint.idempotency.IdempotencyKey;
import io.counterpoint.idempotency.IdempotencyListener;
import io.counterpoint.idempotency.Lookup;
import io.counterpoint.idempotency.Outcome;
import io.counterpoint.idempotency.OutcomeUnknownException;
import io.counterpoint.idempotency.ResultCodec;
import io.counterpoint.idempotency.memory.InMemoryIdempotencyStore;
import io.counterpoint.idempotency.memory.InMemoryIdempotencyStore.Transaction;
import io.counterpoint.idempotency.spi.Durability;
import io.counterpoint.idempotency.spi.ForwardingStore;
import io.counterpoint.idempotency.spi.IdempotencyRecord;
import io.counterpoint.idempotency.spi.IdempotencyRecord.Payload;
import io.counterpoint.idempotency.spi.IdempotencyRecord.Pending;
import io.counterpoint.idempotency.spi.IdempotencyRecord.Protocol;
import io.counterpoint.idempotency.spi.IdempotencyRecord.Succeeded;
import io.counterpoint.idempotency.spi.Session;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.atomic.AtomicInteger;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;

/** External work ends after somebody else has ended its attempt, after its record was purged, or after another took its key. */
class LateEndTest {

    private static final IdempotencyKey KEY =
            IdempotencyKey.inScope("user:1").operation("operation").value("k");
    private static final Attempt ATTEMPT = Attempt.inScope("user:1").key("k").request("request");

    enum Way {
        ON_THE_THREAD,
        LATER
    }

    private final StandingClock clock = new StandingClock();
    private final InMemoryIdempotencyStore memory = new InMemoryIdempotencyStore(clock);
    private final List<Reason> unresolved = new ArrayList<>();
    private boolean isDurable = true;
    private int barriers;

    private final ForwardingStore<Transaction> store = new ForwardingStore<>(memory) {
        @Override
        public void awaitDurable(IdempotencyKey key) {
            barriers++;
            if (!isDurable) {
                throw new IllegalArgumentException("no barrier");
            }
        }
    };

    private final ExternalOperation<String> operation = Idempotency.builder(store)
            .clock(clock)
            .listener(IdempotencyListener.on(
                    IdempotencyEvent.Unresolved.class,
                    event -> unresolved.add(
                            ((OutcomeUnknownException) event.details().cause().orElseThrow()).reason())))
            .build()
            .external("operation", ResultCodec.string(), attempt -> Lookup.notYet())
            .noEffectWhen(IllegalArgumentException.class::isInstance)
            .build();

    /** Executes work that has its effect, or throws that it has none, after the others have done something. */
    private Outcome<String> call(Way way, Runnable others, @Nullable RuntimeException refusal) {
        if (way == Way.ON_THE_THREAD) {
            return operation.execute(ATTEMPT, key -> {
                others.run();
                if (refusal != null) {
                    throw refusal;
                }
                return "mine";
            });
        }
        CompletableFuture<String> effect = new CompletableFuture<>();
        CompletableFuture<Outcome<String>> answer =
                operation.executeAsync(ATTEMPT, key -> effect).toCompletableFuture();
        others.run();
        boolean unused = refusal == null ? effect.complete("mine") : effect.completeExceptionally(refusal);
        try {
            return answer.join();
        } catch (CompletionException thrown) {
            throw (RuntimeException) thrown.getCause();
        }
    }

    private void end(boolean succeeded) {
        UUID token = memory.read(KEY).orElseThrow().token();
        try (Session<Transaction> session = memory.open(KEY)) {
            boolean ended = session.autoCommit(steps -> succeeded
                    ? steps.succeed(KEY, token, Optional.of(payload("told")))
                    : steps.fail(KEY, token, new Failure("operator", "not found")));
            assertThat(ended).isTrue();
        }
    }

    private void endAndPurge() {
        end(true);
        clock.now = clock.now.plus(Duration.ofDays(9000));
        assertThat(memory.purgeExpired(1)).isOne();
    }

    private void giveToAnotherRequest() {
        endAndPurge();
        IdempotencyRecord theirs = new Succeeded(
                KEY,
                Protocol.EXTERNAL,
                UUID.randomUUID(),
                Fingerprint.ofParts("another request"),
                Optional.of(payload("theirs")));
        try (Session<Transaction> session = memory.open(KEY)) {
            Optional<IdempotencyRecord> found = session.autoCommit(
                    steps -> steps.claim(theirs, Duration.ofDays(1), Duration.ofSeconds(1), Durability.DURABLE));
            assertThat(found).isEmpty();
        }
    }

    private static Payload payload(String result) {
        return Payload.of(result.getBytes(StandardCharsets.UTF_8));
    }

    private static void assertRecordGone(Outcome<String> outcome) {
        assertThat(outcome).isEqualTo(new Outcome.Executed<>(KEY, "mine"));
        assertThat(outcome.suppressedFailure())
                .hasValueSatisfying(gone ->
                        assertThat(((OutcomeUnknownException) gone).reason()).isEqualTo(Reason.RECORD_GONE));
    }

    // ---- an effect -----------------------------------------------------------------------------------------------

    @ParameterizedTest
    @EnumSource
    void resultThatAnOperatorHasStoredIsTheAnswerOnceItIsDurable(Way way) {
        assertThat(call(way, () -> end(true), null)).isEqualTo(new Outcome.Executed<>(KEY, "told"));
        assertThat(barriers).isOne();
    }

    @ParameterizedTest
    @EnumSource
    void resultThatIsNotDurableIsNotTold(Way way) {
        isDurable = false;

        assertThat(call(way, () -> end(true), null)).isEqualTo(new Outcome.Executed<>(KEY, "mine"));
    }

    @ParameterizedTest
    @EnumSource
    void effectBesideAFailureIsToldToTheListener(Way way) {
        assertThat(call(way, () -> end(false), null)).isEqualTo(new Outcome.Executed<>(KEY, "mine"));
        assertThat(unresolved).containsExactly(Reason.FAILED_WITH_EFFECT);
    }

    @ParameterizedTest
    @EnumSource
    void callerWhoseRecordIsGoneHasItsOwnResultAndIsToldSo(Way way) {
        assertRecordGone(call(way, this::endAndPurge, null));
        assertThat(unresolved).containsExactly(Reason.RECORD_GONE);
    }

    @ParameterizedTest
    @EnumSource
    void callerNeverHasTheResultOfAnotherRequest(Way way) {
        assertRecordGone(call(way, this::giveToAnotherRequest, null));
        assertThat(unresolved).containsExactly(Reason.RECORD_GONE);
    }

    // ---- no effect -----------------------------------------------------------------------------------------------

    @ParameterizedTest
    @EnumSource
    void callWithoutEffectHasTheStoredResult(Way way) {
        RuntimeException refusal = new IllegalArgumentException("declined");

        Outcome<String> outcome = call(way, () -> end(true), refusal);

        assertThat(outcome).isEqualTo(new Outcome.Replayed<>(KEY, "told"));
        assertThat(outcome.suppressedFailure()).containsSame(refusal);
    }

    @ParameterizedTest
    @EnumSource
    void callWithoutEffectIsToldNothingOfAnotherRequest(Way way) {
        Outcome<String> outcome = call(way, this::giveToAnotherRequest, new IllegalArgumentException("declined"));

        assertThat(outcome).isEqualTo(new Outcome.KeyReused<>(KEY));
    }

    @ParameterizedTest
    @EnumSource
    void callWithoutEffectIsNotToldWhatIsNotDurable(Way way) {
        isDurable = false;

        assertThatThrownBy(() -> call(way, () -> end(true), new IllegalArgumentException("declined")))
                .isInstanceOf(OutcomeUnknownException.class);
    }

    /** Its leader may have taken back what the first lookup has seen, before it said that nothing is there. */
    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    void followerThatSawTheEffectOfAFailedAttemptLooksAgain(boolean isStillThere) {
        Pending pending = new Pending(
                KEY, Protocol.EXTERNAL, UUID.randomUUID(), ATTEMPT.request(), Optional.empty(), Duration.ZERO);
        try (Session<Transaction> session = memory.open(KEY)) {
            Optional<IdempotencyRecord> unused = session.autoCommit(
                    steps -> steps.claim(pending, Duration.ofDays(1), Duration.ofSeconds(1), Durability.DURABLE));
        }
        AtomicInteger looks = new AtomicInteger();
        ExternalOperation<String> following = Idempotency.builder(store)
                .clock(clock)
                .build()
                .external("operation", ResultCodec.string(), attempt -> {
                    if (looks.incrementAndGet() == 1) {
                        end(false);
                    }
                    return looks.get() == 1 || isStillThere ? Lookup.found("theirs") : Lookup.notYet();
                })
                .build();

        if (isStillThere) {
            assertThatThrownBy(() -> following.execute(ATTEMPT, key -> "mine"))
                    .isInstanceOfSatisfying(
                            OutcomeUnknownException.class,
                            unknown -> assertThat(unknown.reason()).isEqualTo(Reason.FAILED_WITH_EFFECT));
        } else {
            assertThat(following.execute(ATTEMPT, key -> "mine")).isInstanceOf(Outcome.Rejected.class);
        }
        assertThat(looks).hasValue(2);
    }
}
