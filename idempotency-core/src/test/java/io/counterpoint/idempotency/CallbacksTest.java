package io.counterpoint.idempotency;

import static org.assertj.core.api.Assertions.assertThat;

import io.counterpoint.idempotency.IdempotencyException.Effect;
import io.counterpoint.idempotency.internal.CallEffects;
import io.counterpoint.idempotency.internal.Rethrow;
import io.counterpoint.idempotency.memory.InMemoryIdempotencyStore;
import io.counterpoint.idempotency.memory.InMemoryIdempotencyStore.Transaction;
import io.counterpoint.idempotency.spi.Durability;
import io.counterpoint.idempotency.spi.IdempotencyRecord;
import io.counterpoint.idempotency.spi.IdempotencyRecord.Pending;
import io.counterpoint.idempotency.spi.IdempotencyRecord.Protocol;
import io.counterpoint.idempotency.spi.Session;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.time.Instant;
import java.util.Optional;
import java.util.UUID;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

/** Whatever a function of the user's does, the call ends in a way that its caller can handle. */
class CallbacksTest {

    /** Each callback and protocol, and the ends for what it does: null, exception, error, interrupt, nested call. */
    private static final String EXPECTED = """
            ENCODE CLAIM_FIRST: RESULT_UNSTORABLE; RESULT_UNSTORABLE; RESULT_UNSTORABLE; RESULT_UNSTORABLE and interrupted; RESULT_UNSTORABLE;
            ENCODE SINGLE_TRANSACTION: RESULT_UNSTORABLE; RESULT_UNSTORABLE; RESULT_UNSTORABLE; RESULT_UNSTORABLE and interrupted; RESULT_UNSTORABLE;
            ENCODE EXTERNAL: Executed; Executed; Executed; Executed; Executed;
            DECODE CLAIM_FIRST: Replayed; Replayed; Replayed; Replayed; Replayed;
            DECODE SINGLE_TRANSACTION: Replayed; Replayed; Replayed; Replayed; Replayed;
            DECODE EXTERNAL: RESULT_UNREADABLE; RESULT_UNREADABLE; RESULT_UNREADABLE; RESULT_UNREADABLE and interrupted; RESULT_UNREADABLE;
            PLAN CLAIM_FIRST: PLAN_UNSTORABLE; OfUser; ErrorOfUser; InterruptedException; NestedCallException;
            PLAN SINGLE_TRANSACTION: PLAN_UNSTORABLE; OfUser; ErrorOfUser; InterruptedException; NestedCallException;
            PLAN EXTERNAL: PLAN_UNSTORABLE; OfUser; ErrorOfUser; InterruptedException; NestedCallException;
            LOOKUP_BY_KEY CLAIM_FIRST: LOOKUP_FAILED; LOOKUP_FAILED; ErrorOfUser; LOOKUP_FAILED and interrupted; LOOKUP_FAILED;
            LOOKUP_BY_KEY SINGLE_TRANSACTION: LOOKUP_FAILED; LOOKUP_FAILED; ErrorOfUser; LOOKUP_FAILED and interrupted; LOOKUP_FAILED;
            LOOKUP_BY_KEY EXTERNAL: LOOKUP_FAILED; LOOKUP_FAILED; ErrorOfUser; LOOKUP_FAILED and interrupted; LOOKUP_FAILED;
            LOOKUP_BY_PLAN CLAIM_FIRST: LOOKUP_FAILED; LOOKUP_FAILED; ErrorOfUser; LOOKUP_FAILED and interrupted; LOOKUP_FAILED;
            LOOKUP_BY_PLAN SINGLE_TRANSACTION: LOOKUP_FAILED; LOOKUP_FAILED; ErrorOfUser; LOOKUP_FAILED and interrupted; LOOKUP_FAILED;
            LOOKUP_BY_PLAN EXTERNAL: LOOKUP_FAILED; LOOKUP_FAILED; ErrorOfUser; LOOKUP_FAILED and interrupted; LOOKUP_FAILED;
            DESCRIBE_FAILURE CLAIM_FIRST: OfUser; OfUser; OfUser; OfUser; OfUser;
            DESCRIBE_FAILURE SINGLE_TRANSACTION: OfUser; OfUser; OfUser; OfUser; OfUser;
            DESCRIBE_FAILURE EXTERNAL: OfUser; OfUser; OfUser; OfUser; OfUser;
            RELEASE_ON CLAIM_FIRST: OfUser; OfUser; OfUser; OfUser; OfUser;
            RELEASE_ON SINGLE_TRANSACTION: OfUser; OfUser; OfUser; OfUser; OfUser;
            RELEASE_ON EXTERNAL: EXTERNAL_FAILED; EXTERNAL_FAILED; EXTERNAL_FAILED; EXTERNAL_FAILED; EXTERNAL_FAILED;
            RETRY_ON CLAIM_FIRST: OfUser; OfUser; OfUser; OfUser; OfUser;
            RETRY_ON SINGLE_TRANSACTION: OfUser; OfUser; OfUser; OfUser; OfUser;
            RETRY_ON EXTERNAL: OfUser; OfUser; OfUser; OfUser; OfUser;
            NO_EFFECT_WHEN CLAIM_FIRST: OfUser; OfUser; OfUser; OfUser; OfUser;
            NO_EFFECT_WHEN SINGLE_TRANSACTION: OfUser; OfUser; OfUser; OfUser; OfUser;
            NO_EFFECT_WHEN EXTERNAL: EXTERNAL_FAILED; EXTERNAL_FAILED; EXTERNAL_FAILED; EXTERNAL_FAILED; EXTERNAL_FAILED;
            LISTENER CLAIM_FIRST: Executed; Executed; Executed; Executed and interrupted; Executed;
            LISTENER SINGLE_TRANSACTION: Executed; Executed; Executed; Executed and interrupted; Executed;
            LISTENER EXTERNAL: Executed; Executed; Executed; Executed and interrupted; Executed;
            CLOCK CLAIM_FIRST: NullPointerException; OfUser; ErrorOfUser; InterruptedException; NestedCallException;
            CLOCK SINGLE_TRANSACTION: NullPointerException; OfUser; ErrorOfUser; InterruptedException; NestedCallException;
            CLOCK EXTERNAL: Executed; OfUser; ErrorOfUser; InterruptedException; NestedCallException;
            """;

    private static final IdempotencyKey KEY =
            IdempotencyKey.inScope("user:1").operation("operation").value("k");

    enum Callback {
        ENCODE,
        DECODE,
        PLAN,
        LOOKUP_BY_KEY,
        LOOKUP_BY_PLAN,
        DESCRIBE_FAILURE,
        RELEASE_ON,
        RETRY_ON,
        NO_EFFECT_WHEN,
        LISTENER,
        CLOCK
    }

    enum Deed {
        NULL,
        EXCEPTION,
        ERROR,
        INTERRUPT,
        NESTED_CALL
    }

    enum Way {
        CLAIM_FIRST,
        SINGLE_TRANSACTION,
        EXTERNAL
    }

    private static final class OfUser extends RuntimeException {
        private static final long serialVersionUID = 1L;
    }

    private static final class ErrorOfUser extends Error {
        private static final long serialVersionUID = 1L;
    }

    private final IdempotencyClock clock = new IdempotencyClock() {
        @Override
        public Instant now() {
            return Instant.parse("2026-01-01T00:00:00Z");
        }

        @Override
        public void sleep(Duration duration) {}
    };
    private InMemoryIdempotencyStore store = new InMemoryIdempotencyStore(clock);
    private Callback callback = Callback.ENCODE;
    private Deed deed = Deed.NULL;
    private int effects;

    /** Does what is to be tried where this is the callback. */
    private <T> @Nullable T in(Callback here, @Nullable T otherwise) {
        if (here != callback) {
            return otherwise;
        }
        return switch (deed) {
            case NULL -> null;
            case EXCEPTION -> throw new OfUser();
            case ERROR -> throw new ErrorOfUser();
            case INTERRUPT -> throw Rethrow.unchanged(new InterruptedException());
            case NESTED_CALL -> {
                Outcome<Done> unused = Idempotency.on(store)
                        .operation("nested")
                        .build()
                        .execute(Attempt.inScope("user:1").key("nested").withoutRequest(), handle -> Done.DONE);
                yield otherwise;
            }
        };
    }

    @Test
    void everyDeedOfACallbackHasItsEnd() {
        StringBuilder table = new StringBuilder();
        for (Callback each : Callback.values()) {
            for (Way way : Way.values()) {
                table.append(each).append(' ').append(way).append(':');
                for (Deed what : Deed.values()) {
                    callback = each;
                    deed = what;
                    table.append(' ').append(end(way)).append(';');
                }
                table.append('\n');
            }
        }
        assertThat(table.toString()).isEqualTo(EXPECTED);
    }

    private String end(Way way) {
        store = new InMemoryIdempotencyStore(clock);
        effects = 0;
        boolean found = callback == Callback.LOOKUP_BY_KEY
                || callback == Callback.LOOKUP_BY_PLAN
                || callback == Callback.DECODE;
        if (found) {
            plant(way);
        }
        String end;
        CallEffects calls = new CallEffects();
        Attempt attempt = Attempt.inScope("user:1").key("k").request("request").countedBy(calls);
        try {
            end = call(way, attempt).getClass().getSimpleName();
        } catch (Throwable thrown) {
            boolean denies = thrown instanceof IdempotencyException known
                    ? known.reason().effect() == Effect.NONE
                    : !(thrown instanceof Error);
            String where = callback + ", " + deed + ", " + way;
            assertThat(denies || !calls.mayExist() ? effects : 0).as(where).isZero();
            end = thrown instanceof IdempotencyException known
                    ? known.reason().name()
                    : thrown.getClass().getSimpleName();
        }
        return end + (Thread.interrupted() ? " and interrupted" : "");
    }

    private void plant(Way way) {
        IdempotencyRecord record = callback == Callback.DECODE
                ? new IdempotencyRecord.Succeeded(
                        KEY,
                        Protocol.CLAIM_FIRST,
                        UUID.randomUUID(),
                        Fingerprint.ofParts("request"),
                        Optional.of(IdempotencyRecord.Payload.of("stored".getBytes(StandardCharsets.UTF_8))))
                : new Pending(
                        KEY,
                        way == Way.EXTERNAL ? Protocol.EXTERNAL : Protocol.CLAIM_FIRST,
                        UUID.randomUUID(),
                        Fingerprint.ofParts("request"),
                        Optional.of(IdempotencyRecord.Payload.of("plan".getBytes(StandardCharsets.UTF_8))),
                        Duration.ZERO);
        try (Session<Transaction> session = store.open(KEY)) {
            Optional<IdempotencyRecord> found = session.autoCommit(
                    steps -> steps.claim(record, Duration.ofDays(1), Duration.ofSeconds(1), Durability.DURABLE));
            assertThat(found).isEmpty();
        }
    }

    private boolean fails() {
        return callback == Callback.DESCRIBE_FAILURE
                || callback == Callback.RELEASE_ON
                || callback == Callback.RETRY_ON
                || callback == Callback.NO_EFFECT_WHEN;
    }

    @SuppressWarnings("NullAway") // what a caller without a null analysis may do
    private Outcome<String> call(Way way, Attempt attempt) {
        ResultCodec<String> codec = ResultCodec.of(
                result -> in(Callback.ENCODE, result.getBytes(StandardCharsets.UTF_8)),
                bytes -> in(Callback.DECODE, new String(bytes, StandardCharsets.UTF_8)));
        Idempotency<Transaction> idempotency = Idempotency.builder(store)
                .listener(event -> in(Callback.LISTENER, event))
                .clock(new IdempotencyClock() {
                    @Override
                    public Instant now() {
                        return in(Callback.CLOCK, clock.now());
                    }

                    @Override
                    public void sleep(Duration duration) {}
                })
                .build();
        if (way == Way.EXTERNAL) {
            ExternalOperation.Builder<Transaction, String> builder = idempotency
                    .external(
                            "operation",
                            codec,
                            unresolved -> callback == Callback.LOOKUP_BY_KEY || callback == Callback.LOOKUP_BY_PLAN
                                    ? in(callback, Lookup.found("found"))
                                    : Lookup.notYet())
                    .describeFailure(thrown -> in(Callback.DESCRIBE_FAILURE, Failure.of(thrown)))
                    .releaseWhenNoEffect(thrown -> in(Callback.RELEASE_ON, false))
                    .noEffectWhen(thrown -> in(Callback.NO_EFFECT_WHEN, callback != Callback.RELEASE_ON));
            return callback == Callback.PLAN || callback == Callback.LOOKUP_BY_PLAN
                    ? builder.planned()
                            .build()
                            .execute(attempt, () -> in(Callback.PLAN, "plan"), (key, plan) -> external())
                    : builder.build().execute(attempt, key -> external());
        }
        Operation.Builder<Transaction, String> builder = idempotency
                .operation("operation", codec)
                .protocol(
                        way == Way.CLAIM_FIRST ? Operation.Protocol.CLAIM_FIRST : Operation.Protocol.SINGLE_TRANSACTION)
                .describeFailure(thrown -> in(Callback.DESCRIBE_FAILURE, Failure.of(thrown)))
                .releaseOn(thrown -> in(Callback.RELEASE_ON, false))
                .retryOn(thrown -> in(Callback.RETRY_ON, false))
                .maxRetries(1);
        if (callback == Callback.LOOKUP_BY_KEY || callback == Callback.DECODE) {
            builder.lookUpByKey((handle, key) -> in(Callback.LOOKUP_BY_KEY, Optional.of("found")));
        }
        if (callback != Callback.PLAN && callback != Callback.LOOKUP_BY_PLAN) {
            return builder.build().execute(attempt, this::work);
        }
        PlannedOperation.Builder<Transaction, String> planned = builder.planned();
        if (callback == Callback.LOOKUP_BY_PLAN) {
            planned.lookUpByPlan((handle, plan) -> in(Callback.LOOKUP_BY_PLAN, true));
        }
        return planned.build().execute(attempt, () -> in(Callback.PLAN, "plan"), (handle, plan) -> {
            String unused = work(handle);
        });
    }

    private String work(Transaction transaction) {
        transaction.onCommit(() -> effects++);
        if (fails()) {
            throw new OfUser();
        }
        return "result";
    }

    private String external() {
        if (fails()) {
            throw new OfUser();
        }
        effects++;
        return "result";
    }
}
