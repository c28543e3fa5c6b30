package io.counterpoint.idempotency.consistency.comparison;

import static org.assertj.core.api.Assertions.assertThat;

import java.math.BigInteger;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.SortedSet;
import java.util.TreeSet;
import java.util.UUID;
import java.util.function.Function;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Generated sources, compared by the merge and by an oracle that has both in memory. */
@Tag("thorough")
class OracleTest {

    private static final int TRIALS = 2_000;

    @ParameterizedTest
    @ValueSource(strings = {"longs", "uuids", "texts"})
    void mergeFindsWhatOneWithBothInMemoryFinds(String order) {
        for (int seed = 0; seed < TRIALS; seed++) {
            Random random = new Random(seed);
            switch (order) {
                case "longs" -> trial(seed, random, KeyOrder.longs(), number -> number - 20L);
                case "uuids" -> trial(seed, random, KeyOrder.uuids(), OracleTest::uuid);
                default -> trial(seed, random, KeyOrder.texts(), OracleTest::text);
            }
        }
    }

    private <K> void trial(int seed, Random random, KeyOrder<K> order, Function<Integer, K> key) {
        MapSource<K> old = generated(random, order, key);
        MapSource<K> replacement = generated(random, order, key);
        Comparison<K> comparison = Comparison.builder("oracle", old, replacement)
                .clock(new TestClock())
                .pageSize(1 + random.nextInt(6))
                .maxSuspects(1 + random.nextInt(6))
                .build();

        ComparisonReport<K> report = comparison.run();

        List<String> expected = expected(old, replacement, order);
        assertThat(report.findings(0, 1_000).stream().map(OracleTest::described))
                .as("seed %s", seed)
                .containsExactlyElementsOf(expected);
        assertThat(report.totals().findings()).isEqualTo(expected.size());
        assertThat(report.totals().oldRows()).isEqualTo(old.rows.size());
        assertThat(report.totals().newRows()).isEqualTo(replacement.rows.size());
        assertThat(comparison.check(union(old, replacement, order)).stream().map(OracleTest::described))
                .as("seed %s", seed)
                .containsExactlyElementsOf(expected);
    }

    private static <K> MapSource<K> generated(Random random, KeyOrder<K> order, Function<Integer, K> key) {
        MapSource<K> source = new MapSource<>(order);
        int rows = random.nextInt(25);
        for (int i = 0; i < rows; i++) {
            source.put(key.apply(random.nextInt(40)), random.nextInt(3));
        }
        return source;
    }

    private static <K> List<String> expected(MapSource<K> old, MapSource<K> replacement, KeyOrder<K> order) {
        List<String> expected = new ArrayList<>();
        for (K key : union(old, replacement, order)) {
            if (!old.rows.containsKey(key)) {
                expected.add("missing in old " + key);
            } else if (!replacement.rows.containsKey(key)) {
                expected.add("missing in new " + key);
            } else if (!old.rows.get(key).equals(replacement.rows.get(key))) {
                expected.add("different " + key + " [value]");
            }
        }
        return expected;
    }

    private static <K> SortedSet<K> union(MapSource<K> old, MapSource<K> replacement, KeyOrder<K> order) {
        SortedSet<K> all = new TreeSet<>(order.comparator());
        all.addAll(old.rows.keySet());
        all.addAll(replacement.rows.keySet());
        return all;
    }

    private static String described(Finding<?> finding) {
        return finding.fold(
                missing -> "missing in old " + missing.key(),
                missing -> "missing in new " + missing.key(),
                different -> "different " + different.key() + " " + different.fields());
    }

    /** Both halves have every sign. */
    private static UUID uuid(int number) {
        BigInteger spread = BigInteger.valueOf(number).multiply(new BigInteger("6277101735386680763835789423"));
        return new UUID(spread.shiftRight(64).longValue() << 59, spread.longValue());
    }

    /** Characters before, within and after the surrogates, and one that needs two of them. */
    private static String text(int number) {
        String[] characters = {"", "A", "a", "\u00e9", "\ud7ff", "\ue000", "\uffee", "\ud83d\ude00", "\ud800\udc00"};
        return "k" + characters[number % characters.length] + characters[(number / 5) % characters.length];
    }
}
