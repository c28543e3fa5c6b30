package io.counterpoint.idempotency.inbox.kafka;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import com.zaxxer.hikari.HikariConfig;
import com.zaxxer.hikari.HikariDataSource;
import io.counterpoint.idempotency.inbox.DeadLetterTable;
import io.counterpoint.idempotency.inbox.Inbox;
import io.counterpoint.idempotency.inbox.Receipt;
import io.counterpoint.idempotency.inbox.Receipt.Fate;
import io.counterpoint.idempotency.jdbc.JdbiIdempotencyStore;
import io.counterpoint.idempotency.testing.PostgresServer;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Random;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.common.header.Header;
import org.jdbi.v3.core.Handle;
import org.jdbi.v3.core.Jdbi;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** Hostile messages, made from a seed: {@code -Dfuzz.seed=7} makes others. */
@Tag("thorough")
class MessageFuzzTest {

    private static final long SEED = Long.getLong("fuzz.seed", 20260103L);
    private static final int POLLS = 40;
    private static final List<String> IDENTITIES = List.of("1", "2", "Ω/é", "';--", "\ud83e\udee0", "x".repeat(255));
    private static final List<byte[]> NO_IDENTITIES = List.of(
            new byte[0],
            bytes(" "),
            bytes("a b"),
            bytes("\0"),
            bytes("a\n"),
            bytes("\u200b"),
            bytes("x".repeat(256)),
            new byte[500_000],
            new byte[] {(byte) 0xff, 'a'},
            new byte[] {(byte) 0xed, (byte) 0xa0, (byte) 0xbd});
    private static final byte[] POISON = {'p', 0};

    private final Random random = new Random(SEED);
    private final long[] offsets = new long[3];
    private String url;
    private HikariDataSource pool;
    private Jdbi jdbi;
    private Inbox<Handle, ConsumerRecord<String, byte[]>> inbox;

    private static byte[] bytes(String text) {
        return text.getBytes(UTF_8);
    }

    @BeforeEach
    void connect() throws Exception {
        url = PostgresServer.shared().createDatabase();
        HikariConfig config = new HikariConfig();
        config.setJdbcUrl(url);
        config.setMaximumPoolSize(2);
        pool = new HikariDataSource(config);
        jdbi = Jdbi.create(pool);
        KafkaMessages<String, byte[]> format = KafkaMessages.ofBytes(new TopicIds(Map.of("fuzz", "t")));
        inbox = Inbox.builder(JdbiIdempotencyStore.on(jdbi).createTableIfMissing(), "fuzz", format)
                .identity(format.header("id"))
                .deadLetters(DeadLetterTable.through(Handle::getConnection))
                .build(MessageFuzzTest::handle);
        jdbi.useHandle(handle -> {
            handle.execute("CREATE TABLE effect (id TEXT NOT NULL)");
            DeadLetterTable.createIfMissing(handle.getConnection());
        });
    }

    @AfterEach
    void giveBack() {
        pool.close();
        PostgresServer.shared().giveBack(url);
    }

    private static void handle(Handle handle, ConsumerRecord<String, byte[]> message) {
        handle.execute("INSERT INTO effect (id) VALUES (?)", identity(message).orElse("none"));
        if (content(message).equals(new String(POISON, UTF_8))) {
            throw new IllegalArgumentException("poison");
        }
    }

    private static Optional<String> identity(ConsumerRecord<String, byte[]> message) {
        Header last = message.headers().lastHeader("id");
        return Optional.ofNullable(last)
                .map(Header::value)
                .map(value -> new String(value, UTF_8))
                .filter(IDENTITIES::contains);
    }

    private static String content(ConsumerRecord<String, byte[]> message) {
        return message.value() == null ? "" : new String(message.value(), UTF_8);
    }

    private <T> T oneOf(List<T> values) {
        return values.get(random.nextInt(values.size()));
    }

    private ConsumerRecord<String, byte[]> message() {
        byte @Nullable [] value = switch (random.nextInt(8)) {
            case 0 -> null;
            case 1 -> new byte[0];
            case 2 -> POISON;
            case 3 -> bytes("x".repeat(500_000));
            default -> bytes("\0" + random.nextInt(2));
        };
        int partition = random.nextInt(offsets.length);
        ConsumerRecord<String, byte[]> message =
                new ConsumerRecord<>("fuzz", partition, offsets[partition]++, null, value);
        for (int headers = random.nextInt(3); headers >= 0; headers--) {
            switch (random.nextInt(5)) {
                case 0 -> message.headers().add("id", oneOf(NO_IDENTITIES));
                case 1 -> message.headers().add("id", null);
                case 2 -> message.headers().add("", new byte[] {0});
                default -> message.headers().add("id", bytes(oneOf(IDENTITIES)));
            }
        }
        return message;
    }

    @Test
    void eachIdentityHasOneEffectAndNoMessageIsPostponed() {
        Map<String, String> first = new HashMap<>();
        for (int poll = 0; poll < POLLS; poll++) {
            if (poll % 10 == 0) {
                // The first message of an identity decides: other contents get their turn.
                jdbi.useHandle(handle -> handle.execute("TRUNCATE effect, idempotency_record"));
                first.clear();
            }
            List<ConsumerRecord<String, byte[]>> messages = new ArrayList<>();
            for (int count = random.nextInt(15); count >= 0; count--) {
                messages.add(message());
            }
            for (boolean again : new boolean[] {false, true}) {
                assertThat(inbox.process(messages).stream().map(Receipt::fate))
                        .as("seed %d, poll %d, again %s: %s", SEED, poll, again, messages)
                        .containsExactlyElementsOf(messages.stream()
                                .map(message -> fate(message, first))
                                .toList());
            }
            assertThat(effects())
                    .as("seed %d, poll %d", SEED, poll)
                    .containsExactlyInAnyOrderElementsOf(first.keySet().stream()
                            .filter(id -> !isPoison(first.get(id)))
                            .toList());
        }
    }

    private static boolean isPoison(@Nullable String content) {
        return new String(POISON, UTF_8).equals(content);
    }

    private static Fate fate(ConsumerRecord<String, byte[]> message, Map<String, String> first) {
        Optional<String> identity = identity(message);
        if (identity.isEmpty()) {
            return Fate.DEAD_LETTER;
        }
        String before = first.putIfAbsent(identity.get(), content(message));
        if (isPoison(content(message)) || (before != null && !before.equals(content(message)))) {
            return Fate.DEAD_LETTER;
        }
        return before == null ? Fate.PROCESSED : Fate.DUPLICATE;
    }

    private List<String> effects() {
        return jdbi.withHandle(handle ->
                handle.createQuery("SELECT id FROM effect").mapTo(String.class).list());
    }
}
