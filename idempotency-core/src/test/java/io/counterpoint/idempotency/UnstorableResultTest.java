package io.counterpoint.idempotency;

import static org.assertj.core.api.Assertions.assertThat;

import io.counterpoint.idempotency.memory.InMemoryIdempotencyStore;
import org.junit.jupiter.api.Test;

class UnstorableResultTest {

    /** The effect is there: neither an Error of the codec nor a null may hide it, now or from a retry. */
    @Test
    void externalEffectIsReturnedThoughItsResultCannotBeEncoded() {
        ResultCodec<String> codec = ResultCodec.of(
                result -> {
                    throw new StackOverflowError("cyclic");
                },
                bytes -> "never");
        ExternalOperation<String> operation = Idempotency.on(new InMemoryIdempotencyStore())
                .external("charge", codec, unresolved -> Lookup.found("charged"))
                .build();
        Attempt attempt = Attempt.inScope("user:42").key("key-1").withoutRequest();
        assertThat(operation.execute(attempt, key -> "charged").orElseThrow()).isEqualTo("charged");
        assertThat(operation.execute(attempt, key -> "again")).isInstanceOf(Outcome.Replayed.class);
    }
}
