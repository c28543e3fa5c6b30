package io.counterpoint.idempotency.engine;

import static org.assertj.core.api.Assertions.assertThat;

import io.counterpoint.idempotency.Attempt;
import io.counterpoint.idempotency.Idempotency;
import io.counterpoint.idempotency.IdempotencyKey;
import io.counterpoint.idempotency.Operation.Protocol;
import io.counterpoint.idempotency.Outcome;
import io.counterpoint.idempotency.ResultCodec;
import io.counterpoint.idempotency.memory.InMemoryIdempotencyStore;
import io.counterpoint.idempotency.memory.InMemoryIdempotencyStore.Transaction;
import io.counterpoint.idempotency.spi.Durability;
import io.counterpoint.idempotency.spi.ForwardingStore;
import io.counterpoint.idempotency.spi.IdempotencyRecord;
import io.counterpoint.idempotency.spi.IdempotencyRecord.Payload;
import io.counterpoint.idempotency.spi.IdempotencyRecord.Succeeded;
import io.counterpoint.idempotency.spi.Session;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.Optional;
import java.util.UUID;
import org.junit.jupiter.api.Test;

/** Work whose exception releases its key. */
class ReleaseTest {

    private static final Attempt ATTEMPT = Attempt.inScope("user:1").key("k").request("request");

    private final InMemoryIdempotencyStore memory = new InMemoryIdempotencyStore();

    /** Another process succeeds before this one looks at the key. */
    private final ForwardingStore<Transaction> overtaken = new ForwardingStore<>(memory) {
        @Override
        public Optional<IdempotencyRecord> read(IdempotencyKey key) {
            Succeeded theirs = new Succeeded(
                    key,
                    IdempotencyRecord.Protocol.SINGLE_TRANSACTION,
                    UUID.randomUUID(),
                    ATTEMPT.request(),
                    Optional.of(Payload.of("theirs".getBytes(StandardCharsets.UTF_8))));
            try (Session<Transaction> session = memory.open(key)) {
                Optional<IdempotencyRecord> unused = session.autoCommit(
                        steps -> steps.claim(theirs, Duration.ofDays(1), Duration.ofSeconds(1), Durability.DURABLE));
            }
            return super.read(key);
        }
    };

    @Test
    void recordThatIsThereIsTheAnswerAndNotTheRelease() {
        IllegalStateException refused = new IllegalStateException("no funds");

        Outcome<String> outcome = Idempotency.on(overtaken)
                .operation("operation", ResultCodec.string())
                .protocol(Protocol.SINGLE_TRANSACTION)
                .releaseOn(refused::equals)
                .build()
                .execute(ATTEMPT, transaction -> {
                    throw refused;
                });

        assertThat(outcome).isInstanceOf(Outcome.Replayed.class);
        assertThat(outcome.suppressedFailure()).contains(refused);
    }
}
