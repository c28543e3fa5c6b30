package io.counterpoint.idempotency.micrometer;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.counterpoint.idempotency.Attempt;
import io.counterpoint.idempotency.Idempotency;
import io.counterpoint.idempotency.IdempotencyClock;
import io.counterpoint.idempotency.Lookup;
import io.counterpoint.idempotency.OutcomeUnknownException;
import io.counterpoint.idempotency.ResultCodec;
import io.counterpoint.idempotency.memory.InMemoryIdempotencyStore;
import io.micrometer.observation.Observation;
import io.micrometer.observation.ObservationHandler;
import io.micrometer.observation.ObservationRegistry;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.Test;

class ObservedCallsTest {

    @Test
    void observedClockTellsBothTimesOfItsClock() {
        IdempotencyClock clock = new IdempotencyClock() {
            @Override
            public Instant now() {
                return Instant.ofEpochSecond(1);
            }

            @Override
            public Instant wallTime() {
                return Instant.ofEpochSecond(2);
            }

            @Override
            public void sleep(Duration pause) {}
        };

        IdempotencyClock observed =
                ObservedCalls.in(ObservationRegistry.create()).observing(clock);

        assertThat(observed.now()).isEqualTo(clock.now());
        assertThat(observed.wallTime()).isEqualTo(clock.wallTime());
    }

    @Test
    void spanOfAReplayHasTheKeyOfTheFirstExecutionAndNoScope() {
        List<String> keys = new ArrayList<>();
        ObservationRegistry observations = ObservationRegistry.create();
        observations.observationConfig().observationHandler(new ObservationHandler<>() {
            @Override
            public void onStop(Observation.Context context) {
                keys.add(context.getHighCardinalityKeyValue(ObservedCalls.KEY).getValue());
            }

            @Override
            public boolean supportsContext(Observation.Context context) {
                return true;
            }
        });
        var idempotency = Idempotency.builder(new InMemoryIdempotencyStore())
                .observer(ObservedCalls.in(observations))
                .build();
        var pay = idempotency.operation("pay", ResultCodec.string()).build();
        var refund = idempotency
                .external("refund", ResultCodec.string(), unresolved -> Lookup.notYet())
                .build();
        Attempt attempt = Attempt.inScope("user:42").key("of-the-client").withoutRequest();
        for (int calls = 0; calls < 2; calls++) {
            assertThat(pay.execute(attempt, transaction -> "paid").asOptional()).contains("paid");
        }
        assertThatThrownBy(() -> refund.execute(attempt, key -> {
                    throw new IllegalStateException("no answer");
                }))
                .isInstanceOf(OutcomeUnknownException.class);

        assertThat(keys)
                .containsExactly(
                        pay.keyOf(attempt).toString(),
                        pay.keyOf(attempt).toString(),
                        refund.keyOf(attempt).toString());
        assertThat(String.join(" ", keys)).doesNotContain("user:42", "of-the-client");
    }

    /** A caller that no longer waits ends it too, and a handler that fails changes nothing. */
    @Test
    void observationOfAnAsynchronousCallEndsOnceAsItsCallerSeesIt() {
        List<String> stopped = new ArrayList<>();
        ObservationRegistry observations = ObservationRegistry.create();
        observations.observationConfig().observationHandler(new ObservationHandler<>() {
            @Override
            public void onStop(Observation.Context context) {
                stopped.add(context.getLowCardinalityKeyValue("outcome").getValue());
                throw new IllegalStateException("a handler that fails");
            }

            @Override
            public boolean supportsContext(Observation.Context context) {
                return true;
            }
        });
        var mail = Idempotency.builder(new InMemoryIdempotencyStore())
                .observer(ObservedCalls.in(observations))
                .build()
                .external("mail", ResultCodec.string(), unresolved -> Lookup.notYet())
                .build();
        Attempt attempt = Attempt.inScope("user:42").key("k").withoutRequest();
        CompletableFuture<String> work = new CompletableFuture<>();

        var waiting = mail.executeAsync(attempt, key -> work).toCompletableFuture();
        assertThat(stopped).isEmpty();
        assertThat(waiting.cancel(true)).isTrue();
        work.complete("sent");
        assertThat(mail.execute(attempt, key -> "never").asOptional()).contains("sent");

        assertThat(stopped).containsExactly("error", "replayed");
    }
}
