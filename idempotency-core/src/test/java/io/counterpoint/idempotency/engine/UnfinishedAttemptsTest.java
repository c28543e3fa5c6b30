package io.counterpoint.idempotency.engine;

import static org.assertj.core.api.Assertions.assertThat;

import io.counterpoint.idempotency.IdempotencyKey;
import java.util.List;
import java.util.UUID;
import org.junit.jupiter.api.Test;

class UnfinishedAttemptsTest {

    private final UnfinishedAttempts unfinished = new UnfinishedAttempts();
    private final UUID first = UUID.randomUUID();
    private final UUID second = UUID.randomUUID();

    private static IdempotencyKey key(int number) {
        return new IdempotencyKey("user:1", "operate", "key-" + number);
    }

    @Test
    void tokensOfLaterCallsJoinThoseOfEarlierOnes() {
        assertThat(unfinished.contains(key(1), first)).isFalse();

        unfinished.remember(key(1), List.of(first));
        unfinished.remember(key(1), List.of(second));

        assertThat(unfinished.contains(key(1), first)).isTrue();
        assertThat(unfinished.contains(key(1), second)).isTrue();
        assertThat(unfinished.contains(key(2), first)).isFalse();
        assertThat(unfinished.contains(key(1), UUID.randomUUID())).isFalse();
    }

    @Test
    void settledKeyIsForgottenAndNoOther() {
        unfinished.remember(key(1), List.of(first));
        unfinished.remember(key(2), List.of(second));

        unfinished.forget(key(1));

        assertThat(unfinished.contains(key(1), first)).isFalse();
        assertThat(unfinished.contains(key(2), second)).isTrue();
    }

    @Test
    void eldestKeyIsForgottenFirst() {
        for (int number = 0; number <= UnfinishedAttempts.MOST; number++) {
            unfinished.remember(key(number), List.of(first));
        }

        assertThat(unfinished.contains(key(0), first)).isFalse();
        assertThat(unfinished.contains(key(1), first)).isTrue();
        assertThat(unfinished.contains(key(UnfinishedAttempts.MOST), first)).isTrue();
    }
}
