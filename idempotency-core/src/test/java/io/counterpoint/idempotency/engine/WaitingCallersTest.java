package io.counterpoint.idempotency.engine;

import static org.assertj.core.api.Assertions.assertThat;

import io.counterpoint.idempotency.IdempotencyKey;
import org.junit.jupiter.api.Test;

/** How the places of waiting calls are taken and left. */
class WaitingCallersTest {

    private final WaitingCallers places = new WaitingCallers();

    private WaitingCallers.Place enter(String key) {
        return places.enter(IdempotencyKey.inScope("user:1").operation("pay").value(key), 1);
    }

    @Test
    void callThatEndsLeavesItsPlaceToAnother() {
        WaitingCallers.Place leader = enter("k");
        WaitingCallers.Place waiting = enter("k");
        assertThat(waiting.isRefused()).isFalse();
        assertThat(enter("k").isRefused()).isTrue();

        waiting.leave();
        WaitingCallers.Place next = enter("k");
        assertThat(next.isRefused()).isFalse();
        next.leave();
        leader.leave();

        // Nobody is at the key any more, so this may lead, and then wait.
        WaitingCallers.Place first = enter("k");
        assertThat(first.isRefused()).isFalse();
        assertThat(first.mayWait()).isTrue();
        assertThat(first.mayWait()).isTrue();
    }

    @Test
    void refusedCallTakesNoPlaceAndLeavesNone() {
        WaitingCallers.Place leader = enter("k");
        WaitingCallers.Place waiting = enter("k");
        WaitingCallers.Place refused = enter("k");
        refused.leave();

        assertThat(enter("k").isRefused()).isTrue();
        waiting.leave();
        leader.leave();
        assertThat(enter("k").isRefused()).isFalse();
        assertThat(enter("k").isRefused()).isFalse();
    }
}
