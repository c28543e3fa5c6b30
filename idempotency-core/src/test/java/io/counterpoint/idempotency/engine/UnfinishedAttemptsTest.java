package io.counterpoint.idempotency.engine;

import static org.assertj.core.api.Assertions.assertThat;

import io.counterpoint.idempotency.IdempotencyKey;
import java.util.UUID;
import org.junit.jupiter.api.Test;

class UnfinishedAttemptsTest {

    private final UnfinishedAttempts unfinished = new UnfinishedAttempts();
    private final UUID first = UUID.randomUUID();
    private final UUID second = UUID.randomUUID();

    private static IdempotencyKey key(int number) {
        return IdempotencyKey.inScope("user:1").operation("operate").value("key-" + number);
    }

    @Test
    void tokensOfLaterCallsJoinThoseOfEarlierOnes() {
        assertThat(unfinished.contains(key(1), first)).isFalse();

        unfinished.remember(key(1), new Tokens.Range(first, 1));
        unfinished.remember(key(1), new Tokens.Range(second, 1));

        assertThat(unfinished.contains(key(1), first)).isTrue();
        assertThat(unfinished.contains(key(1), second)).isTrue();
        assertThat(unfinished.contains(key(2), first)).isFalse();
        assertThat(unfinished.contains(key(1), UUID.randomUUID())).isFalse();
    }

    /** A call that tries for long has many tokens, and takes no more room than one that tries once. */
    @Test
    void allTokensOfACallAreRememberedAndThoseOfTheEldestCallsAreKept() {
        Tokens eldest = new Tokens();
        UUID claimed = eldest.fresh();
        for (int tries = 1; tries < 100; tries++) {
            unfinished.remember(
                    key(1), tries == 1 ? eldest.all().orElseThrow() : new Tokens.Range(UUID.randomUUID(), 100));
        }
        assertThat(unfinished.contains(key(1), claimed)).isTrue();

        for (int tries = 1; tries < 100; tries++) {
            eldest.fresh();
        }
        unfinished.remember(key(2), eldest.all().orElseThrow());
        assertThat(unfinished.contains(key(2), claimed)).isTrue();
        assertThat(unfinished.contains(key(2), eldest.latest())).isTrue();
        assertThat(unfinished.contains(key(2), eldest.fresh())).isFalse();
    }

    /** Where the first digits overflow, too. */
    @Test
    void rangeHasItsTokensAndNoOthers() {
        for (long upper : new long[] {0, -1, Long.MAX_VALUE, Long.MIN_VALUE, 0xFFFFFFFF_00000000L}) {
            Tokens.Range range = new Tokens.Range(new UUID(upper, 7), 3);
            for (int number = 1; number <= 3; number++) {
                assertThat(range.contains(new Tokens.Range(range.first(), number).latest()))
                        .isTrue();
            }
            assertThat(range.contains(new Tokens.Range(range.first(), 4).latest()))
                    .isFalse();
            assertThat(range.contains(new UUID(upper - (1L << 32), 7))).isFalse();
            assertThat(range.contains(new UUID(upper + 1, 7))).isFalse();
            assertThat(range.contains(new UUID(upper, 8))).isFalse();
        }
    }

    @Test
    void endedKeyIsForgottenAndNoOther() {
        unfinished.remember(key(1), new Tokens.Range(first, 1));
        unfinished.remember(key(2), new Tokens.Range(second, 1));

        unfinished.forget(key(1));

        assertThat(unfinished.contains(key(1), first)).isFalse();
        assertThat(unfinished.contains(key(2), second)).isTrue();
    }

    @Test
    void eldestKeyIsForgottenFirst() {
        for (int number = 0; number <= UnfinishedAttempts.MOST; number++) {
            unfinished.remember(key(number), new Tokens.Range(first, 1));
        }

        assertThat(unfinished.contains(key(0), first)).isFalse();
        assertThat(unfinished.contains(key(1), first)).isTrue();
        assertThat(unfinished.contains(key(UnfinishedAttempts.MOST), first)).isTrue();
    }
}
