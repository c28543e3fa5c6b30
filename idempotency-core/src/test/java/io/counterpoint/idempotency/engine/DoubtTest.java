package io.counterpoint.idempotency.engine;

import static org.assertj.core.api.Assertions.assertThat;

import io.counterpoint.idempotency.Failure;
import io.counterpoint.idempotency.Fingerprint;
import io.counterpoint.idempotency.IdempotencyClock;
import io.counterpoint.idempotency.IdempotencyKey;
import io.counterpoint.idempotency.spi.IdempotencyRecord;
import io.counterpoint.idempotency.spi.IdempotencyRecord.Failed;
import io.counterpoint.idempotency.spi.IdempotencyRecord.Pending;
import io.counterpoint.idempotency.spi.IdempotencyRecord.Protocol;
import java.time.Duration;
import java.time.Instant;
import java.util.Optional;
import java.util.UUID;
import org.junit.jupiter.api.Test;

/** What ends a call's doubt, and what does not. */
class DoubtTest {

    private static final IdempotencyKey KEY = new IdempotencyKey("user:1", "charge", "key-1");
    private static final Throwable LOST = new IllegalStateException("lost");

    private final Doubt<String> doubt = new Doubt<>(
            Locks.GLOBAL,
            new Waiting(IdempotencyClock.system(), Duration.ZERO, new Interrupts()),
            Duration.ofDays(1),
            Duration.ofSeconds(5));

    private static Pending pending() {
        return new Pending(
                KEY, Protocol.CLAIM_FIRST, UUID.randomUUID(), Fingerprint.of(), Optional.empty(), Duration.ZERO);
    }

    private static IdempotencyRecord failed() {
        return new Failed(KEY, Protocol.CLAIM_FIRST, UUID.randomUUID(), Fingerprint.of(), new Failure("declined", ""));
    }

    /** That record may be released, and the late commit then has its effect. */
    @Test
    void pendingRecordOfAnotherEndsNoDoubtOfACommitThatMayArriveLate() {
        doubt.lateCommitUnanswered(UUID.randomUUID(), "result", Instant.EPOCH, LOST);

        doubt.met(pending(), false, false);
        assertThat(doubt.exists()).isTrue();
        doubt.met(pending(), false, true);
        assertThat(doubt.exists()).isTrue();

        doubt.met(failed(), false, false);
        assertThat(doubt.exists()).isFalse();
    }

    @Test
    void pendingRecordOfAnotherEndsTheDoubtOfAClaim() {
        doubt.unanswered(LOST);

        doubt.met(pending(), false, false);

        assertThat(doubt.exists()).isFalse();
    }
}
