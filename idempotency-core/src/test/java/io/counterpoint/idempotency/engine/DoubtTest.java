package io.counterpoint.idempotency.engine;

import static org.assertj.core.api.Assertions.assertThat;

import io.counterpoint.idempotency.Failure;
import io.counterpoint.idempotency.Fingerprint;
import io.counterpoint.idempotency.IdempotencyClock;
import io.counterpoint.idempotency.IdempotencyKey;
import io.counterpoint.idempotency.memory.InMemoryIdempotencyStore;
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

    private static final IdempotencyKey KEY =
            IdempotencyKey.inScope("user:1").operation("charge").value("key-1");

    private final Throwable lost = new IllegalStateException("lost");

    private Instant monotonic = Instant.EPOCH;
    private Instant wall = Instant.EPOCH;

    private final Waiting waiting = new Waiting(
            new IdempotencyClock() {
                @Override
                public Instant now() {
                    return monotonic;
                }

                @Override
                public Instant wallTime() {
                    return wall;
                }

                @Override
                public void sleep(Duration pause) {
                    monotonic = monotonic.plus(pause);
                }
            },
            Duration.ZERO,
            new Interrupts());

    private final Doubt<String> doubt =
            new Doubt<>(new InMemoryIdempotencyStore(), waiting, Duration.ofDays(1), Duration.ofSeconds(5));

    /** The monotonic timer stands still meanwhile, and records are purged. */
    @Test
    void recordMayBePurgedAfterTheMachineWasSuspended() {
        doubt.commitUnanswered(UUID.randomUUID(), "result", waiting.moment(), lost);
        assertThat(doubt.recordMayBePurged()).isFalse();

        wall = wall.plus(Duration.ofDays(1));

        assertThat(doubt.recordMayBePurged()).isTrue();
    }

    @Test
    void recordMayBePurgedAlthoughTheWallClockWasSetBack() {
        doubt.commitUnanswered(UUID.randomUUID(), "result", waiting.moment(), lost);

        wall = wall.minus(Duration.ofDays(1));
        assertThat(doubt.recordMayBePurged()).isFalse();
        monotonic = monotonic.plus(Duration.ofDays(1));

        assertThat(doubt.recordMayBePurged()).isTrue();
    }

    /** The record of either run may be the one that was purged. */
    @Test
    void recordMayBePurgedWhenTheRetentionOfTheFirstRunIsOver() {
        doubt.commitUnanswered(UUID.randomUUID(), "first", waiting.moment(), lost);
        monotonic = monotonic.plus(Duration.ofHours(23));
        doubt.commitUnanswered(UUID.randomUUID(), "second", waiting.moment(), lost);

        monotonic = monotonic.plus(Duration.ofHours(1));

        assertThat(doubt.recordMayBePurged()).isTrue();
    }

    /** Its claim may be lost with the server that has shown it. */
    @Test
    void ownPendingRecordHasToBeConfirmedInDoubtAndThatOfAnotherHasNot() {
        assertThat(doubt.demandsConfirmation(pending(), true, true)).isFalse();

        doubt.unanswered(lost);

        assertThat(doubt.demandsConfirmation(pending(), true, true)).isTrue();
        assertThat(doubt.demandsConfirmation(pending(), false, true)).isFalse();
        assertThat(doubt.demandsConfirmation(failed(), false, true)).isTrue();
    }

    /** Only such a call is remembered: another's token would shorten no wait, and would push older ones out. */
    @Test
    void recordMayBeLeftByAWriteWithoutAnswerOrByWorkThatBeganAndByNothingElse() {
        assertThat(doubt.mayBeLeft()).isFalse();
        doubt.claimLeads();
        doubt.decided();
        doubt.attemptEnded();
        assertThat(doubt.mayBeLeft()).isFalse();

        doubt.leads();
        assertThat(doubt.mayBeLeft()).isTrue();

        Doubt<String> ofAnother =
                new Doubt<>(new InMemoryIdempotencyStore(), waiting, Duration.ofDays(1), Duration.ofSeconds(5));
        ofAnother.unanswered(lost);
        assertThat(ofAnother.mayBeLeft()).isTrue();
    }

    private static Pending pending() {
        return new Pending(
                KEY, Protocol.CLAIM_FIRST, UUID.randomUUID(), Fingerprint.ofParts(), Optional.empty(), Duration.ZERO);
    }

    private static IdempotencyRecord failed() {
        return new Failed(
                KEY, Protocol.CLAIM_FIRST, UUID.randomUUID(), Fingerprint.ofParts(), new Failure("declined", ""));
    }

    /** That record may be released, and the late commit then has its effect. */
    @Test
    void pendingRecordOfAnotherEndsNoDoubtOfACommitThatMayArriveLate() {
        doubt.lateCommitUnanswered(UUID.randomUUID(), "result", waiting.moment(), lost);

        doubt.met(pending(), false, false);
        assertThat(doubt.exists()).isTrue();
        doubt.met(pending(), false, true);
        assertThat(doubt.exists()).isTrue();

        doubt.met(failed(), false, false);
        assertThat(doubt.exists()).isFalse();
    }

    @Test
    void pendingRecordOfAnotherEndsTheDoubtOfAClaim() {
        doubt.unanswered(lost);

        doubt.met(pending(), false, false);

        assertThat(doubt.exists()).isFalse();
    }
}
