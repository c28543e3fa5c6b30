package io.counterpoint.idempotency;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.counterpoint.idempotency.internal.Durations;
import io.counterpoint.idempotency.memory.InMemoryIdempotencyStore;
import io.counterpoint.idempotency.spi.ForwardingStore;
import io.counterpoint.idempotency.spi.IdempotencyStore;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicReference;
import org.junit.jupiter.api.Test;

/** Whatever cannot work is refused when the operation is built, with a message that says what to do. */
class BuilderTest {

    private final Idempotency<InMemoryIdempotencyStore.Transaction> idempotency =
            Idempotency.on(new InMemoryIdempotencyStore());

    private Operation.Builder<InMemoryIdempotencyStore.Transaction, String> operation() {
        return idempotency.operation("charge", ResultCodec.string());
    }

    private ExternalOperation.Builder<?, String> external() {
        return idempotency.external("charge", ResultCodec.string(), unresolved -> Lookup.notYet());
    }

    @Test
    void durationsHaveToBePositiveAndBounded() {
        for (Duration wrong : List.of(Duration.ZERO, Duration.ofSeconds(-1), Duration.ofDays(4000))) {
            refused(() -> operation().retention(wrong), "retention", Durations.text(wrong));
            refused(() -> operation().waitAtMost(wrong), "wait", Durations.text(wrong));
            refused(() -> operation().whenAbandoned(Operation.Abandoned.FAIL, wrong), "grace", Durations.text(wrong));
            refused(
                    () -> operation().whenAbandoned(Operation.Abandoned.TAKE_OVER, wrong),
                    "grace",
                    Durations.text(wrong));
            refused(() -> external().retention(wrong), "retention", Durations.text(wrong));
            refused(() -> external().waitAtMost(wrong), "wait", Durations.text(wrong));
        }
    }

    @Test
    void countsHaveToBeInTheirBounds() {
        refused(() -> operation().maxRetries(-1), "retries", "-1");
        refused(() -> operation().maxRetries(101), "retries", "101");
        refused(() -> operation().maxWaiting(0), "waiting callers", "0");
        refused(() -> external().maxWaiting(1_000_001), "waiting callers", "1000001");
        refused(() -> operation().maxResultBytes(0), "result", "0");
        refused(() -> operation().maxResultBytes(1 << 30), "result");
        refused(() -> external().maxResultBytes(0), "result", "0");
    }

    @Test
    void boundsThemselvesAreAccepted() {
        assertThat(operation()
                        .retention(Duration.ofDays(3650))
                        .maxRetries(0)
                        .maxRetries(100)
                        .maxResultBytes(1)
                        .maxResultBytes(16 << 20)
                        .build())
                .hasToString(
                        "Operation[charge, protocol CLAIM_FIRST, without a lookup, abandoned FAIL after 1 min, waits at most 0 s,"
                                + " retention 3650 days, settles within 5 s, retries 100, results up to 16777216 bytes]");
        assertThat(external()
                        .retention(Duration.ofDays(3650))
                        .maxResultBytes(16 << 20)
                        .build())
                .hasToString(
                        "ExternalOperation[charge, protocol EXTERNAL, with a lookup, abandoned LEAVE, waits at most 0 s,"
                                + " retention 3650 days, settles within 5 s, retries 3, results up to 16777216 bytes]");
    }

    @Test
    void keyOfAnAttemptIsThatOfItsRecord() {
        Attempt attempt = Attempt.inScope("user:42").key("key-1").withoutRequest();
        IdempotencyKey key =
                IdempotencyKey.inScope("user:42").operation("charge").value("key-1");
        assertThat(operation().build().keyOf(attempt)).isEqualTo(key);
        assertThat(external().build().keyOf(attempt)).isEqualTo(key);
    }

    @Test
    void purgeReturnsTheNumberOfPurgedRecords() throws InterruptedException {
        Operation<InMemoryIdempotencyStore.Transaction, String> operation =
                operation().retention(Duration.ofNanos(1)).build();
        assertThat(operation.execute(Attempt.inScope("user:42").key("key-1").withoutRequest(), handle -> "done"))
                .isInstanceOf(Outcome.Executed.class);
        IdempotencyClock.system().sleep(Duration.ofMillis(1));
        assertThat(idempotency.purgeExpired(10)).isEqualTo(1);
        assertThat(idempotency.purgeExpired(10)).isZero();
    }

    @Test
    void recordIsKeptForADayUnlessSetOtherwise() {
        AtomicReference<Instant> now = new AtomicReference<>(Instant.EPOCH);
        IdempotencyClock clock = new IdempotencyClock() {
            @Override
            public Instant now() {
                return now.get();
            }

            @Override
            public void sleep(Duration pause) {
                now.updateAndGet(before -> before.plus(pause));
            }
        };
        Idempotency<InMemoryIdempotencyStore.Transaction> daily = Idempotency.builder(
                        new InMemoryIdempotencyStore(clock))
                .clock(clock)
                .build();
        Attempt attempt = Attempt.inScope("user:42").key("key-1").withoutRequest();
        Operation<InMemoryIdempotencyStore.Transaction, String> inDatabase =
                daily.operation("charge", ResultCodec.string()).build();
        ExternalOperation<String> outside = daily.external("mail", ResultCodec.string(), unresolved -> Lookup.notYet())
                .build();
        assertThat(inDatabase.execute(attempt, handle -> "done")).isInstanceOf(Outcome.Executed.class);
        assertThat(outside.execute(attempt, key -> "sent")).isInstanceOf(Outcome.Executed.class);

        now.set(Instant.EPOCH.plus(Duration.ofHours(24)).minusSeconds(1));
        assertThat(daily.purgeExpired(10)).isZero();
        assertThat(inDatabase.execute(attempt, handle -> "again")).isInstanceOf(Outcome.Replayed.class);
        now.set(Instant.EPOCH.plus(Duration.ofHours(24)).plusSeconds(1));
        assertThat(daily.purgeExpired(10)).isEqualTo(2);
        assertThat(inDatabase.execute(attempt, handle -> "anew")).isInstanceOf(Outcome.Executed.class);
    }

    @Test
    void waitInsideOneTransactionHoldsAConnectionAndIsShort() {
        refused(
                () -> operation()
                        .protocol(Operation.Protocol.SINGLE_TRANSACTION)
                        .waitAtMost(Duration.ofMinutes(2))
                        .build(),
                "one transaction",
                "2 min");
        assertThat(operation().protocol(Operation.Protocol.SINGLE_TRANSACTION).build())
                .asString()
                .contains("protocol SINGLE_TRANSACTION", "waits at most 1 s");
        assertThat(operation().waitAtMost(Duration.ofMinutes(2)).build())
                .asString()
                .contains("protocol CLAIM_FIRST", "waits at most 2 min");
    }

    @Test
    void recordLastIsNamedWithWhatWasChosen() {
        assertThat(operation().protocol(Operation.Protocol.RECORD_LAST).build())
                .asString()
                .contains("protocol RECORD_LAST", "waits at most 1 s", "FAIL after 1 min");
        assertThat(operation()
                        .protocol(Operation.Protocol.RECORD_LAST)
                        .whenAbandoned(Operation.Abandoned.TAKE_OVER, Duration.ofSeconds(5))
                        .build())
                .asString()
                .contains("RECORD_LAST", "TAKE_OVER after 5 s");
        assertThat(operation().protocol(Operation.Protocol.SINGLE_TRANSACTION).build())
                .asString()
                .doesNotContain("RECORD_LAST");
    }

    @Test
    void recordLastIsRefusedWithWhatItHasNoUseFor() {
        refused(
                () -> operation()
                        .protocol(Operation.Protocol.RECORD_LAST)
                        .releaseOn(thrown -> true)
                        .build(),
                "RECORD_LAST",
                "releaseOn");
        refused(
                () -> operation()
                        .protocol(Operation.Protocol.RECORD_LAST)
                        .planned()
                        .lookUpByPlan((handle, plan) -> true)
                        .build(),
                "lookup");
        refused(
                () -> operation()
                        .lookUpByKey((handle, key) -> Optional.empty())
                        .protocol(Operation.Protocol.RECORD_LAST)
                        .build(),
                "lookup");
        refused(
                () -> operation()
                        .protocol(Operation.Protocol.RECORD_LAST)
                        .waitAtMost(Duration.ofMinutes(2))
                        .build(),
                "one transaction",
                "2 min");
    }

    @Test
    void recordLastNeedsARetentionLongerThanItsLongestCall() {
        // It waits for 1 s, settles for 5 s, and runs four times.
        refused(
                () -> operation()
                        .protocol(Operation.Protocol.RECORD_LAST)
                        .retention(Duration.ofSeconds(14))
                        .build(),
                "retention",
                "14 s");
        assertThat(operation()
                        .protocol(Operation.Protocol.RECORD_LAST)
                        .retention(Duration.ofSeconds(15))
                        .build())
                .isNotNull();
        assertThat(operation()
                        .protocol(Operation.Protocol.RECORD_LAST)
                        .maxRetries(0)
                        .retention(Duration.ofSeconds(9))
                        .build())
                .isNotNull();
        refused(
                () -> operation()
                        .protocol(Operation.Protocol.RECORD_LAST)
                        .settleWithin(Duration.ofHours(1))
                        .retention(Duration.ofHours(1))
                        .build(),
                "retention",
                "1 h");
    }

    @Test
    void recordLastNeedsAStoreThatKeepsEveryInsert() {
        IdempotencyStore<InMemoryIdempotencyStore.Transaction> unchecked =
                new ForwardingStore<>(new InMemoryIdempotencyStore()) {
                    @Override
                    public boolean keepsEveryInsert() {
                        return false;
                    }
                };
        refused(
                () -> Idempotency.on(unchecked)
                        .operation("charge", ResultCodec.string())
                        .protocol(Operation.Protocol.RECORD_LAST)
                        .build(),
                "checkTable()");
    }

    @Test
    void theLastWordCounts() {
        assertThat(operation()
                        .protocol(Operation.Protocol.RECORD_LAST)
                        .protocol(Operation.Protocol.CLAIM_FIRST)
                        .whenAbandoned(Operation.Abandoned.LEAVE, Duration.ofSeconds(1))
                        .whenAbandoned(Operation.Abandoned.TAKE_OVER, Duration.ofSeconds(2))
                        .lookUpByKey((handle, key) -> Optional.empty())
                        .build())
                .asString()
                .contains("CLAIM_FIRST,", "TAKE_OVER after 2 s", "with a lookup")
                .doesNotContain("RECORD_LAST");
    }

    @Test
    void namesAreCheckedLikeKeys() {
        assertThatThrownBy(() -> idempotency.operation("create group", ResultCodec.string()))
                .isInstanceOf(InvalidKeyException.class);
        assertThatThrownBy(() -> idempotency.external("", ResultCodec.string(), unresolved -> Lookup.notYet()))
                .isInstanceOf(InvalidKeyException.class);
    }

    @Test
    void purgeNeedsABatchAndItsOwnCall() {
        refused(() -> idempotency.purgeExpired(0), "batch", "0");
        Attempt attempt = Attempt.inScope("user:42").key("key-1").withoutRequest();
        assertThatThrownBy(() -> operation().build().execute(attempt, handle -> "" + idempotency.purgeExpired(1)))
                .isInstanceOf(IllegalStateException.class)
                .hasMessageContaining("inside the call of");
    }

    @Test
    void builtOperationDoesNotChangeWithItsBuilder() {
        Operation.Builder<InMemoryIdempotencyStore.Transaction, String> builder = operation();
        Operation<InMemoryIdempotencyStore.Transaction, String> first = builder.build();
        Operation<InMemoryIdempotencyStore.Transaction, String> second =
                builder.protocol(Operation.Protocol.SINGLE_TRANSACTION).build();
        assertThat(first.toString()).contains("CLAIM_FIRST");
        assertThat(second.toString()).contains("SINGLE_TRANSACTION");
    }

    private static void refused(Runnable building, String... words) {
        assertThatThrownBy(building::run)
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContainingAll(words);
    }
}
