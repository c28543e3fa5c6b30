package io.counterpoint.idempotency;

import static org.assertj.core.api.Assertions.assertThat;

import io.counterpoint.idempotency.memory.InMemoryIdempotencyStore;
import org.junit.jupiter.api.Test;

/** A caller that takes fingerprints otherwise than before still finds its records of before. */
class FormerFingerprintTest {

    private final Operation<InMemoryIdempotencyStore.Transaction, String> operation = Idempotency.on(
                    new InMemoryIdempotencyStore())
            .operation("operation", ResultCodec.string())
            .build();

    private static Attempt.WithKey attempt() {
        return Attempt.inScope("user:1").key("key");
    }

    private Outcome<String> execute(Attempt attempt) {
        return operation.execute(attempt, transaction -> "result");
    }

    @Test
    void recordWithAFormerFingerprintIsReplayed() {
        assertThat(execute(attempt().request("before"))).isInstanceOf(Outcome.Completed.class);

        assertThat(execute(attempt().request("now"))).isInstanceOf(Outcome.KeyReused.class);
        assertThat(execute(attempt().request("now").alsoMatching(Fingerprint.ofParts("other"))))
                .isInstanceOf(Outcome.KeyReused.class);
        Attempt either =
                attempt().request("now").alsoMatching(Fingerprint.ofParts("other"), Fingerprint.ofParts("before"));
        assertThat(execute(either).orElseThrow()).isEqualTo("result");
    }

    @Test
    void newRecordHasTheNewFingerprint() {
        assertThat(execute(attempt().request("now").alsoMatching(Fingerprint.ofParts("before")))
                        .orElseThrow())
                .isEqualTo("result");

        assertThat(execute(attempt().request("before"))).isInstanceOf(Outcome.KeyReused.class);
        assertThat(execute(attempt().request("now")).orElseThrow()).isEqualTo("result");
    }
}
