package io.counterpoint.idempotency.consistency.outbox;

import static io.counterpoint.idempotency.jdbc.Isolation.READ_COMMITTED;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.counterpoint.idempotency.consistency.Transactions;
import io.counterpoint.idempotency.consistency.outbox.OutboxPublisher.Round;
import io.counterpoint.idempotency.consistency.testing.TestDatabase;
import io.counterpoint.idempotency.consistency.testing.TestDatabase.Kind;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.Parameter;
import org.junit.jupiter.params.ParameterizedClass;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.MethodSource;

/** One event that fails, however it fails, takes nothing from the others of its batch. */
@Tag("thorough")
@ParameterizedClass
@EnumSource
class PoisonTest {

    private static final String TOPIC = "search";
    private static final int BATCH = 20;
    private static final int POISONOUS = 7;
    private static final int ATTEMPTS = 3;

    @Parameter
    Kind kind;

    private TestDatabase database;
    private final Outbox outbox = Outbox.create();
    private final List<String> taken = Collections.synchronizedList(new ArrayList<>());

    @BeforeEach
    void open() {
        database = TestDatabase.create(kind);
        database.jdbi().useHandle(outbox::createTableIfMissing);
    }

    @AfterEach
    void close() {
        database.close();
    }

    private static final class SilentException extends RuntimeException {
        private static final long serialVersionUID = 1L;

        @Override
        @SuppressWarnings({"OverrideThrowableToString", "ToStringReturnsNull"})
        public String toString() {
            return null;
        }
    }

    private static final class UnprintableException extends RuntimeException {
        private static final long serialVersionUID = 1L;

        @Override
        public String getMessage() {
            throw new IllegalStateException("no message");
        }
    }

    static Stream<Throwable> poisons() {
        return Stream.of(
                new IllegalStateException("a NUL \0 within"),
                new IllegalStateException("\0"),
                new IllegalStateException("lone \ud800 and \udc00 surrogates"),
                new IllegalStateException("x".repeat(960) + "\ud83d\ude00".repeat(50)),
                new IllegalStateException("\0".repeat(3_000_000)),
                new IllegalStateException(),
                new SilentException(),
                new UnprintableException(),
                new AssertionError("an Error with a NUL \0"),
                new LinkageError(),
                new StackOverflowError());
    }

    @ParameterizedTest
    @MethodSource("poisons")
    void poisonIsParkedAndItsNeighboursGoOut(Throwable poison) {
        append(BATCH);
        OutboxPublisher publisher = poisonedBy(poison).build();
        Round first = publisher.publishOnce();
        assertThat(first).extracting(Round::published, Round::failed).containsExactly(BATCH - 1, 1);
        assertThat(taken).hasSize(BATCH - 1).doesNotHaveDuplicates();
        assertThat(database.count("outbox_event WHERE attempts > 1")).isZero();
        for (int attempt = 2; attempt <= ATTEMPTS; attempt++) {
            letClaimsEnd();
            assertThat(publisher.publishOnce().published()).isZero();
        }
        List<ParkedEvent> parked = database.jdbi().withHandle(handle -> outbox.parked(handle, 10));
        assertThat(parked).singleElement().satisfies(event -> {
            assertThat(event.event().payload()).isEqualTo(String.valueOf(POISONOUS));
            assertThat(event.attempts()).isEqualTo(ATTEMPTS);
            assertThat(event.error()).isNotBlank().doesNotContain("\0").hasSizeLessThanOrEqualTo(1000);
        });
    }

    @Test
    void neighboursOfAKillerLoseNoAttempt() {
        append(BATCH);
        OutboxPublisher publisher = poisonedBy(new OutOfMemoryError("as if")).build();
        for (int death = 1; death <= ATTEMPTS; death++) {
            assertThatThrownBy(publisher::publishOnce).isInstanceOf(OutOfMemoryError.class);
            assertThat(database.count("outbox_event WHERE payload <> '7' AND attempts > 1"))
                    .isZero();
            letClaimsEnd();
        }
        Round last = publisher.publishAll();
        assertThat(last.parked()).isEqualTo(1);
        assertThat(taken).hasSize(BATCH - 1).doesNotHaveDuplicates();
    }

    @Test
    void unreachableOutboxCostsNoAttempt() {
        append(BATCH);
        OutboxPublisher publisher = OutboxPublisher.builder(Transactions.on(database.store()), outbox, TOPIC, event -> {
                    taken.add(event.payload());
                    database.execute("ALTER TABLE outbox_event RENAME TO away");
                })
                .build();
        assertThatThrownBy(publisher::publishOnce).isInstanceOf(RuntimeException.class);
        database.execute("ALTER TABLE away RENAME TO outbox_event");
        assertThat(taken).hasSize(1);
        assertThat(database.count("outbox_event WHERE attempts > 0")).isEqualTo(1);
    }

    @Test
    void errorIsHeardAndTheThreadGoesOn() throws Exception {
        append(2);
        List<String> heard = Collections.synchronizedList(new ArrayList<>());
        AtomicInteger calls = new AtomicInteger();
        CountDownLatch both = new CountDownLatch(2);
        List<Throwable> errors = List.of(new AssertionError("once"), new OutOfMemoryError("as if"));
        OutboxPublisher publisher = OutboxPublisher.builder(Transactions.on(database.store()), outbox, TOPIC, event -> {
                    int call = calls.getAndIncrement();
                    if (call < 2) {
                        throw (Error) errors.get(call);
                    }
                    both.countDown();
                })
                .claimFor(Duration.ofMillis(50))
                .poll(Duration.ofMillis(5))
                .retryAfter(Duration.ofMillis(5), Duration.ofMillis(5))
                .listener(new OutboxPublisher.Listener() {
                    @Override
                    public void refused(OutboxEvent event, int attempt, Throwable thrown) {
                        heard.add("refused " + thrown.getMessage());
                    }

                    @Override
                    public void failed(String topic, Throwable thrown) {
                        heard.add("failed " + thrown.getMessage());
                        throw new IllegalStateException("A listener's own failure changes nothing.");
                    }
                })
                .build()
                .start();
        try (publisher) {
            assertThat(both.await(30, TimeUnit.SECONDS)).isTrue();
        }
        assertThat(heard).containsExactly("refused once", "refused as if", "failed as if");
    }

    @Test
    void refusedAppendDoesNotShowThePayload() {
        String secret = "card 4111";
        OutboxEvent event = OutboxEvent.ordered(TOPIC, "patient 4711", secret);
        assertThatThrownBy(() -> append(event, event))
                .satisfies(thrown -> assertThat(stackTrace(thrown))
                        .contains(event.id().toString(), "SQLSTATE 23")
                        .doesNotContain(secret, "4711"));
        database.execute("DROP TABLE outbox_event");
        assertThatThrownBy(() -> append(event))
                .satisfies(thrown -> assertThat(stackTrace(thrown)).doesNotContain(secret, "4711"));
    }

    @Test
    void textThatCannotBeStoredIsRefusedAtOnce() {
        for (String text : List.of("card\0 4111", "card\ud800 4111", "\udc00card 4111")) {
            for (Runnable event : List.<Runnable>of(
                    () -> OutboxEvent.of(TOPIC, text),
                    () -> OutboxEvent.of(text, "x"),
                    () -> OutboxEvent.ordered(TOPIC, text, "x"))) {
                assertThatThrownBy(event::run)
                        .isInstanceOf(IllegalArgumentException.class)
                        .hasMessageNotContaining("4111");
            }
        }
        append(OutboxEvent.of(TOPIC, "\ud83d\ude00"));
        assertThat(database.count("outbox_event")).isEqualTo(1);
    }

    private static String stackTrace(Throwable thrown) {
        StringWriter text = new StringWriter();
        thrown.printStackTrace(new PrintWriter(text, true));
        return text.toString();
    }

    private OutboxPublisher.Builder poisonedBy(Throwable poison) {
        return OutboxPublisher.builder(Transactions.on(database.store()), outbox, TOPIC, event -> {
                    if (event.payload().equals(String.valueOf(POISONOUS))) {
                        PoisonTest.<RuntimeException>raise(poison);
                    }
                    taken.add(event.payload());
                })
                .attempts(ATTEMPTS);
    }

    @SuppressWarnings("unchecked")
    private static <X extends Throwable> void raise(Throwable thrown) throws X {
        throw (X) thrown;
    }

    private void append(int events) {
        append(IntStream.range(0, events)
                .mapToObj(i -> OutboxEvent.of(TOPIC, Integer.toString(i)))
                .toArray(OutboxEvent[]::new));
    }

    private void append(OutboxEvent... events) {
        Transactions.on(database.store())
                .useTransaction(READ_COMMITTED, handle -> outbox.append(handle, Arrays.asList(events)));
    }

    private void letClaimsEnd() {
        database.execute("UPDATE outbox_event SET due_at = appended_at WHERE due_at IS NOT NULL");
    }
}
