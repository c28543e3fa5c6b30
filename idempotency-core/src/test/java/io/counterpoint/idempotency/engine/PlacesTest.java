package io.counterpoint.idempotency.engine;

import static org.assertj.core.api.Assertions.assertThat;

import io.counterpoint.idempotency.IdempotencyKey;
import org.junit.jupiter.api.Test;

/** How the places of waiting calls are taken and left. */
class PlacesTest {

    private final Places places = new Places();

    private Places.Place enter(String key) {
        return places.enter(new IdempotencyKey("user:1", "pay", key), 1);
    }

    @Test
    void callThatEndsLeavesItsPlaceToAnother() {
        Places.Place leader = enter("k");
        Places.Place waiting = enter("k");
        assertThat(waiting.isRefused()).isFalse();
        assertThat(enter("k").isRefused()).isTrue();

        waiting.leave();
        Places.Place next = enter("k");
        assertThat(next.isRefused()).isFalse();
        next.leave();
        leader.leave();

        // Nobody is at the key any more, so this may lead, and then wait.
        Places.Place first = enter("k");
        assertThat(first.isRefused()).isFalse();
        assertThat(first.mayWait()).isTrue();
        assertThat(first.mayWait()).isTrue();
    }

    @Test
    void refusedCallTakesNoPlaceAndLeavesNone() {
        Places.Place leader = enter("k");
        Places.Place waiting = enter("k");
        Places.Place refused = enter("k");
        refused.leave();

        assertThat(enter("k").isRefused()).isTrue();
        waiting.leave();
        leader.leave();
        assertThat(enter("k").isRefused()).isFalse();
        assertThat(enter("k").isRefused()).isFalse();
    }
}
