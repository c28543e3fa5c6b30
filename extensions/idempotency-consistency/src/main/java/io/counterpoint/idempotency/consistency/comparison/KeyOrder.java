package io.counterpoint.idempotency.consistency.comparison;

import java.util.Comparator;
import java.util.UUID;
import java.util.function.Function;

/**
 * The order in which both sources return their keys, and the text form of a key. A source that returns its keys in a
 * different order is detected while it is read: see {@link OutOfOrderException}.
 *
 * @param <K> the type of the keys
 */
public final class KeyOrder<K> {

    private static final KeyOrder<Long> LONGS =
            new KeyOrder<>("longs", Comparator.<Long>naturalOrder(), String::valueOf, Long::valueOf);
    private static final KeyOrder<UUID> UUIDS = new KeyOrder<>("uuids", unsigned(), UUID::toString, UUID::fromString);
    private static final KeyOrder<String> TEXTS =
            new KeyOrder<>("texts", byCodePoint(), Function.identity(), Function.identity());

    private final String name;
    private final Comparator<? super K> comparator;
    private final Function<? super K, String> printer;
    private final Function<String, ? extends K> parser;

    private KeyOrder(
            String name,
            Comparator<? super K> comparator,
            Function<? super K, String> printer,
            Function<String, ? extends K> parser) {
        this.name = name;
        this.comparator = comparator;
        this.printer = printer;
        this.parser = parser;
    }

    /**
     * Orders whole numbers by value.
     *
     * @return the order
     */
    public static KeyOrder<Long> longs() {
        return LONGS;
    }

    /**
     * Orders identifiers by their bytes, like the type {@code uuid} of PostgreSQL and H2, and like their texts. {@link
     * UUID#compareTo} orders them differently.
     *
     * @return the order
     */
    public static KeyOrder<UUID> uuids() {
        return UUIDS;
    }

    /**
     * Orders texts by code point, which is the order of their UTF-8 bytes and of the collation {@code C}. {@link
     * String#compareTo} orders characters beyond U+FFFF differently.
     *
     * @return the order
     */
    public static KeyOrder<String> texts() {
        return TEXTS;
    }

    /**
     * Returns a custom order, for custom sources.
     *
     * @param <K> the type of the keys
     * @param name the name used in messages
     * @param comparator the order; keys that compare as equal are the same key
     * @param printer returns the text of a key, of at most 1000 characters
     * @param parser returns the key of such a text
     * @return the order
     */
    public static <K> KeyOrder<K> of(
            String name,
            Comparator<? super K> comparator,
            Function<? super K, String> printer,
            Function<String, ? extends K> parser) {
        return new KeyOrder<>(name, comparator, printer, parser);
    }

    int compare(K left, K right) {
        return comparator.compare(left, right);
    }

    Comparator<? super K> comparator() {
        return comparator;
    }

    String print(K key) {
        return printer.apply(key);
    }

    K parse(String text) {
        return parser.apply(text);
    }

    @Override
    public String toString() {
        return name;
    }

    private static Comparator<UUID> unsigned() {
        return (left, right) -> {
            int most = Long.compareUnsigned(left.getMostSignificantBits(), right.getMostSignificantBits());
            return most != 0
                    ? most
                    : Long.compareUnsigned(left.getLeastSignificantBits(), right.getLeastSignificantBits());
        };
    }

    private static Comparator<String> byCodePoint() {
        return (left, right) -> {
            int common = Math.min(left.length(), right.length());
            for (int i = 0; i < common; i++) {
                char a = left.charAt(i);
                char b = right.charAt(i);
                if (a != b) {
                    return Character.isSurrogate(a) == Character.isSurrogate(b)
                            ? Character.compare(a, b)
                            : afterSurrogates(a) - afterSurrogates(b);
                }
            }
            return left.length() - right.length();
        };
    }

    /** Surrogates represent the highest code points, above the characters that follow them in UTF-16. */
    private static int afterSurrogates(char unit) {
        return Character.isSurrogate(unit) ? Character.MAX_VALUE + 1 : unit;
    }
}
