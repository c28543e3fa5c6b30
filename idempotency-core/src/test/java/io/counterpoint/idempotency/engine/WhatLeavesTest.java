package io.counterpoint.idempotency.engine;

import static org.assertj.core.api.Assertions.assertThat;

import io.counterpoint.idempotency.Attempt;
import io.counterpoint.idempotency.Batch;
import io.counterpoint.idempotency.BatchResult;
import io.counterpoint.idempotency.Idempotency;
import io.counterpoint.idempotency.IdempotencyClock;
import io.counterpoint.idempotency.IdempotencyException;
import io.counterpoint.idempotency.IdempotencyException.Effect;
import io.counterpoint.idempotency.IdempotencyException.Reason;
import io.counterpoint.idempotency.IdempotencyKey;
import io.counterpoint.idempotency.Lookup;
import io.counterpoint.idempotency.MisuseException;
import io.counterpoint.idempotency.NotStartedException;
import io.counterpoint.idempotency.Operation;
import io.counterpoint.idempotency.Outcome;
import io.counterpoint.idempotency.OutcomeUnknownException;
import io.counterpoint.idempotency.ResultCodec;
import io.counterpoint.idempotency.function.CheckedSupplier;
import io.counterpoint.idempotency.internal.CallEffects;
import io.counterpoint.idempotency.internal.Rethrow;
import io.counterpoint.idempotency.memory.InMemoryIdempotencyStore;
import io.counterpoint.idempotency.memory.InMemoryIdempotencyStore.Transaction;
import io.counterpoint.idempotency.spi.Fault;
import io.counterpoint.idempotency.spi.LockScope;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.CompletionStage;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/**
 * Whatever the store, the pool or the work throws at whichever call, nothing leaves that says "no effect" of a call that has
 * one: neither its class, nor its reason, nor its attempt. Every pair of faults is tried: an answer that is lost, or none,
 * and then another fault at each later call.
 */
class WhatLeavesTest {

    private static final IdempotencyKey KEY =
            IdempotencyKey.inScope("user:1").operation("operation").value("k");
    private static final int MOST_CALLS = 24;

    enum Way {
        CLAIM_FIRST,
        SINGLE_TRANSACTION,
        PLANNED,
        RECORD_LAST,
        EXTERNAL,
        ASYNCHRONOUS
    }

    /** What the second fault throws. */
    enum Kind {
        OF_THE_POOL,
        MISUSE,
        LOST,
        ERROR,
        OF_A_SHARD;

        Throwable thrown() {
            return switch (this) {
                case OF_THE_POOL -> new IllegalStateException("no target data source");
                case MISUSE -> new MisuseException("a transaction has begun");
                case LOST -> new Lost();
                case ERROR -> new StackOverflowError("deep");
                case OF_A_SHARD -> new NotStartedException(Reason.SCOPE_UNAVAILABLE, KEY, null);
            };
        }
    }

    /** What the work throws, once. */
    enum OfWork {
        NOTHING,
        CHECKED,
        INTERRUPT,
        ERROR,
        OF_ANOTHER_CALL;

        @Nullable
        Throwable thrown() {
            return switch (this) {
                case NOTHING -> null;
                case CHECKED -> new Exception("no funds");
                case INTERRUPT -> new InterruptedException();
                case ERROR -> new AssertionError("not expected");
                case OF_ANOTHER_CALL ->
                    new NotStartedException(Reason.STORE_UNREACHABLE, KEY, new AssertionError("elsewhere"));
            };
        }
    }

    private static final class Lost extends RuntimeException {
        private static final long serialVersionUID = 1L;
    }

    private final StandingClock clock = new StandingClock();
    private FaultyStore store = new FaultyStore(new InMemoryIdempotencyStore(clock));
    private int effects;
    private @Nullable Throwable workThrows;

    /** The clock of the application fails too. */
    private final class FaultyClock implements IdempotencyClock {
        @Override
        public Instant now() {
            boolean unused = store.comes();
            return clock.now();
        }

        @Override
        public void sleep(Duration duration) {
            boolean unused = store.comes();
            clock.sleep(duration);
        }
    }

    @AfterEach
    void clearInterrupt() {
        boolean unused = Thread.interrupted();
    }

    @ParameterizedTest
    @EnumSource
    void onlyWhatIsProvenDeniesTheEffect(Way way) {
        int tried = 0;
        for (OfWork ofWork : OfWork.values()) {
            for (Kind kind : ofWork == OfWork.NOTHING ? Kind.values() : new Kind[] {Kind.OF_THE_POOL}) {
                for (int lost = 0; lost < MOST_CALLS; lost++) {
                    for (int next = lost; next < MOST_CALLS; next++) {
                        tried += tries(way, ofWork, kind, lost, next) ? 1 : 0;
                    }
                }
            }
        }
        assertThat(tried).isGreaterThan(100);
    }

    /** A batch has the answers of the attempts that have ended, also where it cannot go on. */
    @ParameterizedTest
    @EnumSource
    void batchIsRefusedAsAWholeOnlyIfNothingHasBegun(Kind kind) {
        int answered = 0;
        for (int next = 1; next < 2 * MOST_CALLS; next++) {
            store = new FaultyStore(new InMemoryIdempotencyStore(clock));
            effects = 0;
            store.throwAt = next;
            store.thrown = kind.thrown();
            Batch<Transaction, String> batch = Batch.inOwnTransactions(Idempotency.builder(store)
                    .clock(new FaultyClock())
                    .build()
                    .operation("operation", ResultCodec.string())
                    .build());
            Attempt again = Attempt.inScope("user:1").key("k").request("request");
            List<Attempt> attempts =
                    List.of(again, Attempt.inScope("user:1").key("l").request("request"), again);
            try {
                List<BatchResult<String>> results = batch.executeEach(attempts, (handle, item) -> work(handle));
                answered += results.stream().anyMatch(BatchResult.Thrown.class::isInstance) ? 1 : 0;
            } catch (Throwable left) {
                assertThat(left instanceof Error ? 0 : effects)
                        .as(kind + " at " + next + ": " + left)
                        .isZero();
            }
        }
        assertThat(answered).isPositive();
    }

    /** Its claim finds the record that its own commit has left. */
    @ParameterizedTest
    @EnumSource(names = {"SINGLE_TRANSACTION", "PLANNED", "RECORD_LAST"})
    void misuseInDoubtIsNoEndBeforeTheDoubtHasOne(Way way) throws Throwable {
        int settled = 0;
        for (int lost = 1; lost < MOST_CALLS; lost++) {
            store = new FaultyStore(new InMemoryIdempotencyStore(clock));
            effects = 0;
            store.loseAnswerAt = lost;
            store.thrown = new MisuseException("a transaction has begun");
            store.misuseAfterLoss = true;
            Outcome<String> outcome;
            try {
                outcome = call(way, Attempt.inScope("user:1").key("k").request("request"));
            } catch (MisuseException | NotStartedException beforeTheWork) {
                assertThat(effects).isZero();
                continue;
            }
            assertThat(outcome).isInstanceOf(Outcome.Executed.class);
            settled += store.misuseAfterLoss ? 0 : 1;
        }
        assertThat(settled).isPositive();
    }

    /** Returns whether both faults were met. A first fault at call 0 is none. */
    private boolean tries(Way way, OfWork ofWork, Kind kind, int lost, int next) {
        store = new FaultyStore(new InMemoryIdempotencyStore(clock));
        effects = 0;
        workThrows = ofWork.thrown();
        store.loseAnswerAt = lost;
        store.throwAt = next == lost ? 0 : next;
        store.thrown = kind.thrown();
        CallEffects calls = new CallEffects();
        Attempt attempt = Attempt.inScope("user:1").key("k").request("request").countedBy(calls);
        String where = way + ", work throws " + ofWork + ", lost answer " + lost + ", " + kind + " at " + next;
        Throwable own = workThrows;
        Throwable thrown = null;
        try {
            Outcome<String> outcome = call(way, attempt);
            if (outcome instanceof Outcome.Completed) {
                assertThat(effects).as(where).isOne();
            }
        } catch (Throwable left) {
            thrown = left;
            if (left == own) {
                assertThat(effects).as(where).isZero();
                assertThat(left instanceof Error ? !calls.mayExist() : store.isPending())
                        .as(where)
                        .isFalse();
            } else {
                assertThatIsTrue(where, left, calls);
            }
        }
        if (ofWork == OfWork.INTERRUPT && workThrows == null && way != Way.ASYNCHRONOUS) {
            assertThat(Thread.interrupted()).as(where).isTrue();
        }
        if (own != null && lost == 0 && next == 0 && way != Way.EXTERNAL && way != Way.ASYNCHRONOUS) {
            assertThat(thrown).as(where).isSameAs(own);
        }
        boolean met = store.calls >= Math.max(lost, next);
        retry(way, where, thrown);
        return met;
    }

    private void assertThatIsTrue(String where, Throwable left, CallEffects calls) {
        assertThat(left.getClass().getName())
                .as(where)
                .doesNotContain("Carried")
                .doesNotContain("Superseded");
        boolean denies = left instanceof IdempotencyException known
                ? known.reason().effect() == Effect.NONE
                : !(left instanceof Error);
        if (denies || !calls.mayExist()) {
            assertThat(effects).as(where + ": " + left).isZero();
        }
        if (left instanceof OutcomeUnknownException || left instanceof NotStartedException) {
            assertThat(left.getCause() instanceof Error).as(where).isFalse();
        }
    }

    /** Without faults, and after any grace: what was said before still holds, and there is one effect at most. */
    private void retry(Way way, String where, @Nullable Throwable before) {
        store.loseAnswerAt = 0;
        store.throwAt = 0;
        workThrows = null;
        clock.now = clock.now.plus(Duration.ofHours(1));
        try {
            Outcome<String> unused =
                    call(way, Attempt.inScope("user:1").key("k").request("request"));
        } catch (Throwable stillUnknown) {
            assertThat(stillUnknown).as(where).isInstanceOf(IdempotencyException.class);
        }
        assertThat(effects).as(where + ", then a retry; before: " + before).isLessThanOrEqualTo(1);
    }

    private Outcome<String> call(Way way, Attempt attempt) throws Throwable {
        Idempotency<Transaction> idempotency =
                Idempotency.builder(store).clock(new FaultyClock()).build();
        if (way == Way.EXTERNAL || way == Way.ASYNCHRONOUS) {
            var external = idempotency
                    .external("operation", ResultCodec.string(), key -> Lookup.notYet())
                    .build();
            return way == Way.EXTERNAL
                    ? external.execute(attempt, key -> external())
                    : ended(external.executeAsync(attempt, key -> completed(this::external)));
        }
        Operation.Builder<Transaction, String> builder = idempotency.operation("operation", ResultCodec.string());
        return switch (way) {
            case CLAIM_FIRST -> builder.build().execute(attempt, this::work);
            case SINGLE_TRANSACTION ->
                builder.protocol(Operation.Protocol.SINGLE_TRANSACTION).build().execute(attempt, this::work);
            case PLANNED ->
                builder.protocol(Operation.Protocol.SINGLE_TRANSACTION)
                        .planned()
                        .build()
                        .execute(attempt, () -> "plan", (handle, plan) -> {
                            String unused = work(handle);
                        });
            default -> builder.protocol(Operation.Protocol.RECORD_LAST).build().execute(attempt, this::work);
        };
    }

    private String work(Transaction transaction) throws Exception {
        throwOnce();
        transaction.onCommit(() -> effects++);
        return "result";
    }

    private String external() throws Exception {
        throwOnce();
        effects++;
        return "result";
    }

    private void throwOnce() throws Exception {
        Throwable now = workThrows;
        workThrows = null;
        if (now instanceof Error error) {
            throw error;
        }
        if (now != null) {
            throw (Exception) now;
        }
    }

    private static CompletableFuture<String> completed(CheckedSupplier<String, Exception> work) {
        try {
            return CompletableFuture.completedFuture(work.get());
        } catch (Throwable thrown) {
            return CompletableFuture.failedFuture(thrown);
        }
    }

    private static Outcome<String> ended(CompletionStage<Outcome<String>> stage) throws Throwable {
        try {
            return stage.toCompletableFuture().join();
        } catch (CompletionException thrown) {
            throw thrown.getCause();
        }
    }

    /** Counts its calls. One loses its answer, and one is not made and throws. */
    private static final class FaultyStore extends FaultyMemory {
        private int calls;
        private int loseAnswerAt;
        private int throwAt;
        private Throwable thrown = new Lost();
        private boolean misuseAfterLoss;

        FaultyStore(InMemoryIdempotencyStore memory) {
            super(memory);
        }

        /** Returns whether the answer to this call is lost. */
        private boolean comes() {
            calls++;
            if (calls == throwAt) {
                throw Rethrow.unchanged(thrown);
            }
            return calls == loseAnswerAt;
        }

        @Override
        <T> T around(Call call, Supplier<T> made) {
            if (call == Call.OPEN_FOR_CLAIM && misuseAfterLoss && calls >= loseAnswerAt) {
                misuseAfterLoss = false;
                throw Rethrow.unchanged(thrown);
            }
            boolean isLost = comes();
            T answer = made.get();
            if (isLost) {
                commitSent = call == Call.TRANSACTION;
                throw new Lost();
            }
            return answer;
        }

        boolean isPending() {
            return store.read(KEY).stream().anyMatch(record -> !Tokens.isTerminal(record));
        }

        @Override
        public LockScope lockScope() {
            boolean unused = comes();
            return super.lockScope();
        }

        @Override
        public Fault classify(Throwable thrown) {
            return thrown instanceof Lost ? Fault.CONNECTION_LOST : super.classify(thrown);
        }
    }
}
