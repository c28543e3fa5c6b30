package io.counterpoint.idempotency.testkit;

import io.counterpoint.idempotency.Attempt;
import io.counterpoint.idempotency.ExternalOperation;
import io.counterpoint.idempotency.Failure;
import io.counterpoint.idempotency.Idempotency;
import io.counterpoint.idempotency.IdempotencyKey;
import io.counterpoint.idempotency.Lookup;
import io.counterpoint.idempotency.Operation;
import io.counterpoint.idempotency.Outcome;
import io.counterpoint.idempotency.PlannedExternalOperation;
import io.counterpoint.idempotency.PlannedOperation;
import io.counterpoint.idempotency.Resolvable;
import io.counterpoint.idempotency.ResultCodec;
import io.counterpoint.idempotency.spi.IdempotencyRecord.Protocol;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Supplier;
import java.util.function.UnaryOperator;

/**
 * An operation built for one of the ways, which is called in the same form in every way: its work writes effects, into
 * the transaction or remotely, and its result is given.
 */
final class TestOperation<C> {

    private final ProtocolVariant way;
    private final Domain<C> domain;
    private final FakeRemote remote;
    private final Operation<C, String> operation;
    private final PlannedOperation<C, String> planned;
    private final ExternalOperation<String> external;
    private final PlannedExternalOperation<String> plannedExternal;
    private final AtomicInteger runs = new AtomicInteger();
    private final AtomicInteger plans = new AtomicInteger();

    private TestOperation(Builder<C> builder) {
        this.way = builder.way;
        this.domain = builder.domain;
        this.remote = builder.remote;
        // Only one of them is called. They share a name, so each needs its own Idempotency.
        this.operation = inDatabase(builder).build();
        this.planned = builder.planned.apply(inDatabase(builder).planned()).build();
        this.external = outside(builder).build();
        this.plannedExternal = outside(builder).planned().build();
    }

    private static <C> Operation.Builder<C, String> inDatabase(Builder<C> builder) {
        return of(
                builder.way,
                builder.inDatabase.apply(builder.idempotency.build().operation(builder.name, builder.codec)));
    }

    private static <C> ExternalOperation.Builder<?, String> outside(Builder<C> builder) {
        return builder.outside.apply(builder.idempotency
                .build()
                .external(builder.name, builder.codec, unresolved -> Lookup.of(builder.remote.find(unresolved))));
    }

    private static <C> Operation.Builder<C, String> of(ProtocolVariant way, Operation.Builder<C, String> inDatabase) {
        if (way.recordsLast()) {
            return inDatabase.protocol(Operation.Protocol.RECORD_LAST);
        }
        return way.protocol == Protocol.SINGLE_TRANSACTION
                ? inDatabase.protocol(Operation.Protocol.SINGLE_TRANSACTION)
                : inDatabase;
    }

    /** Calls, with work that may write effects, throw, and let others act. */
    Outcome<String> call(Attempt attempt, String result, Work work) throws Exception {
        return call(attempt, () -> result, work);
    }

    /** Calls, with a result that is supplied as the plan, or by the work. */
    Outcome<String> call(Attempt attempt, Supplier<String> result, Work work) throws Exception {
        Supplier<String> planner = () -> {
            plans.incrementAndGet();
            return result.get();
        };
        if (way.external()) {
            return way.planned
                    ? plannedExternal.execute(attempt, planner, (key, plan) -> run(work, outside(key, plan)))
                    : external.execute(attempt, key -> {
                        String made = result.get();
                        run(work, outside(key, made));
                        return made;
                    });
        }
        return way.planned
                ? planned.execute(attempt, planner, (handle, plan) -> run(work, inside(handle, plan)))
                : operation.execute(attempt, handle -> {
                    String made = result.get();
                    run(work, inside(handle, made));
                    return made;
                });
    }

    /** Calls, with work that writes one effect with the name of its result. */
    Outcome<String> call(Attempt attempt, String result) throws Exception {
        return call(attempt, result, Effects::write);
    }

    /** An operator's resolution, for external operations. */
    Optional<Outcome<String>> resolveSucceeded(IdempotencyKey key, String result) {
        return resolvable().resolveSucceeded(key, result);
    }

    /** An operator's resolution, for external operations. */
    Optional<Outcome<String>> resolveFailed(IdempotencyKey key, Failure failure) {
        return resolvable().resolveFailed(key, failure);
    }

    private Resolvable<String> resolvable() {
        return way.planned ? plannedExternal : external;
    }

    /** How many times the work has started. */
    int runs() {
        return runs.get();
    }

    /** How many times a plan was made. */
    int plans() {
        return plans.get();
    }

    IdempotencyKey keyOf(Attempt attempt) {
        return operation.keyOf(attempt);
    }

    private void run(Work work, Effects effects) throws Exception {
        runs.incrementAndGet();
        work.run(effects);
    }

    private Effects inside(C handle, String name) {
        return new Effects() {
            @Override
            public void write() {
                domain.write(handle, name);
            }

            @Override
            public boolean changeShared(String shared) {
                return domain.changeShared(handle, shared);
            }
        };
    }

    private Effects outside(IdempotencyKey key, String name) {
        return () -> remote.add(key, name);
    }

    /** Where the work writes its effects. */
    interface Effects {
        /** Writes an effect with the name of the result, or of the plan. */
        void write();

        /** As {@link Domain#changeShared}; outside the database, nothing is shared. */
        default boolean changeShared(String shared) {
            return false;
        }
    }

    /** The work. */
    interface Work {
        void run(Effects effects) throws Exception;
    }

    /** Sets the options that a test needs, for the kind of operation that the way uses. */
    static final class Builder<C> {
        private final ProtocolVariant way;
        private final Idempotency.Builder<C> idempotency;
        private final Domain<C> domain;
        private final FakeRemote remote;
        private String name = "contract";
        private ResultCodec<String> codec = ResultCodec.string();
        private UnaryOperator<Operation.Builder<C, String>> inDatabase = UnaryOperator.identity();
        private UnaryOperator<PlannedOperation.Builder<C, String>> planned = UnaryOperator.identity();
        private UnaryOperator<ExternalOperation.Builder<?, String>> outside = UnaryOperator.identity();

        Builder(ProtocolVariant way, Idempotency.Builder<C> idempotency, Domain<C> domain, FakeRemote remote) {
            this.way = way;
            this.idempotency = idempotency;
            this.domain = domain;
            this.remote = remote;
        }

        Builder<C> named(String operation) {
            name = operation;
            return this;
        }

        Builder<C> codec(ResultCodec<String> newCodec) {
            codec = newCodec;
            return this;
        }

        Builder<C> inDatabase(UnaryOperator<Operation.Builder<C, String>> options) {
            inDatabase = options;
            return this;
        }

        /** For ways with a plan, in the database too, after the other options. */
        Builder<C> planned(UnaryOperator<PlannedOperation.Builder<C, String>> options) {
            planned = options;
            return this;
        }

        Builder<C> outside(UnaryOperator<ExternalOperation.Builder<?, String>> options) {
            outside = options;
            return this;
        }

        TestOperation<C> build() {
            return new TestOperation<>(this);
        }
    }
}
