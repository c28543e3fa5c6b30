package io.counterpoint.idempotency.jackson;

import static org.assertj.core.api.Assertions.assertThat;

import io.counterpoint.idempotency.jackson.Samples.Account;
import io.counterpoint.idempotency.jackson.Samples.Colour;
import io.counterpoint.idempotency.jackson.Samples.Pair;
import java.lang.reflect.ParameterizedType;
import java.lang.reflect.Type;
import java.math.BigDecimal;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Random;
import java.util.Set;
import java.util.SortedMap;
import java.util.SortedSet;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.UUID;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** What is replayed is what was answered, for types that nobody chose; or the type is refused when its codec is made. */
@Tag("thorough")
class GeneratedTypesTest {

    private static final int GENERATED = 500;
    private static final List<Colour> COLOURS = List.of(Colour.values());

    private final Random random = new Random(20_261_126);

    /** A type, and its values. */
    private record Sample(Type type, Supplier<Object> value) {}

    private record Generic(Class<?> getRawType, List<Type> arguments) implements ParameterizedType {
        @Override
        public Type[] getActualTypeArguments() {
            return arguments.toArray(Type[]::new);
        }

        @Override
        public @Nullable Type getOwnerType() {
            return getRawType.getDeclaringClass();
        }
    }

    private Sample leaf() {
        return switch (random.nextInt(9)) {
            case 0 -> of(String.class, () -> "a\u00e4\ud83e\udee0\"\\" + random.nextInt(100));
            case 1 -> of(Long.class, random::nextLong);
            case 2 -> of(Double.class, random::nextDouble);
            case 3 -> of(BigDecimal.class, () -> BigDecimal.valueOf(random.nextInt(), random.nextInt(20) - 5));
            case 4 -> of(UUID.class, () -> new UUID(random.nextLong(), random.nextLong()));
            case 5 -> of(Instant.class, () -> Instant.ofEpochSecond(random.nextInt(), random.nextInt(1_000_000_000)));
            case 6 -> of(Colour.class, this::colour);
            case 7 -> of(Account.class, () -> new Account("o" + random.nextInt(), random.nextInt()));
            default -> of(Boolean.class, random::nextBoolean);
        };
    }

    private Colour colour() {
        return COLOURS.get(random.nextInt(COLOURS.size()));
    }

    private static Sample of(Class<?> type, Supplier<Object> value) {
        return new Sample(type, value);
    }

    private Sample generated(int depth) {
        if (depth == 0) {
            return leaf();
        }
        Sample part = generated(random.nextInt(depth));
        Sample other = leaf();
        return switch (random.nextInt(8)) {
            case 0 -> new Sample(parametric(List.class, part), () -> fill(new ArrayList<>(), part));
            case 1 -> new Sample(parametric(Set.class, part), () -> fill(new HashSet<>(), part));
            case 2 -> new Sample(parametric(Optional.class, part), () -> optional(part));
            case 3 ->
                new Sample(
                        new Generic(Map.class, List.of(String.class, part.type())),
                        () -> map(() -> "k" + random.nextInt(), part));
            case 4 ->
                new Sample(new Generic(Map.class, List.of(Colour.class, part.type())), () -> map(this::colour, part));
            case 5 ->
                new Sample(
                        new Generic(SortedMap.class, List.of(String.class, part.type())),
                        () -> new TreeMap<>(map(() -> "k" + random.nextInt(), part)));
            case 6 ->
                new Sample(
                        new Generic(SortedSet.class, List.of(Long.class)),
                        () -> new TreeSet<>(List.of(random.nextLong(), random.nextLong())));
            default ->
                new Sample(
                        new Generic(Pair.class, List.of(part.type(), other.type())),
                        () -> new Pair<>(part.value().get(), other.value().get()));
        };
    }

    private static Type parametric(Class<?> type, Sample part) {
        return new Generic(type, List.of(part.type()));
    }

    private <C extends Collection<Object>> C fill(C all, Sample part) {
        for (int parts = random.nextInt(4); parts > 0; parts--) {
            all.add(part.value().get());
        }
        return all;
    }

    private Optional<Object> optional(Sample part) {
        return random.nextBoolean()
                ? Optional.empty()
                : Optional.of(part.value().get());
    }

    private <K> Map<K, Object> map(Supplier<K> key, Sample part) {
        Map<K, Object> map = new HashMap<>();
        for (int parts = random.nextInt(4); parts > 0; parts--) {
            map.put(key.get(), part.value().get());
        }
        return map;
    }

    @Test
    void replayHasTheBytesOfTheAnswerOrTheTypeIsRefused() {
        int refused = 0;
        for (int i = 0; i < GENERATED; i++) {
            Sample sample = generated(3);
            JsonCodec<Object> codec;
            try {
                codec = JsonCodecs.strict().of(sample.type());
            } catch (RefusedTypeException atOnce) {
                refused++;
                continue;
            }
            Object result = sample.value().get();
            byte[] stored = codec.encode(result);
            Object again = codec.decode(stored);
            assertThat(again).as(sample.type().getTypeName()).isEqualTo(result);
            assertThat(codec.encode(again)).as(sample.type().getTypeName()).isEqualTo(stored);
            assertThat(again).as(sample.type().getTypeName()).hasToString(result.toString());
        }
        assertThat(refused).isLessThan(GENERATED / 4);
    }
}
