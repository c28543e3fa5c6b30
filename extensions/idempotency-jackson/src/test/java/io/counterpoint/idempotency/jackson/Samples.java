package io.counterpoint.idempotency.jackson;

import com.fasterxml.jackson.annotation.JsonCreator;
import com.fasterxml.jackson.annotation.JsonProperty;
import com.fasterxml.jackson.annotation.JsonSubTypes;
import com.fasterxml.jackson.annotation.JsonTypeInfo;
import com.fasterxml.jackson.annotation.JsonValue;
import java.math.BigDecimal;
import java.math.BigInteger;
import java.net.URI;
import java.time.DayOfWeek;
import java.time.Duration;
import java.time.Instant;
import java.time.LocalDate;
import java.time.LocalDateTime;
import java.time.LocalTime;
import java.time.MonthDay;
import java.time.OffsetDateTime;
import java.time.OffsetTime;
import java.time.Period;
import java.time.Year;
import java.time.YearMonth;
import java.time.ZoneId;
import java.time.ZoneOffset;
import java.time.ZonedDateTime;
import java.util.ArrayList;
import java.util.Currency;
import java.util.EnumMap;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalDouble;
import java.util.OptionalInt;
import java.util.OptionalLong;
import java.util.Random;
import java.util.Set;
import java.util.UUID;
import java.util.function.Function;

/** Types of results, and random values of them. */
final class Samples {

    private Samples() {}

    enum Colour {
        RED,
        GREEN {
            @Override
            public String toString() {
                return "the second";
            }
        }
    }

    record Numbers(
            boolean truth,
            byte small,
            short shorter,
            int number,
            long large,
            float single,
            double real,
            char letter,
            Boolean boxedTruth,
            Integer boxedNumber,
            Long boxedLarge,
            Double boxedReal,
            BigInteger integer,
            BigDecimal amount) {}

    record Times(
            Instant instant,
            LocalDate date,
            LocalTime time,
            LocalDateTime dateTime,
            OffsetDateTime offset,
            OffsetTime offsetTime,
            ZonedDateTime zoned,
            Duration duration,
            Period period,
            Year year,
            YearMonth yearMonth,
            MonthDay monthDay,
            ZoneId zone,
            ZoneOffset zoneOffset,
            DayOfWeek day) {}

    record Values(String text, UUID id, URI uri, Currency currency, Colour colour, Code code) {}

    record Code(@JsonValue String value) {
        @JsonCreator(mode = JsonCreator.Mode.DELEGATING)
        Code {}
    }

    record Empty() {}

    record Pair<A, B>(A first, B second) {}

    record Node(String name, List<Node> children) {}

    @JsonTypeInfo(use = JsonTypeInfo.Id.NAME)
    @JsonSubTypes({
        @JsonSubTypes.Type(value = Card.class, name = "card"),
        @JsonSubTypes.Type(value = Cash.class, name = "cash")
    })
    sealed interface Payment permits Card, Cash {}

    record Card(String number, YearMonth until) implements Payment {}

    record Cash(BigDecimal amount) implements Payment {}

    record Containers(
            List<String> list,
            Set<Integer> set,
            Map<String, BigDecimal> map,
            Map<Colour, List<Payment>> byColour,
            EnumMap<Colour, Integer> enums,
            Map<UUID, Map<Long, Instant>> nested,
            Optional<String> optional,
            Optional<Cash> cash,
            OptionalInt optionalInt,
            OptionalLong optionalLong,
            OptionalDouble optionalDouble,
            Pair<String, Pair<Integer, List<Node>>> pair,
            Payment payment,
            String nothing,
            Empty empty) {}

    /** A class whose constructor takes every component. */
    static final class Account {
        private final String owner;
        private final int balance;

        @JsonCreator
        Account(@JsonProperty("owner") String owner, @JsonProperty("balance") int balance) {
            this.owner = owner;
            this.balance = balance;
        }

        public String getOwner() {
            return owner;
        }

        public int getBalance() {
            return balance;
        }

        @Override
        public boolean equals(Object other) {
            return other instanceof Account account && owner.equals(account.owner) && balance == account.balance;
        }

        @Override
        public int hashCode() {
            return owner.hashCode();
        }
    }

    static Numbers numbers(Random random) {
        return new Numbers(
                random.nextBoolean(),
                (byte) random.nextInt(),
                (short) random.nextInt(),
                random.nextInt(),
                random.nextLong(),
                pick(random, Float.intBitsToFloat(random.nextInt()), Float.MIN_VALUE, -0.0f, Float.NaN),
                pick(
                        random,
                        Double.longBitsToDouble(random.nextLong()),
                        -0.0,
                        Double.NaN,
                        Double.NEGATIVE_INFINITY,
                        Double.MAX_VALUE,
                        0.1),
                (char) random.nextInt(0xd800),
                pick(random, true, false, null),
                pick(random, random.nextInt(), Integer.MIN_VALUE, null),
                pick(random, random.nextLong(), Long.MIN_VALUE, null),
                pick(random, random.nextDouble(), 1e300, null),
                new BigInteger(random.nextInt(300), random),
                amount(random));
    }

    static BigDecimal amount(Random random) {
        return new BigDecimal(new BigInteger(random.nextInt(200), random), random.nextInt(400) - 200);
    }

    static Times times(Random random) {
        var instant = Instant.ofEpochSecond(
                random.nextLong(-60_000_000_000L, 250_000_000_000L), random.nextInt(1_000_000_000));
        var zone = pick(
                random,
                ZoneId.of("Europe/Paris"),
                ZoneId.of("UTC"),
                ZoneOffset.UTC,
                ZoneId.of("+05:30"),
                ZoneId.of("America/New_York"));
        var offset = ZoneOffset.ofTotalSeconds(60 * random.nextInt(-1080, 1080));
        var zoned = instant.atZone(zone);
        return new Times(
                instant,
                zoned.toLocalDate(),
                zoned.toLocalTime(),
                zoned.toLocalDateTime(),
                instant.atOffset(offset),
                instant.atOffset(offset).toOffsetTime(),
                zoned,
                Duration.ofSeconds(random.nextInt(), random.nextInt(1_000_000_000)),
                Period.of(random.nextInt(100), random.nextInt(100), random.nextInt(100)),
                Year.of(random.nextInt(1, 9999)),
                YearMonth.of(random.nextInt(1, 9999), 1 + random.nextInt(12)),
                MonthDay.of(2, 1 + random.nextInt(29)),
                zone,
                offset,
                pick(random, DayOfWeek.values()));
    }

    static Values values(Random random) {
        return new Values(
                text(random),
                new UUID(random.nextLong(), random.nextLong()),
                URI.create("https://example.org/a%20b?c=" + random.nextInt()),
                Currency.getInstance(pick(random, "EUR", "JPY", "USD")),
                pick(random, Colour.values()),
                new Code(text(random)));
    }

    static Containers containers(Random random) {
        var enums = new EnumMap<Colour, Integer>(Colour.class);
        many(random, r -> enums.put(pick(r, Colour.values()), r.nextInt()));
        return new Containers(
                many(random, r -> pick(r, text(r), null)),
                new HashSet<>(many(random, Random::nextInt)),
                map(random, Samples::text, Samples::amount),
                map(random, r -> pick(r, Colour.values()), r -> many(r, Samples::payment)),
                enums,
                map(
                        random,
                        r -> new UUID(r.nextLong(), r.nextLong()),
                        r -> map(r, Random::nextLong, inner -> times(inner).instant())),
                pick(random, Optional.empty(), Optional.of(text(random))),
                pick(random, Optional.empty(), Optional.of(new Cash(amount(random)))),
                pick(random, OptionalInt.empty(), OptionalInt.of(random.nextInt())),
                pick(random, OptionalLong.empty(), OptionalLong.of(random.nextLong())),
                pick(random, OptionalDouble.empty(), OptionalDouble.of(random.nextDouble())),
                new Pair<>(text(random), new Pair<>(random.nextInt(), many(random, r -> node(r, 3)))),
                payment(random),
                null,
                new Empty());
    }

    static Payment payment(Random random) {
        return pick(random, new Cash(amount(random)), new Card(text(random), YearMonth.of(2030, 7)));
    }

    static Node node(Random random, int depth) {
        return new Node(text(random), depth == 0 ? List.of() : many(random, r -> node(r, depth - 1)));
    }

    static String text(Random random) {
        return pick(
                random,
                "",
                "null",
                "\"quoted\" \\ \n\t\u0000",
                "\u00e9\u20ac\ud83d\ude00",
                "{\"version\":9}",
                Long.toString(random.nextLong(), 36));
    }

    static <T> List<T> many(Random random, Function<Random, T> one) {
        var list = new ArrayList<T>();
        for (int i = random.nextInt(4); i > 0; i--) {
            list.add(one.apply(random));
        }
        return list;
    }

    private static <K, V> Map<K, V> map(Random random, Function<Random, K> key, Function<Random, V> value) {
        Map<K, V> map = random.nextBoolean() ? new HashMap<>() : new LinkedHashMap<>();
        many(random, r -> map.put(key.apply(r), value.apply(r)));
        return map;
    }

    @SafeVarargs
    static <T> T pick(Random random, T... choices) {
        return choices[random.nextInt(choices.length)];
    }
}
