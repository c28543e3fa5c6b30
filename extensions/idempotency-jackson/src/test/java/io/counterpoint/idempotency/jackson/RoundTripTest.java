package io.counterpoint.idempotency.jackson;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import com.fasterxml.jackson.core.type.TypeReference;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.counterpoint.idempotency.jackson.Samples.Account;
import io.counterpoint.idempotency.jackson.Samples.Card;
import io.counterpoint.idempotency.jackson.Samples.Colour;
import io.counterpoint.idempotency.jackson.Samples.Containers;
import io.counterpoint.idempotency.jackson.Samples.Node;
import io.counterpoint.idempotency.jackson.Samples.Numbers;
import io.counterpoint.idempotency.jackson.Samples.Pair;
import io.counterpoint.idempotency.jackson.Samples.Payment;
import io.counterpoint.idempotency.jackson.Samples.Times;
import io.counterpoint.idempotency.jackson.Samples.Values;
import java.lang.reflect.Type;
import java.math.BigDecimal;
import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.time.Instant;
import java.time.Year;
import java.time.YearMonth;
import java.time.ZonedDateTime;
import java.util.Arrays;
import java.util.Comparator;
import java.util.HexFormat;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Random;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.function.Function;
import org.junit.jupiter.api.Test;

/** What is decoded equals what was encoded. */
class RoundTripTest {

    private static final long SEED = 20_261_123;

    private static final JsonCodecs CODECS = JsonCodecs.strict();

    @Test
    void randomNumbersComeBackExactly() {
        comesBack(CODECS.of(Numbers.class), Samples::numbers);
    }

    @Test
    void randomTimesComeBackWithTheirZones() {
        comesBack(CODECS.of(Times.class), Samples::times);
    }

    @Test
    void randomValuesComeBack() {
        comesBack(CODECS.of(Values.class), Samples::values);
    }

    @Test
    void randomContainersComeBack() {
        comesBack(CODECS.of(Containers.class), Samples::containers);
    }

    @Test
    void subtypesComeBackAsThemselves() {
        comesBack(CODECS.of(Payment.class), Samples::payment);
        comesBack(CODECS.of(new TypeReference<List<Payment>>() {}), random -> Samples.many(random, Samples::payment));
        comesBack(CODECS.of(Card.class), random -> new Card("4", YearMonth.of(2030, 1)));
    }

    @Test
    void genericTypesAndPlainValuesComeBack() {
        comesBack(
                CODECS.of(new TypeReference<Map<String, Pair<Node, BigDecimal>>>() {}),
                random -> Map.of("k", new Pair<>(Samples.node(random, 2), Samples.amount(random))));
        comesBack(CODECS.of(new TypeReference<Optional<String>>() {}), random -> Optional.empty());
        comesBack(CODECS.of(new TypeReference<Optional<String>>() {}), random -> Optional.of(Samples.text(random)));
        comesBack(CODECS.of(String.class), Samples::text);
        comesBack(CODECS.of(BigDecimal.class), Samples::amount);
        comesBack(CODECS.of(Colour.class), random -> Samples.pick(random, Colour.values()));
        comesBack(CODECS.of(int.class), Random::nextInt);
        comesBack(CODECS.of(byte[].class), random -> new byte[] {1, -1, 0});
        comesBack(CODECS.of(Account.class), random -> new Account("o", random.nextInt()));
        Type type = new TypeReference<List<Instant>>() {}.getType();
        comesBack(CODECS.of(type), random -> List.of(Samples.times(random).instant()));
    }

    /** Runs with both lines of Jackson and on JDK 17 and 25, so each reads what any other has stored. */
    @Test
    void eachLineOfJacksonStoresTheSameCharacters() throws Exception {
        MessageDigest stored = MessageDigest.getInstance("SHA-256");
        addStored(stored, CODECS.of(Numbers.class), Samples::numbers);
        addStored(stored, CODECS.of(Times.class), Samples::times);
        addStored(stored, CODECS.of(Values.class), Samples::values);
        addStored(stored, CODECS.of(Containers.class), Samples::containers);
        addStored(stored, CODECS.of(Payment.class), Samples::payment);
        addStored(stored, CODECS.of(Node.class), random -> Samples.node(random, 3));
        addStored(stored, CODECS.of(Account.class), random -> new Account("o", random.nextInt()));
        addRarelyStored(stored);
        assertThat(HexFormat.of().formatHex(stored.digest()))
                .isEqualTo("56b3fe8579b726481a77c717ccc61c97143caf84ff188c6143f3524de1da3343");
    }

    private static void addRarelyStored(MessageDigest stored) {
        addStored(
                stored,
                CODECS.of(JsonNode.class),
                random -> JsonNodeFactory.instance
                        .arrayNode()
                        .add(Samples.amount(random))
                        .add(random.nextLong())
                        .add(Samples.text(random)));
        addStored(
                stored,
                CODECS.of(new TypeReference<Map<Year, Byte>>() {}),
                random -> Map.of(Year.of(random.nextInt(400_000) - 200_000), (byte) random.nextInt()));
        addStored(
                stored,
                CODECS.of(new TypeReference<Map<ZonedDateTime, Character>>() {}),
                random -> Map.of(Samples.times(random).zoned(), (char) random.nextInt(0xd800)));
        addStored(
                stored,
                CODECS.of(new TypeReference<List<Year>>() {}),
                random -> List.of(Year.of(random.nextInt(400_000) - 200_000)));
        addStored(
                stored,
                CODECS.of(new TypeReference<List<Instant>>() {}),
                random -> List.of(Instant.ofEpochSecond(random.nextLong() / 1_000_000, random.nextInt(1_000_000_000))));
    }

    /** A set and a map have any order, so the characters are sorted. */
    private static <R> void addStored(MessageDigest digest, JsonCodec<R> codec, Function<Random, R> samples) {
        var random = new Random(SEED);
        for (int i = 0; i < 500; i++) {
            byte[] stored = codec.encode(samples.apply(random));
            Arrays.sort(stored);
            digest.update(stored);
        }
    }

    @Test
    void aTreeOfJsonComesBackWithEveryDigit() throws Exception {
        JsonNode tree = new ObjectMapper().readTree("{\"a\":[1,null,\"x\"],\"b\":{}}");
        comesBack(CODECS.of(JsonNode.class), random -> tree);
        byte[] stored = bytes("{\"version\":1,\"result\":{\"a\":1.10,\"b\":0.1000000000000000055511151231257827}}");
        assertThat(CODECS.of(JsonNode.class).decode(stored).get("b").decimalValue())
                .isEqualTo(new BigDecimal("0.1000000000000000055511151231257827"));
    }

    @Test
    void theStoredFormIsSortedAndSmall() {
        assertThat(text(CODECS.of(Account.class), new Account("o", 7)))
                .isEqualTo("{\"version\":1,\"result\":{\"balance\":7,\"owner\":\"o\"}}");
        assertThat(text(CODECS.of(BigDecimal.class), new BigDecimal("1.10")))
                .isEqualTo("{\"version\":1,\"result\":1.10}");
        assertThat(text(CODECS.of(Instant.class), Instant.EPOCH))
                .isEqualTo("{\"version\":1,\"result\":\"1970-01-01T00:00:00Z\"}");
        assertThat(text(CODECS.of(Colour.class), Colour.GREEN)).isEqualTo("{\"version\":1,\"result\":\"GREEN\"}");
    }

    /** A caller that renders a replay writes what it wrote the first time. */
    @Test
    void mapsAndSetsKeepTheirOrder() {
        Map<String, Integer> map = new LinkedHashMap<>(Map.of("b", 2));
        map.put("a", 1);
        Set<String> set = new LinkedHashSet<>(List.of("x", "c", "y", "a"));

        assertThat(again(CODECS.of(new TypeReference<Map<String, Integer>>() {}), map))
                .containsExactly(Map.entry("b", 2), Map.entry("a", 1));
        assertThat(again(CODECS.of(new TypeReference<Set<String>>() {}), set)).containsExactly("x", "c", "y", "a");
        Set<String> immutable = Set.copyOf(set);
        assertThat(again(CODECS.of(new TypeReference<Set<String>>() {}), immutable))
                .containsExactlyElementsOf(immutable);
    }

    @Test
    void comparatorThatWouldBeLostIsRefused() {
        TreeMap<String, Integer> backwards = new TreeMap<>(Comparator.reverseOrder());
        backwards.putAll(Map.of("a", 1, "b", 2));
        TreeSet<String> reversed = new TreeSet<>(Comparator.reverseOrder());
        reversed.addAll(backwards.keySet());
        JsonCodec<TreeMap<String, Integer>> maps = CODECS.of(new TypeReference<TreeMap<String, Integer>>() {});
        JsonCodec<TreeSet<String>> sets = CODECS.of(new TypeReference<TreeSet<String>>() {});

        assertThatExceptionOfType(JsonResultException.class)
                .isThrownBy(() -> maps.encode(backwards))
                .withMessageContaining("comparator");
        assertThatExceptionOfType(JsonResultException.class)
                .isThrownBy(() -> sets.encode(reversed))
                .withMessageContaining("comparator");
        assertThat(again(maps, new TreeMap<>(Map.of("a", 1, "b", 2))))
                .containsExactly(Map.entry("a", 1), Map.entry("b", 2));
    }

    /** The program that makes a node chooses its class; what is read back has another one. */
    @Test
    void nodesOfNumbersComeBackWithTheSameText() {
        ObjectNode node = JsonNodeFactory.instance.objectNode();
        node.put("long", 7L).put("double", 0.1).put("float", 1.5f).put("decimal", new BigDecimal("1.10"));
        node.put("short", (short) 3);
        JsonCodec<Noted> codec = CODECS.of(Noted.class);

        assertThat(again(codec, new Noted(node)).note()).hasToString(node.toString());
    }

    record Noted(JsonNode note) {}

    private static <R> R again(JsonCodec<R> codec, R result) {
        return codec.decode(codec.encode(result));
    }

    private static <R> void comesBack(JsonCodec<R> codec, Function<Random, R> samples) {
        var random = new Random(SEED);
        for (int i = 0; i < 60; i++) {
            R result = samples.apply(random);
            byte[] stored = codec.encode(result);
            assertThat(codec.decode(stored)).isEqualTo(result);
            assertThat(codec.encode(codec.decode(stored))).isEqualTo(stored);
        }
    }

    private static <R> String text(JsonCodec<R> codec, R result) {
        return new String(codec.encode(result), StandardCharsets.UTF_8);
    }

    private static byte[] bytes(String json) {
        return json.getBytes(StandardCharsets.UTF_8);
    }
}
