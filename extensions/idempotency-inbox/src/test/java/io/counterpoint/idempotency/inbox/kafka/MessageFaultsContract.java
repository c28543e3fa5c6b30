package io.counterpoint.idempotency.inbox.kafka;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import com.zaxxer.hikari.HikariConfig;
import com.zaxxer.hikari.HikariDataSource;
import io.counterpoint.idempotency.Fingerprint;
import io.counterpoint.idempotency.inbox.DeadLetter.Reason;
import io.counterpoint.idempotency.inbox.DeadLetterTable;
import io.counterpoint.idempotency.inbox.Inbox;
import io.counterpoint.idempotency.inbox.InboxBuilder;
import io.counterpoint.idempotency.inbox.InboxListener;
import io.counterpoint.idempotency.inbox.MessageFormat;
import io.counterpoint.idempotency.inbox.Receipt;
import io.counterpoint.idempotency.inbox.Receipt.Fate;
import io.counterpoint.idempotency.internal.Rethrow;
import io.counterpoint.idempotency.jdbc.JdbiIdempotencyStore;
import io.counterpoint.idempotency.testing.PostgresServer;
import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.stream.Stream;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.jdbi.v3.core.Handle;
import org.jdbi.v3.core.Jdbi;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * One message of a poll is bad: a function of the application throws for it, or returns null. The product of functions,
 * faults and places in the poll. The other messages have their effects, in their order, and each one effect.
 */
abstract class MessageFaultsContract {

    private static final String BAD = "bad";

    /** The function that is asked about the bad message. */
    enum Function {
        IDENTITY,
        FINGERPRINT,
        ORDER_KEY,
        HASH_OF_THE_ORDER_KEY,
        ORIGIN,
        ORIGIN_WITHOUT_IDENTITY,
        CONTENT,
        CONTENT_OF_POISON,
        ALL_BUT_THE_IDENTITY,
        HANDLER,
        BATCH_HANDLER,
        RETRY_ON,
        DEAD_LETTERS,
        LISTENER;

        boolean returns() {
            return switch (this) {
                case HASH_OF_THE_ORDER_KEY, HANDLER, BATCH_HANDLER, RETRY_ON, DEAD_LETTERS, LISTENER -> false;
                default -> true;
            };
        }

        /** Whether what it throws postpones the message, outside the engine's own write of a failure. */
        boolean reachesTheThread() {
            return this != ORIGIN
                    && this != LISTENER
                    && this != RETRY_ON
                    && this != DEAD_LETTERS
                    && this != CONTENT_OF_POISON;
        }

        /** Whether the order of the bad message is unknown. */
        boolean hidesTheOrder() {
            return this == ORDER_KEY || this == HASH_OF_THE_ORDER_KEY || this == ALL_BUT_THE_IDENTITY;
        }
    }

    /** What the function does. */
    enum Fault {
        CHECKED,
        UNCHECKED,
        UNPRINTABLE,
        ERROR,
        STACK_OVERFLOW,
        OUT_OF_MEMORY,
        INTERRUPTED,
        NULL;

        boolean passes() {
            return this == OUT_OF_MEMORY || this == INTERRUPTED;
        }

        /** Throws, or returns null. */
        <T> @Nullable T insteadOf(T unused) {
            happen();
            return null;
        }

        void happen() {
            switch (this) {
                case CHECKED -> throw Rethrow.unchanged(new IOException("a checked exception"));
                case UNCHECKED -> throw new IllegalArgumentException("an unchecked exception");
                case UNPRINTABLE -> throw new Unprintable();
                case ERROR -> throw new AssertionError("an error");
                case STACK_OVERFLOW -> throw new StackOverflowError("deep JSON");
                case OUT_OF_MEMORY -> throw new OutOfMemoryError("a large message");
                case INTERRUPTED -> throw Rethrow.unchanged(new InterruptedException("stop"));
                case NULL -> {}
            }
        }
    }

    /** Where in its poll the bad message is. */
    enum Place {
        FIRST,
        MIDDLE,
        LAST;

        List<String> poll() {
            return switch (this) {
                case FIRST -> List.of(BAD, "one", "other", "two");
                case MIDDLE -> List.of("one", BAD, "other", "two");
                case LAST -> List.of("one", "other", "two", BAD);
            };
        }
    }

    /** A case. */
    record Case(Function function, Fault fault, Place place) {

        Fate fateOfTheBadMessage() {
            return switch (function) {
                case ORIGIN, LISTENER -> Fate.PROCESSED;
                case RETRY_ON -> Fate.DEAD_LETTER;
                case DEAD_LETTERS -> Fate.POSTPONED;
                default -> fault.passes() ? Fate.POSTPONED : Fate.DEAD_LETTER;
            };
        }

        /** In the order of the poll. */
        List<Fate> fates(boolean oneOrderForAll) {
            List<Fate> fates = new ArrayList<>();
            boolean postponed = false;
            for (String id : place.poll()) {
                if (id.equals(BAD)) {
                    fates.add(fateOfTheBadMessage());
                    postponed = fateOfTheBadMessage() == Fate.POSTPONED;
                } else {
                    boolean follows = !id.equals("other") || (oneOrderForAll && function.hidesTheOrder());
                    fates.add(postponed && follows ? Fate.POSTPONED : Fate.PROCESSED);
                }
            }
            return fates;
        }
    }

    private static String url;
    private static HikariDataSource pool;
    private static Jdbi jdbi;
    private static int inboxes;

    private volatile boolean isBad = true;

    @BeforeAll
    static void connect() throws Exception {
        url = PostgresServer.shared().createDatabase();
        HikariConfig config = new HikariConfig();
        config.setJdbcUrl(url);
        config.setMaximumPoolSize(2);
        pool = new HikariDataSource(config);
        jdbi = Jdbi.create(pool);
        JdbiIdempotencyStore unused = JdbiIdempotencyStore.on(jdbi).createTableIfMissing();
        jdbi.useHandle(handle -> {
            handle.execute("CREATE TABLE effect (number BIGSERIAL, inbox TEXT NOT NULL, id TEXT NOT NULL)");
            DeadLetterTable.createIfMissing(handle.getConnection());
        });
    }

    @AfterAll
    static void giveBack() {
        pool.close();
        PostgresServer.shared().giveBack(url);
    }

    static Stream<Case> cases() {
        return Stream.of(Function.values())
                .flatMap(function -> Stream.of(Fault.values())
                        .filter(fault -> fault != Fault.NULL || function.returns())
                        .flatMap(fault -> Stream.of(Place.values()).map(place -> new Case(function, fault, place))));
    }

    /** Hands a poll to the inbox, and compares what is acknowledged with what may be. */
    abstract void deliver(
            Inbox<Handle, ConsumerRecord<String, String>> inbox,
            List<ConsumerRecord<String, String>> poll,
            Case expected);

    @ParameterizedTest
    @MethodSource("cases")
    void neighboursOfABadMessageHaveTheirEffects(Case tried) {
        String name = getClass().getSimpleName() + ++inboxes;
        Inbox<Handle, ConsumerRecord<String, String>> inbox = inbox(name, tried);
        List<ConsumerRecord<String, String>> poll = poll(tried.place());
        try {
            deliver(inbox, poll, tried);
        } catch (OutOfMemoryError | Unprintable thrown) {
            // The test runner can report neither.
            throw new AssertionError("It ended the call: " + thrown.getClass().getName());
        }
        boolean isInterrupted = Thread.interrupted();
        if (tried.fault() == Fault.INTERRUPTED && tried.function().reachesTheThread()) {
            assertThat(isInterrupted).as("the thread is asked to stop").isTrue();
        }
        List<String> before = effects(name);
        int letters = letters(name);
        assertThat(letters).as("dead letters").isEqualTo(tried.fateOfTheBadMessage() == Fate.DEAD_LETTER ? 1 : 0);

        isBad = false;
        assertThat(inbox.process(poll)).allMatch(Receipt::isAcknowledgeable);
        List<String> after = effects(name);
        assertThat(after).as("each once").doesNotHaveDuplicates().contains("one", "two", "other");
        assertThat(after.subList(0, before.size())).isEqualTo(before);
        if (tried.fateOfTheBadMessage() == Fate.POSTPONED) {
            assertThat(after.stream().filter(id -> !id.equals("other")))
                    .as("in order")
                    .containsExactlyElementsOf(tried.place().poll().stream()
                            .filter(id -> !id.equals("other"))
                            .toList());
        }
        assertThat(letters(name)).as("dead letters").isEqualTo(letters);
    }

    /** In partition 0, but for one message. */
    private static List<ConsumerRecord<String, String>> poll(Place place) {
        List<ConsumerRecord<String, String>> poll = new ArrayList<>();
        long[] offsets = new long[2];
        for (String id : place.poll()) {
            int partition = id.equals("other") ? 1 : 0;
            poll.add(new ConsumerRecord<>("faults", partition, offsets[partition]++, "key", id));
        }
        return poll;
    }

    private boolean isBad(ConsumerRecord<String, String> message) {
        return isBad && message.value().equals(BAD);
    }

    private Inbox<Handle, ConsumerRecord<String, String>> inbox(String name, Case tried) {
        InboxBuilder<Handle, ConsumerRecord<String, String>> builder =
                Inbox.builder(JdbiIdempotencyStore.on(jdbi), name, new Format(tried));
        DeadLetterTable<Handle> table = DeadLetterTable.through(Handle::getConnection);
        builder.identity(message -> identity(message, tried))
                .deadLetters((handle, letter) -> {
                    table.store(handle, letter);
                    if (isBad && tried.function() == Function.DEAD_LETTERS) {
                        tried.fault().happen();
                    }
                })
                .retryOn(thrown -> {
                    if (isBad && tried.function() == Function.RETRY_ON) {
                        tried.fault().happen();
                    }
                    return false;
                })
                .listener(listener(tried));
        if (tried.function() == Function.FINGERPRINT) {
            builder.fingerprint(message -> {
                Fingerprint fingerprint = Fingerprint.ofParts(message.value());
                return isBad(message) ? tried.fault().insteadOf(fingerprint) : fingerprint;
            });
        }
        if (tried.function() == Function.CONTENT_OF_POISON) {
            builder.fingerprint(message -> Fingerprint.ofParts(message.value()));
        }
        return tried.function() == Function.BATCH_HANDLER
                ? builder.buildForBatches(
                        (handle, messages) -> messages.forEach(message -> book(handle, name, message, tried)))
                : builder.build((handle, message) -> book(handle, name, message, tried));
    }

    private void book(Handle handle, String name, ConsumerRecord<String, String> message, Case tried) {
        handle.execute("INSERT INTO effect (inbox, id) VALUES (?, ?)", name, message.value());
        if (!isBad(message)) {
            return;
        }
        switch (tried.function()) {
            case HANDLER, BATCH_HANDLER -> tried.fault().happen();
            case RETRY_ON, DEAD_LETTERS, CONTENT_OF_POISON -> throw new IllegalStateException("poison");
            default -> {}
        }
    }

    private InboxListener listener(Case tried) {
        return new InboxListener() {
            @Override
            public void deadLetter(String inbox, String origin, Reason reason) {
                fail();
            }

            @Override
            public void processed(String inbox, Counts counts, Duration duration) {
                fail();
            }

            private void fail() {
                if (tried.function() == Function.LISTENER) {
                    tried.fault().happen();
                }
            }
        };
    }

    private List<String> effects(String name) {
        return jdbi.withHandle(handle -> handle.createQuery("SELECT id FROM effect WHERE inbox = ? ORDER BY number")
                .bind(0, name)
                .mapTo(String.class)
                .list());
    }

    private int letters(String name) {
        return jdbi.withHandle(handle -> handle.createQuery("SELECT count(*) FROM inbox_dead_letter WHERE inbox = ?")
                .bind(0, name)
                .mapTo(int.class)
                .one());
    }

    /** The functions of a broker's messages, of which one may be bad. */
    private final class Format implements MessageFormat<ConsumerRecord<String, String>> {
        private final Case tried;

        private Format(Case tried) {
            this.tried = tried;
        }

        private boolean fails(ConsumerRecord<String, String> message, Function... functions) {
            return isBad(message)
                    && (List.of(functions).contains(tried.function())
                            || tried.function() == Function.ALL_BUT_THE_IDENTITY);
        }

        @Override
        public @Nullable String origin(ConsumerRecord<String, String> message) {
            String origin = "faults/" + message.partition() + "/" + message.offset();
            return fails(message, Function.ORIGIN, Function.ORIGIN_WITHOUT_IDENTITY)
                    ? tried.fault().insteadOf(origin)
                    : origin;
        }

        @Override
        public @Nullable Object orderKey(ConsumerRecord<String, String> message) {
            Object key = message.partition();
            if (fails(message, Function.HASH_OF_THE_ORDER_KEY) && tried.function() == Function.HASH_OF_THE_ORDER_KEY) {
                return new Unhashable(tried.fault());
            }
            return fails(message, Function.ORDER_KEY) ? tried.fault().insteadOf(key) : key;
        }

        @Override
        public byte @Nullable [] content(ConsumerRecord<String, String> message) {
            byte[] content = message.value().getBytes(UTF_8);
            return fails(message, Function.CONTENT, Function.CONTENT_OF_POISON)
                    ? tried.fault().insteadOf(content)
                    : content;
        }
    }

    @SuppressWarnings("NullableOptional") // A bad function returns null.
    private @Nullable Optional<String> identity(ConsumerRecord<String, String> message, Case tried) {
        Optional<String> identity = Optional.of(message.value());
        if (!isBad(message)) {
            return identity;
        }
        return switch (tried.function()) {
            case IDENTITY -> tried.fault().insteadOf(identity);
            case ORIGIN_WITHOUT_IDENTITY -> Optional.empty();
            default -> identity;
        };
    }

    /** An order key that cannot be compared. */
    private static final class Unhashable {
        private final Fault fault;

        private Unhashable(Fault fault) {
            this.fault = fault;
        }

        @Override
        public boolean equals(@Nullable Object other) {
            return this == other;
        }

        @Override
        public int hashCode() {
            fault.happen();
            return 0;
        }
    }

    /** An exception that cannot even be printed. */
    private static final class Unprintable extends RuntimeException {
        @Override
        public String toString() {
            throw new IllegalStateException("no text");
        }

        @Override
        public String getMessage() {
            throw new IllegalStateException("no message");
        }
    }
}
