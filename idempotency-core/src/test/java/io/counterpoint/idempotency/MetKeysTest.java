package io.counterpoint.idempotency;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

/** A guess that costs a round trip where it is wrong: how seldom that is. */
class MetKeysTest {

    private final Call.MetKeys met = new Call.MetKeys();

    @Test
    void tenThousandKeysThatAreAskedForByTurnsAreRemembered() {
        List<IdempotencyKey> keys = keys("retried", 10_000);
        keys.forEach(met::add);
        assertThat(keys).filteredOn(met::contains).hasSizeGreaterThan(9_980);
    }

    @Test
    void keysThatCameLastAreRememberedOfMany() {
        keys("earlier", 1_000_000).forEach(met::add);
        List<IdempotencyKey> latest = keys("latest", 10_000);
        latest.forEach(met::add);
        assertThat(latest).filteredOn(met::contains).hasSizeGreaterThan(9_980);
    }

    @Test
    void keyThatIsAskedForAgainPushesNoOtherOut() {
        List<IdempotencyKey> keys = keys("retried", 10_000);
        keys.forEach(met::add);
        List<IdempotencyKey> before = keys.stream().filter(met::contains).toList();
        before.forEach(key -> IntStream.range(0, 5).forEach(i -> met.add(key)));
        assertThat(keys.stream().filter(met::contains).toList()).isEqualTo(before);
    }

    @Test
    void newKeysSeldomLookLikeMetOnesEvenWhenManyWereMet() {
        assertThat(keys("new", 100_000)).noneMatch(met::contains);
        keys("earlier", 1_000_000).forEach(met::add);
        assertThat(keys("new", 100_000)).filteredOn(met::contains).hasSizeLessThan(20);
    }

    private static List<IdempotencyKey> keys(String name, int count) {
        return IntStream.range(0, count)
                .mapToObj(i -> new IdempotencyKey("user:1", "operation", name + "-" + i))
                .toList();
    }
}
