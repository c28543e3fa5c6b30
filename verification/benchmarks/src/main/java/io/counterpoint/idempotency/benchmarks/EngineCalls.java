package io.counterpoint.idempotency.benchmarks;

import io.counterpoint.idempotency.Attempt;
import io.counterpoint.idempotency.ExternalOperation;
import io.counterpoint.idempotency.Idempotency;
import io.counterpoint.idempotency.Lookup;
import io.counterpoint.idempotency.Operation;
import io.counterpoint.idempotency.Outcome;
import io.counterpoint.idempotency.PlannedOperation;
import io.counterpoint.idempotency.ResultCodec;
import io.counterpoint.idempotency.memory.InMemoryIdempotencyStore;
import io.counterpoint.idempotency.memory.InMemoryIdempotencyStore.Transaction;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.openjdk.jmh.annotations.Benchmark;
import org.openjdk.jmh.annotations.BenchmarkMode;
import org.openjdk.jmh.annotations.Fork;
import org.openjdk.jmh.annotations.Level;
import org.openjdk.jmh.annotations.Measurement;
import org.openjdk.jmh.annotations.Mode;
import org.openjdk.jmh.annotations.OperationsPerInvocation;
import org.openjdk.jmh.annotations.OutputTimeUnit;
import org.openjdk.jmh.annotations.Param;
import org.openjdk.jmh.annotations.Scope;
import org.openjdk.jmh.annotations.Setup;
import org.openjdk.jmh.annotations.State;
import org.openjdk.jmh.annotations.Warmup;
import org.openjdk.jmh.infra.Blackhole;

/**
 * The engine with the in-memory store and one thread. One invocation makes a call for each of {@value #KEYS} prepared
 * attempts on a new store, which therefore never contains more records than that.
 */
@State(Scope.Thread)
@BenchmarkMode(Mode.AverageTime)
@OutputTimeUnit(TimeUnit.NANOSECONDS)
@Fork(1)
@Warmup(iterations = 3, time = 1)
@Measurement(iterations = 5, time = 1)
public class EngineCalls {

    static final int KEYS = 10_000;

    /** How record and effect are kept consistent. */
    public enum Protocol {
        /** One transaction, with a result that is known in advance. */
        SINGLE_TRANSACTION_PLANNED,
        /** One transaction. */
        SINGLE_TRANSACTION,
        /** A separate claim comes first. */
        CLAIM_FIRST,
        /** The effect is external. */
        EXTERNAL
    }

    /** The protocol of the calls. */
    @Param
    public Protocol protocol = Protocol.CLAIM_FIRST;

    private final List<String> keys = Keys.fresh(KEYS);
    private final List<Attempt> attempts =
            keys.stream().map(LibraryVariant::attempt).toList();
    private Calls calls = callsOver(protocol);
    private Calls replays = callsOver(protocol);

    /** Creates the records of all keys. */
    @Setup(Level.Trial)
    public void prepareReplays() {
        replays = callsOver(protocol);
        attempts.forEach(replays::call);
    }

    /** Removes all records. */
    @Setup(Level.Invocation)
    public void forgetEverything() {
        calls = callsOver(protocol);
    }

    /**
     * Leads for every key.
     *
     * @param hole consumes the outcomes
     */
    @Benchmark
    @OperationsPerInvocation(KEYS)
    public void executed(Blackhole hole) {
        for (Attempt attempt : attempts) {
            hole.consume(calls.call(attempt));
        }
    }

    /**
     * Replays every key.
     *
     * @param hole consumes the outcomes
     */
    @Benchmark
    @OperationsPerInvocation(KEYS)
    public void replayed(Blackhole hole) {
        for (Attempt attempt : attempts) {
            hole.consume(replays.call(attempt));
        }
    }

    /**
     * Creates the attempts, whose hash the other benchmarks exclude.
     *
     * @param hole consumes the attempts
     */
    @Benchmark
    @OperationsPerInvocation(KEYS)
    public void attempt(Blackhole hole) {
        for (String key : keys) {
            hole.consume(LibraryVariant.attempt(key));
        }
    }

    static Calls callsOver(Protocol protocol) {
        Idempotency<Transaction> idempotency = Idempotency.on(new InMemoryIdempotencyStore());
        Operation.Builder<Transaction, String> operation = idempotency.operation("create-group", ResultCodec.string());
        switch (protocol) {
            case SINGLE_TRANSACTION_PLANNED -> {
                PlannedOperation<Transaction, String> planned = operation
                        .protocol(Operation.Protocol.SINGLE_TRANSACTION)
                        .planned()
                        .build();
                return attempt -> planned.execute(attempt, () -> "result", (transaction, plan) -> {});
            }
            case SINGLE_TRANSACTION -> {
                Operation<Transaction, String> single = operation
                        .protocol(Operation.Protocol.SINGLE_TRANSACTION)
                        .build();
                return attempt -> single.execute(attempt, transaction -> "result");
            }
            case CLAIM_FIRST -> {
                Operation<Transaction, String> first = operation.build();
                return attempt -> first.execute(attempt, transaction -> "result");
            }
            case EXTERNAL -> {
                ExternalOperation<String> external = idempotency
                        .external("create-group", ResultCodec.string(), unresolved -> Lookup.<String>notYet())
                        .build();
                return attempt -> external.execute(attempt, key -> "result");
            }
        }
        throw new AssertionError(protocol);
    }

    /** Makes one call. */
    interface Calls {
        Outcome<String> call(Attempt attempt);
    }
}
