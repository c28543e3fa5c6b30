package io.counterpoint.idempotency;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.catchThrowable;

import io.counterpoint.idempotency.IdempotencyEvent.Details;
import io.counterpoint.idempotency.memory.InMemoryIdempotencyStore;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/** Events and their listeners. The testkit's contract says when which event comes. */
class EventsTest {

    private static final IdempotencyKey KEY =
            IdempotencyKey.inScope("scope").operation("pay").value("key");
    private static final Details DETAILS =
            new Details(KEY, 2, Duration.ofMillis(30), Optional.of(new IllegalStateException("s3cret")));

    private final List<IdempotencyEvent> events = new ArrayList<>();

    @Test
    void eventsHaveNamesForMetrics() {
        assertThat(Stream.of(
                                new IdempotencyEvent.Claimed(DETAILS),
                                new IdempotencyEvent.CommitUnknown(DETAILS),
                                new IdempotencyEvent.AfterCommitFailed(DETAILS))
                        .map(IdempotencyEvent::name))
                .containsExactly("claimed", "commit_unknown", "after_commit_failed");
    }

    @Test
    void eventShowsTheClassOfItsCauseAndNoMessage() {
        assertThat(new IdempotencyEvent.CommitUnknown(DETAILS).key()).isSameAs(KEY);
        assertThat(new IdempotencyEvent.CommitUnknown(DETAILS).toString())
                .contains("CommitUnknown", KEY.toString(), "run 2", "30 ms", "java.lang.IllegalStateException")
                .doesNotContain("s3cret", "scope");
    }

    @Test
    void definitionsThatShareANameAreReportedOnceWithACall() {
        Idempotency<?> idempotency = Idempotency.builder(new InMemoryIdempotencyStore())
                .listener(events::add)
                .build();
        Operation<?, Done> first = idempotency.operation("pay").build();
        Operation<?, Done> other = idempotency.operation("other").build();
        Operation<?, Done> second = idempotency.operation("pay").build();
        Operation<?, Done> third = idempotency.operation("pay").build();

        for (Operation<?, Done> any : List.of(other, first, second, third)) {
            Outcome<Done> unused =
                    any.execute(Attempt.inScope("scope").key("key").withoutRequest(), transaction -> Done.DONE);
        }

        assertThat(events.stream().filter(IdempotencyEvent.NameShared.class::isInstance))
                .singleElement()
                .satisfies(event -> assertThat(event.toString()).contains("DoneCodec", "EventsTest.java", " and "))
                .extracting(event -> event.key().operation())
                .isEqualTo("pay");
    }

    /** A definition may be built anew, as in tests, or with other settings. */
    @Test
    void definitionThatIsBuiltAgainSharesNoName() {
        Idempotency<?> idempotency = Idempotency.builder(new InMemoryIdempotencyStore())
                .listener(events::add)
                .build();
        for (int retries = 0; retries < 3; retries++) {
            Outcome<Done> unused = idempotency
                    .operation("pay")
                    .maxRetries(retries)
                    .build()
                    .execute(Attempt.inScope("scope").key("key").withoutRequest(), transaction -> Done.DONE);
        }

        assertThat(events).hasSize(4).noneMatch(IdempotencyEvent.NameShared.class::isInstance);
    }

    @Test
    void kindAndCodecTellDefinitionsApart() {
        Idempotency<?> idempotency = Idempotency.builder(new InMemoryIdempotencyStore())
                .listener(events::add)
                .build();
        List<ResultCodec<String>> codecs = List.of(ResultCodec.string(), new ResultCodec<>() {
            @Override
            public byte[] encode(String result) {
                return new byte[0];
            }

            @Override
            public String decode(byte[] bytes) {
                return "";
            }
        });
        for (ResultCodec<String> codec : codecs) {
            Outcome<String> unused = idempotency
                    .operation("pay", codec)
                    .build()
                    .execute(Attempt.inScope("scope").key("key").withoutRequest(), transaction -> "result");
        }

        assertThat(events)
                .filteredOn(IdempotencyEvent.NameShared.class::isInstance)
                .hasSize(1);
    }

    @Test
    void eventSaysHowOftenTheWorkHasRunAndHowLongTheCallTakes() {
        TestClock clock = new TestClock();
        IllegalStateException passes = new IllegalStateException("passes");
        Operation<?, Done> pay = Idempotency.builder(new InMemoryIdempotencyStore())
                .listener(events::add)
                .clock(clock)
                .build()
                .operation("pay")
                .retryOn(passes::equals)
                .build();

        Outcome<Done> unusedFirst =
                pay.execute(Attempt.inScope("scope").key("key").withoutRequest(), transaction -> {
                    clock.now = clock.now.plusSeconds(1);
                    if (events.size() < 2) {
                        throw passes;
                    }
                    return Done.DONE;
                });
        Outcome<Done> unused =
                pay.execute(Attempt.inScope("scope").key("key").withoutRequest(), transaction -> Done.DONE);

        assertThat(events.stream().map(IdempotencyEvent::name))
                .containsExactly("claimed", "retried", "succeeded", "replayed");
        assertThat(events.stream().map(event -> event.details().runs())).containsExactly(0, 1, 2, 0);
        assertThat(events.stream().map(event -> event.details().elapsed().toSeconds()))
                .containsExactly(0L, 1L, 2L, 0L);
        assertThat(events.get(1).cause()).containsSame(passes);
    }

    @Test
    void listenerOfOneKindReceivesThatKindOnly() {
        IdempotencyListener listener = IdempotencyListener.on(IdempotencyEvent.Claimed.class, events::add);
        listener.onEvent(new IdempotencyEvent.Succeeded(DETAILS));
        listener.onEvent(new IdempotencyEvent.Claimed(DETAILS));
        assertThat(events).containsExactly(new IdempotencyEvent.Claimed(DETAILS));
    }

    @Test
    void nextListenerReceivesWhatTheFirstThrowsFor() {
        IllegalStateException refusal = new IllegalStateException();
        IdempotencyListener first = event -> {
            throw refusal;
        };
        IdempotencyEvent event = new IdempotencyEvent.Claimed(DETAILS);
        assertThat(catchThrowable(() -> first.andThen(events::add).onEvent(event)))
                .isSameAs(refusal);
        assertThat(events).containsExactly(event);
    }

    @Test
    void missingListenerIsRefused() {
        assertThatThrownBy(() ->
                        Idempotency.builder(new InMemoryIdempotencyStore()).listener(missing()))
                .isInstanceOf(NullPointerException.class)
                .hasMessage("listener");
    }

    @SuppressWarnings({"NullAway", "TypeParameterUnusedInFormals"})
    private static <T> T missing() {
        return null;
    }

    private static final class TestClock implements IdempotencyClock {
        private Instant now = Instant.EPOCH;

        @Override
        public Instant now() {
            return now;
        }

        @Override
        public void sleep(Duration pause) {
            now = now.plus(pause);
        }
    }
}
