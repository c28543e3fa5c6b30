package io.counterpoint.idempotency.consistency.outbox;

import static io.counterpoint.idempotency.jdbc.Isolation.READ_COMMITTED;
import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import io.counterpoint.idempotency.Fingerprint;
import io.counterpoint.idempotency.consistency.Transactions;
import io.counterpoint.idempotency.consistency.testing.TestDatabase;
import io.counterpoint.idempotency.consistency.testing.TestDatabase.Kind;
import java.math.BigDecimal;
import java.math.BigInteger;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Random;
import java.util.UUID;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/**
 * Random inputs, the same in every build: 200,000, or as many as {@code -Dfuzz.inputs} says. Each has one of the answers
 * that are defined for it; any other fails, and so does a process that is killed by one.
 */
@Tag("matrix")
class FuzzTest {

    private static final int INPUTS = Integer.getInteger("fuzz.inputs", 200_000);
    private static final long SEED = 20_261_122;
    private static final int BATCH = 1_000;
    private static final int LONGEST_ERROR = 1_000;
    private static final String TOPIC = "fuzz";

    private final Random random = new Random(SEED);

    @Test
    void textsAreStoredOrReplacedOrRefused() {
        int inputs = INPUTS / 2;
        int replaced = 0;
        for (int i = 0; i < inputs; i++) {
            String text = text(i % 1_000 == 0 ? 200_000 : 60);
            int most = 2 + random.nextInt(80);
            int unstorable = Texts.unstorable(text);
            assertThat(unstorable == -1).isEqualTo(isStorable(text));
            if (unstorable >= 0) {
                replaced++;
                assertThat(isStorable(text.substring(0, unstorable))).isTrue();
            }
            String stored = Texts.storable(text, most);
            check(
                    isStorable(stored)
                            && stored.length() <= most
                            && Texts.storable(stored, most).equals(stored),
                    text);
            check(unstorable >= 0 || text.startsWith(stored), text);
            check(stored.length() >= Math.min(text.length(), most - 1), text);
            String error = Texts.error(throwable(text), most);
            check(isStorable(error) && !error.isEmpty() && error.length() <= most, text);
        }
        report("texts", inputs, replaced + " not storable as they were");
    }

    @ParameterizedTest
    @EnumSource(names = {"H2", "MARIADB"})
    void payloadsArriveAsTheyWereOrAreRefused(Kind kind) {
        int inputs = INPUTS / (kind == Kind.H2 ? 10 : 40);
        int refused = 0;
        try (TestDatabase database = TestDatabase.create(kind)) {
            Outbox outbox = Outbox.create();
            database.jdbi().useHandle(outbox::createTableIfMissing);
            for (int done = 0; done < inputs; done += BATCH) {
                Map<UUID, OutboxEvent> events = new HashMap<>();
                for (int i = 0; i < Math.min(BATCH, inputs - done); i++) {
                    String payload = text(i % 500 == 0 ? 100_000 : 60);
                    String key = text(300);
                    try {
                        OutboxEvent event = new OutboxEvent(UUID.randomUUID(), TOPIC, Optional.of(key), payload);
                        events.put(event.id(), event);
                    } catch (IllegalArgumentException defined) {
                        refused++;
                        check(!isStorable(payload) || !isStorable(key) || key.isEmpty() || key.length() > 255, payload);
                        assertThat(defined.getMessage()).contains("of an event must");
                    }
                }
                Transactions.on(database.store())
                        .useTransaction(READ_COMMITTED, handle -> outbox.append(handle, events.values()));
                List<OutboxEvent> read = database.jdbi()
                        .withHandle(handle -> handle.createQuery("SELECT " + Outbox.COLUMNS + " FROM outbox_event")
                                .map((row, context) -> Outbox.event(row))
                                .list());
                assertThat(read).hasSameSizeAs(events.values());
                read.forEach(event -> check(event.equals(events.get(event.id())), event.payload()));
                database.execute("DELETE FROM outbox_event");
            }
        }
        report("payloads on " + kind, inputs, refused + " refused");
    }

    /** Batch by batch: H2 looks at all events of a topic for each one that it claims. */
    @Test
    void everyThrowableIsBookedForItsOwnEvent() {
        int inputs = INPUTS / 40;
        int parked = 0;
        try (TestDatabase database = TestDatabase.create(TestDatabase.Kind.H2)) {
            Outbox outbox = Outbox.create();
            database.jdbi().useHandle(outbox::createTableIfMissing);
            for (int done = 0; done < inputs; done += BATCH) {
                parked += bookThrowables(database, outbox, Math.min(BATCH, inputs - done));
                database.execute("DELETE FROM outbox_event");
            }
        }
        report("throwables through a publisher on H2", inputs, parked + " parked");
    }

    private int bookThrowables(TestDatabase database, Outbox outbox, int inputs) {
        List<OutboxEvent> events = new ArrayList<>();
        for (int i = 0; i < inputs; i++) {
            events.add(OutboxEvent.of(TOPIC, Integer.toString(i)));
        }
        Transactions.on(database.store()).useTransaction(READ_COMMITTED, handle -> outbox.append(handle, events));
        OutboxPublisher publisher = OutboxPublisher.builder(Transactions.on(database.store()), outbox, TOPIC, event -> {
                    if (Integer.parseInt(event.payload()) % 10 != 0) {
                        FuzzTest.<RuntimeException>raise(
                                throwable(text(random.nextInt(1_000) == 0 ? 1_000_000 : 2_000)));
                    }
                })
                .attempts(1)
                .batch(BATCH)
                .claimFor(Duration.ofHours(1))
                .build();
        OutboxPublisher.Round all = publisher.publishAll();
        int good = (inputs + 9) / 10;
        assertThat(all).extracting("published", "failed", "parked").containsExactly(good, 0, inputs - good);
        assertThat(database.count("outbox_event WHERE attempts <> 1")).isZero();
        List<ParkedEvent> parked = database.jdbi().withHandle(handle -> outbox.parked(handle, Math.max(1, inputs)));
        parked.forEach(event -> check(
                isStorable(event.error())
                        && !event.error().isEmpty()
                        && event.error().length() <= LONGEST_ERROR,
                event.error()));
        return inputs - good;
    }

    @Test
    void fingerprintsAreTakenOrRefused() {
        int inputs = INPUTS * 3 / 8;
        int refused = 0;
        for (int i = 0; i < inputs; i++) {
            List<Object> parts = i % 2_500 == 0 ? extreme() : values(3, 4);
            try {
                Fingerprint fingerprint = Fingerprint.ofParts(parts.toArray());
                check(fingerprint.equals(Fingerprint.ofParts(parts.toArray())), "not the same twice");
                check(!fingerprint.equals(Fingerprint.ofParts(parts, "more")), "the same with more");
                check(Fingerprint.fromBytes(fingerprint.toBytes()).equals(fingerprint), "not stored");
            } catch (IllegalArgumentException defined) {
                refused++;
                assertThat(defined.getMessage()).hasSizeBetween(20, 1_000).endsWith(".");
            }
        }
        report("fingerprints", inputs, refused + " refused");
    }

    // ---- inputs --------------------------------------------------------------------------------------------------

    /** Of all planes, with NULs, lone surrogates, controls and whole pairs; short ones more often. */
    private String text(int most) {
        int length = random.nextInt(4) == 0 ? random.nextInt(most + 1) : random.nextInt(Math.min(most, 12) + 1);
        boolean clean = random.nextBoolean();
        StringBuilder text = new StringBuilder(length);
        while (text.length() < length) {
            switch (clean ? random.nextInt(4) : random.nextInt(40)) {
                case 0 -> text.append((char) (1 + random.nextInt(0xd7ff)));
                case 1 -> text.appendCodePoint(0x10000 + random.nextInt(0xfffff));
                case 4 -> text.append((char) (0xd800 + random.nextInt(0x800)));
                case 5 -> text.append('\0');
                default -> text.append((char) (0x20 + random.nextInt(0x5f)));
            }
        }
        return text.toString();
    }

    private Throwable throwable(String text) {
        return switch (random.nextInt(6)) {
            case 0 -> new IllegalStateException(text);
            case 1 -> new AssertionError(text);
            case 2 -> new Exception(text, new IllegalStateException(text));
            case 3 -> new StackOverflowError(text);
            case 4 -> new IllegalStateException((String) null);
            default -> new LinkageError(text);
        };
    }

    private List<Object> values(int depth, int most) {
        List<Object> values = new ArrayList<>();
        for (int i = random.nextInt(most + 1); i > 0; i--) {
            values.add(value(depth));
        }
        return values;
    }

    private Object value(int depth) {
        return switch (random.nextInt(depth > 0 ? 16 : 14)) {
            case 0 -> text(40);
            case 1 -> random.nextInt();
            case 2 -> random.nextLong();
            case 3 -> random.nextGaussian() * Math.pow(10, random.nextInt(600) - 300);
            case 4 -> Float.intBitsToFloat(random.nextInt());
            case 5 -> new BigInteger(random.nextInt(2_000), random);
            case 6 -> new BigDecimal(new BigInteger(64, random), random.nextInt(400) - 200);
            case 7 -> new UUID(random.nextLong(), random.nextLong());
            case 8 -> Instant.ofEpochSecond(random.nextInt(), random.nextInt(1_000_000_000));
            case 9 -> random.nextBoolean();
            case 10 -> (char) random.nextInt(0x10000);
            case 11 -> text(10).getBytes(UTF_8);
            case 12 -> Map.of("no", "canonical form");
            case 13 -> Duration.ofNanos(random.nextLong());
            default -> values(depth - 1, 4);
        };
    }

    /** What would take a stack, or minutes, if nothing bounded it. */
    private List<Object> extreme() {
        return switch (random.nextInt(4)) {
            case 0 -> nested(20_000);
            case 1 -> List.of(BigInteger.TEN.pow(20_000 + random.nextInt(20_000)));
            case 2 ->
                List.of(new BigDecimal(BigInteger.ONE, random.nextBoolean() ? Integer.MAX_VALUE : -1_000_000_000));
            default -> new ArrayList<>(Collections.nCopies(100_000, "x"));
        };
    }

    private static List<Object> nested(int deep) {
        List<Object> list = new ArrayList<>();
        for (int i = 0; i < deep; i++) {
            list = new ArrayList<>(Arrays.asList(list));
        }
        return list;
    }

    // ---- what is checked -----------------------------------------------------------------------------------------

    /** Not by the toolkit's own rule: by an encoder of the JDK. */
    private static boolean isStorable(String text) {
        return text.indexOf('\0') < 0 && UTF_8.newEncoder().canEncode(text);
    }

    private static void check(boolean holds, String input) {
        if (!holds) {
            throw new AssertionError("Undefined answer for an input of " + input.length() + " characters: "
                    + Texts.storable(input, 200));
        }
    }

    @SuppressWarnings("unchecked")
    private static <X extends Throwable> void raise(Throwable thrown) throws X {
        throw (X) thrown;
    }

    private static void report(String what, int inputs, String how) {
        System.out.println("fuzz: " + inputs + " " + what + ", " + how + ", no undefined answer");
    }
}
