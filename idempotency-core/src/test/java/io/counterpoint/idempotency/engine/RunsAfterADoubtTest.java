package io.counterpoint.idempotency.engine;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowable;

import io.counterpoint.idempotency.Attempt;
import io.counterpoint.idempotency.Batch;
import io.counterpoint.idempotency.BatchResult;
import io.counterpoint.idempotency.Idempotency;
import io.counterpoint.idempotency.IdempotencyException.Reason;
import io.counterpoint.idempotency.IdempotencyKey;
import io.counterpoint.idempotency.NotStartedException;
import io.counterpoint.idempotency.Operation;
import io.counterpoint.idempotency.Outcome;
import io.counterpoint.idempotency.PlannedOperation;
import io.counterpoint.idempotency.RejectedException;
import io.counterpoint.idempotency.ResultCodec;
import io.counterpoint.idempotency.memory.InMemoryIdempotencyStore;
import io.counterpoint.idempotency.memory.InMemoryIdempotencyStore.Transaction;
import io.counterpoint.idempotency.spi.Fault;
import io.counterpoint.idempotency.spi.ForwardingRecordSteps;
import io.counterpoint.idempotency.spi.IdempotencyRecord.Failed;
import io.counterpoint.idempotency.spi.LastStep;
import io.counterpoint.idempotency.spi.LockScope;
import io.counterpoint.idempotency.spi.RecordSteps;
import io.counterpoint.idempotency.spi.StoreException;
import io.counterpoint.idempotency.spi.WorkScope;
import java.util.List;
import java.util.function.Supplier;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * Work that outlasts what the database allows a transaction: each connection is gone at its commit, which is not answered.
 * The work runs once, and again as often as the operation says, and then the call ends.
 */
class RunsAfterADoubtTest {

    private static final IdempotencyKey KEY =
            IdempotencyKey.inScope("user:1").operation("operation").value("k");

    private final StandingClock clock = new StandingClock();
    private final InMemoryIdempotencyStore memory = new InMemoryIdempotencyStore(clock);
    private LockScope locks = LockScope.GLOBAL;
    private boolean losesCommits = true;
    private boolean runsOnce;
    private int runs;
    private int effects;

    /** Rolls back transactions in which the work has run, and does not say so. */
    private final FaultyMemory store = new FaultyMemory(memory) {
        private int before;

        @Override
        public LockScope lockScope() {
            return locks;
        }

        @Override
        <T> T around(Call call, Supplier<T> made) {
            before = call == Call.TRANSACTION ? runs : before;
            return made.get();
        }

        @Override
        RecordSteps steps(RecordSteps real) {
            return new ForwardingRecordSteps(real) {
                @Override
                public LastStep.Result commitWith(LastStep step) {
                    commitSent = losesCommits && runs > before;
                    if (commitSent) {
                        throw new StoreException("commit", Fault.CONNECTION_LOST, null);
                    }
                    return super.commitWith(step);
                }
            };
        }

        @Override
        WorkScope<Transaction> scope(WorkScope<Transaction> real) {
            return new ForwardingScope<>(real) {
                @Override
                public boolean mayRunAgain() {
                    return !runsOnce && super.mayRunAgain();
                }
            };
        }
    };

    private Operation.Builder<Transaction, String> operation(int retries) {
        return Idempotency.builder(store)
                .clock(clock)
                .build()
                .operation("operation", ResultCodec.string())
                .maxRetries(retries);
    }

    private static Attempt attempt(String key) {
        return Attempt.inScope("user:1").key(key).request("request");
    }

    private String work(Transaction transaction) {
        runs++;
        transaction.onCommit(() -> effects++);
        return "result";
    }

    @ParameterizedTest
    @CsvSource({
        "SINGLE_TRANSACTION, 0", "SINGLE_TRANSACTION, 1", "SINGLE_TRANSACTION, 3",
        "CLAIM_FIRST, 0", "CLAIM_FIRST, 1", "CLAIM_FIRST, 3",
        "RECORD_LAST, 0", "RECORD_LAST, 1", "RECORD_LAST, 3"
    })
    void workRunsAsOftenAsItsOperationSays(Operation.Protocol protocol, int retries) {
        Operation<Transaction, String> operation =
                operation(retries).protocol(protocol).build();

        Throwable thrown = catchThrowable(() -> operation.execute(attempt("k"), this::work));

        assertThat(runs).isEqualTo(retries + 1);
        assertThat(effects).isZero();
        losesCommits = false;
        if (protocol == Operation.Protocol.SINGLE_TRANSACTION) {
            assertThat(thrown)
                    .isInstanceOfSatisfying(
                            NotStartedException.class,
                            told -> assertThat(told.reason()).isEqualTo(Reason.RUNS_ROLLED_BACK));
            assertThat(operation.execute(attempt("k"), this::work)).isInstanceOf(Outcome.Executed.class);
        } else {
            assertThat(thrown).isInstanceOf(RejectedException.class).hasCauseInstanceOf(StoreException.class);
            assertThat(operation.execute(attempt("k"), this::work)).isInstanceOf(Outcome.Rejected.class);
        }
    }

    /** What is on its way finds a free key only if nobody may use it: a release would double its effect, or deny it. */
    @Test
    void recordLastReleasesNoKeyAfterADoubtWhereTheWorkRunsOnceOnly() {
        runsOnce = true;
        Operation<Transaction, String> operation =
                operation(3).protocol(Operation.Protocol.RECORD_LAST).build();

        Throwable thrown = catchThrowable(() -> operation.execute(attempt("k"), this::work));

        assertThat(thrown).isInstanceOf(RejectedException.class);
        losesCommits = false;
        assertThat(operation.execute(attempt("k"), this::work)).isInstanceOf(Outcome.Rejected.class);
        assertThat(runs).isEqualTo(1);
    }

    /** Each run of a kind of its own: the count is that of the call. */
    @Test
    void runsAreCountedWhateverEndsThem() {
        Operation<Transaction, String> operation =
                operation(3).protocol(Operation.Protocol.SINGLE_TRANSACTION).build();

        Throwable thrown = catchThrowable(() -> operation.execute(attempt("k"), handle -> {
            String made = work(handle);
            if (runs % 2 == 0) {
                throw new StoreException("run", Fault.CONFLICT, null);
            }
            return made;
        }));

        // What the work has thrown last, as the same object.
        assertThat(thrown).isInstanceOf(StoreException.class).hasMessage("run");
        assertThat(runs).isEqualTo(4);
    }

    @ParameterizedTest
    @ValueSource(ints = {0, 1, 3})
    void planDoesNotStandWithoutItsEffect(int retries) {
        PlannedOperation<Transaction, String> operation = operation(retries)
                .protocol(Operation.Protocol.SINGLE_TRANSACTION)
                .planned()
                .build();

        Throwable thrown = catchThrowable(() -> operation.execute(attempt("k"), () -> "plan", (handle, plan) -> {
            String unused = work(handle);
        }));

        assertThat(runs).isEqualTo(retries + 1);
        assertThat(thrown).isInstanceOf(NotStartedException.class);
        assertThat(memory.read(KEY)).isEmpty();
    }

    /** Where a claim waits for nobody, only an acknowledged failure keeps the lost commits out. */
    @ParameterizedTest
    @ValueSource(ints = {0, 1, 3})
    void besideLocalLocksTheAttemptFails(int retries) {
        locks = LockScope.NODE;
        Operation<Transaction, String> operation = operation(retries)
                .protocol(Operation.Protocol.SINGLE_TRANSACTION)
                .build();

        Throwable thrown = catchThrowable(() -> operation.execute(attempt("k"), this::work));

        assertThat(runs).isEqualTo(retries + 1);
        assertThat(thrown).isInstanceOf(RejectedException.class);
        assertThat(memory.read(KEY)).containsInstanceOf(Failed.class);
    }

    @ParameterizedTest
    @ValueSource(ints = {0, 1, 3})
    void batchRunsAsOftenAsItsOperationSays(int retries) {
        Operation<Transaction, String> operation = operation(retries)
                .protocol(Operation.Protocol.SINGLE_TRANSACTION)
                .build();

        List<BatchResult<String>> results = Batch.inOneTransaction(operation)
                .executeAll(List.of(attempt("a"), attempt("b")), (handle, leading) -> {
                    String unused = work(handle);
                    return List.of("a", "b");
                });

        assertThat(runs).isEqualTo(retries + 1);
        assertThat(results)
                .allSatisfy(result -> assertThat(result.<Object>fold(outcome -> outcome, thrown -> thrown))
                        .isInstanceOf(NotStartedException.class));
        assertThat(effects).isZero();
    }
}
