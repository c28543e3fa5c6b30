package io.counterpoint.idempotency.engine;

import static org.assertj.core.api.Assertions.assertThat;

import io.counterpoint.idempotency.IdempotencyKey;
import java.util.List;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

/** A guess that costs a round trip where it is wrong: how seldom that is. */
class RecentKeysTest {

    private final RecentKeys recent = new RecentKeys();

    @Test
    void tenThousandAlternatingKeysAreRemembered() {
        List<IdempotencyKey> keys = keys("retried", 10_000);
        keys.forEach(recent::add);
        assertThat(keys).filteredOn(recent::contains).hasSizeGreaterThan(9_980);
    }

    @Test
    void keysThatCameLastAreRememberedOfMany() {
        keys("earlier", 1_000_000).forEach(recent::add);
        List<IdempotencyKey> latest = keys("latest", 10_000);
        latest.forEach(recent::add);
        assertThat(latest).filteredOn(recent::contains).hasSizeGreaterThan(9_980);
    }

    @Test
    void keyThatIsAskedForAgainPushesNoOtherOut() {
        List<IdempotencyKey> keys = keys("retried", 10_000);
        keys.forEach(recent::add);
        List<IdempotencyKey> before = keys.stream().filter(recent::contains).toList();
        before.forEach(key -> IntStream.range(0, 5).forEach(i -> recent.add(key)));
        assertThat(keys.stream().filter(recent::contains).toList()).isEqualTo(before);
    }

    @Test
    void newKeysSeldomLookLikeRecentOnes() {
        assertThat(keys("new", 100_000)).noneMatch(recent::contains);
        keys("earlier", 1_000_000).forEach(recent::add);
        assertThat(keys("new", 100_000)).filteredOn(recent::contains).hasSizeLessThan(20);
    }

    private static List<IdempotencyKey> keys(String name, int count) {
        return IntStream.range(0, count)
                .mapToObj(i ->
                        IdempotencyKey.inScope("user:1").operation("operation").value(name + "-" + i))
                .toList();
    }
}
