package io.counterpoint.idempotency.engine;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.counterpoint.idempotency.Attempt;
import io.counterpoint.idempotency.Fingerprint;
import io.counterpoint.idempotency.Idempotency;
import io.counterpoint.idempotency.IdempotencyEvent;
import io.counterpoint.idempotency.IdempotencyKey;
import io.counterpoint.idempotency.IdempotencyListener;
import io.counterpoint.idempotency.Operation;
import io.counterpoint.idempotency.Outcome;
import io.counterpoint.idempotency.OutcomeUnknownException;
import io.counterpoint.idempotency.ResultCodec;
import io.counterpoint.idempotency.memory.InMemoryIdempotencyStore;
import io.counterpoint.idempotency.memory.InMemoryIdempotencyStore.Transaction;
import io.counterpoint.idempotency.spi.Durability;
import io.counterpoint.idempotency.spi.IdempotencyRecord;
import io.counterpoint.idempotency.spi.IdempotencyRecord.Pending;
import io.counterpoint.idempotency.spi.IdempotencyRecord.Protocol;
import io.counterpoint.idempotency.spi.Session;
import io.counterpoint.idempotency.spi.WorkScope;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.UUID;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** A framework takes part in the transaction of the user's code. */
class WorkScopeTest {

    private static final Attempt ATTEMPT = Attempt.inScope("user:1").key("k").request("request");

    private final List<String> moments = new ArrayList<>();
    private final Map<String, RuntimeException> failing = new HashMap<>();
    private final InMemoryIdempotencyStore memory = new InMemoryIdempotencyStore();
    private final FrameworkStore store = new FrameworkStore();
    private final List<Throwable> afterCommit = new ArrayList<>();
    private final Idempotency<Transaction> idempotency = Idempotency.builder(store)
            .listener(IdempotencyListener.on(
                    IdempotencyEvent.AfterCommitFailed.class,
                    event -> afterCommit.add(event.cause().orElseThrow())))
            .build();

    private Operation.Builder<Transaction, String> operation(boolean single) {
        Operation.Builder<Transaction, String> builder = idempotency.operation("operation", codec());
        return single ? builder.protocol(Operation.Protocol.SINGLE_TRANSACTION) : builder;
    }

    private ResultCodec<String> codec() {
        return ResultCodec.text(
                result -> {
                    moments.add("encode");
                    return result;
                },
                text -> text);
    }

    private String work(Transaction transaction) {
        moments.add("work");
        transaction.onCommit(() -> moments.add("commit"));
        return "result";
    }

    private Optional<IdempotencyRecord> record(Operation<Transaction, String> operation) {
        return memory.read(operation.keyOf(ATTEMPT));
    }

    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    void momentsComeInTheirOrder(boolean single) {
        Outcome<String> outcome = operation(single).build().execute(ATTEMPT, this::work);

        assertThat(outcome).isInstanceOf(Outcome.Executed.class);
        assertThat(moments)
                .containsExactly(
                        "beforeWork", "work", "beforeEncoding", "encode", "beforeMark", "commit", "afterEnd COMMITTED");
    }

    @Test
    void plannedWorkPassesTheSameMoments() {
        Outcome<String> outcome = operation(true).planned().build().execute(ATTEMPT, () -> "result", (handle, plan) -> {
            moments.add("work");
        });

        assertThat(outcome).isInstanceOf(Outcome.Executed.class);
        assertThat(moments)
                .containsExactly("encode", "beforeWork", "work", "beforeEncoding", "beforeMark", "afterEnd COMMITTED");
    }

    @ParameterizedTest
    @ValueSource(strings = {"beforeWork", "beforeEncoding", "beforeMark"})
    void exceptionBeforeTheMarkIsTheWorksOwn(String moment) {
        RuntimeException flush = new IllegalStateException("the flush was refused");
        failing.put(moment, flush);
        Operation<Transaction, String> operation = operation(false).build();

        assertThatThrownBy(() -> operation.execute(ATTEMPT, this::work)).isSameAs(flush);

        assertThat(moments).doesNotContain("commit").endsWith("afterEnd ROLLED_BACK");
        assertThat(record(operation)).containsInstanceOf(IdempotencyRecord.Failed.class);
    }

    @Test
    void exceptionAfterTheCommitChangesNoAnswer() {
        RuntimeException late = new IllegalStateException("after the end");
        failing.put("afterEnd COMMITTED", late);
        Operation<Transaction, String> operation = operation(false).build();

        Outcome<String> outcome = operation.execute(ATTEMPT, this::work);

        assertThat(outcome).isInstanceOf(Outcome.Executed.class);
        assertThat(afterCommit).containsExactly(late);
        assertThat(record(operation)).containsInstanceOf(IdempotencyRecord.Succeeded.class);
    }

    @Test
    void exceptionAfterARollbackIsSuppressed() {
        RuntimeException late = new IllegalStateException("after the end");
        failing.put("afterEnd ROLLED_BACK", late);
        RuntimeException own = new IllegalArgumentException("no funds");

        assertThatThrownBy(() -> operation(false).build().execute(ATTEMPT, handle -> {
                    throw own;
                }))
                .isSameAs(own)
                .satisfies(thrown -> assertThat(thrown.getSuppressed()).containsExactly(late));
    }

    @Test
    void commitWithoutAnAnswerEndsUnknown() {
        store.commitFailure = new IllegalStateException("no answer");

        assertThat(operation(false).build().execute(ATTEMPT, this::work)).isInstanceOf(Outcome.Executed.class);

        assertThat(moments).endsWith("afterEnd UNKNOWN");
    }

    @Test
    void lookupPassesTheMomentsOfItsTransaction() {
        Operation<Transaction, String> operation = lookingUp();
        plantPending(operation.keyOf(ATTEMPT));

        assertThat(operation.execute(ATTEMPT, this::work)).isInstanceOf(Outcome.Healed.class);

        assertThat(moments).startsWith("beforeWork", "lookup", "beforeEncoding", "afterEnd COMMITTED");
    }

    @Test
    void momentThatThrowsFailsTheLookup() {
        Operation<Transaction, String> operation = lookingUp();
        plantPending(operation.keyOf(ATTEMPT));
        RuntimeException unbound = new IllegalStateException("nothing could be bound");
        failing.put("beforeWork", unbound);

        assertThatThrownBy(() -> operation.execute(ATTEMPT, this::work))
                .isInstanceOf(OutcomeUnknownException.class)
                .hasCause(unbound);
    }

    private Operation<Transaction, String> lookingUp() {
        return idempotency
                .operation("operation", codec())
                .lookUpByKey((handle, key) -> {
                    moments.add("lookup");
                    return Optional.of("result");
                })
                .build();
    }

    private void plantPending(IdempotencyKey key) {
        Pending pending = new Pending(
                key,
                Protocol.CLAIM_FIRST,
                UUID.randomUUID(),
                Fingerprint.ofParts("request"),
                Optional.empty(),
                Duration.ZERO);
        try (Session<Transaction> session = memory.open(key)) {
            Optional<IdempotencyRecord> unused = session.autoCommit(
                    steps -> steps.claim(pending, Duration.ofDays(1), Duration.ofSeconds(1), Durability.DURABLE));
        }
    }

    @Test
    void frameworksOwnTransientExceptionRunsTheWorkAgain() {
        List<String> runs = new ArrayList<>();
        Operation<Transaction, String> operation = idempotency
                .operation("operation", ResultCodec.string())
                .retryOn(Stale.class::isInstance)
                .build();

        Outcome<String> outcome = operation.execute(ATTEMPT, handle -> {
            runs.add("run");
            if (runs.size() < 3) {
                throw new Stale();
            }
            return "result";
        });

        assertThat(outcome).isInstanceOf(Outcome.Executed.class);
        assertThat(runs).hasSize(3);
    }

    @Test
    void predicateThatThrowsRunsNothingAgain() {
        Operation<Transaction, String> operation = idempotency
                .operation("operation", ResultCodec.string())
                .retryOn(thrown -> {
                    throw new IllegalStateException("undecided");
                })
                .build();

        assertThatThrownBy(() -> operation.execute(ATTEMPT, handle -> {
                    throw new Stale();
                }))
                .isInstanceOf(Stale.class);
    }

    private static final class Stale extends RuntimeException {
        private static final long serialVersionUID = 1L;
    }

    private final class FrameworkStore extends FaultyMemory {

        private @Nullable RuntimeException commitFailure;

        FrameworkStore() {
            super(memory);
        }

        private boolean marks;

        @Override
        <T> T around(Call call, Supplier<T> made) {
            marks = false;
            T answer = made.get();
            if (commitFailure != null && marks) {
                RuntimeException once = commitFailure;
                commitFailure = null;
                throw once;
            }
            return answer;
        }

        @Override
        WorkScope<Transaction> scope(WorkScope<Transaction> real) {
            return new FrameworkScope(real);
        }
    }

    private final class FrameworkScope implements WorkScope<Transaction> {
        private final WorkScope<Transaction> scope;

        FrameworkScope(WorkScope<Transaction> scope) {
            this.scope = scope;
        }

        private void pass(String moment) {
            moments.add(moment);
            RuntimeException thrown = failing.get(moment);
            if (thrown != null) {
                throw thrown;
            }
        }

        @Override
        public Transaction handle() {
            return scope.handle();
        }

        @Override
        public void beforeWork() {
            pass("beforeWork");
        }

        @Override
        public void beforeEncoding() {
            pass("beforeEncoding");
        }

        @Override
        public void beforeMark() {
            store.marks = true;
            pass("beforeMark");
        }

        @Override
        public void afterEnd(End end) {
            pass("afterEnd " + end);
        }
    }
}
