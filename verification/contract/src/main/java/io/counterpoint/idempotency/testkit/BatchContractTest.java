package io.counterpoint.idempotency.testkit;

import io.counterpoint.idempotency.Attempt;
import io.counterpoint.idempotency.Batch;
import io.counterpoint.idempotency.BatchItem;
import io.counterpoint.idempotency.BatchResult;
import io.counterpoint.idempotency.Done;
import io.counterpoint.idempotency.Idempotency;
import io.counterpoint.idempotency.Operation;
import io.counterpoint.idempotency.Outcome;
import io.counterpoint.idempotency.ResultCodec;
import io.counterpoint.idempotency.function.CheckedBiFunction;
import io.counterpoint.idempotency.spi.IdempotencyStore;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.function.UnaryOperator;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/** Base class of tests about batches. The work of an attempt writes an effect with the name of its key. */
abstract class BatchContractTest<C> extends OperationContractTest<C> {

    /** The names of the attempts in each run of the work. */
    final List<List<String>> runs = new ArrayList<>();

    BatchContractTest(OperationFixture<C> fixture) {
        super(fixture);
    }

    final Operation<C, String> operation(UnaryOperator<Operation.Builder<C, String>> options) {
        return operation(Idempotency.builder(faulty).clock(clock).listener(events), options);
    }

    static <C> Operation<C, String> operation(
            Idempotency.Builder<C> idempotency, UnaryOperator<Operation.Builder<C, String>> options) {
        return options.apply(idempotency.build().operation("contract", ResultCodec.string()))
                .build();
    }

    final Batch<C, String> together() {
        return Batch.inOneTransaction(operation(options -> options));
    }

    final Batch<C, String> separately() {
        return Batch.inOwnTransactions(operation(options -> options));
    }

    /** A batch in another process, on the same store, without faults and in real time. */
    final Batch<C, String> elsewhere(IdempotencyStore<C> other) {
        return Batch.inOneTransaction(operation(Idempotency.builder(other), options -> options));
    }

    static List<Attempt> attempts(String... names) {
        return Stream.of(names).map(OperationContractTest::attempt).toList();
    }

    /** Work for all attempts together. If one of them is the poison, it throws after it has written all effects. */
    final CheckedBiFunction<C, List<BatchItem>, List<String>, Exception> writing(
            List<String> names, @Nullable String poison, Throwable thrown) {
        return (handle, leading) -> {
            List<String> got = named(names, leading);
            runs.add(got);
            got.forEach(name -> domain.write(handle, name));
            if (poison != null && got.contains(poison)) {
                throwAs(thrown);
            }
            return got;
        };
    }

    final CheckedBiFunction<C, List<BatchItem>, List<String>, Exception> writing(String... names) {
        return writing(List.of(names), null, new IllegalStateException());
    }

    static List<String> named(List<String> names, List<BatchItem> leading) {
        return leading.stream().map(one -> names.get(one.index())).toList();
    }

    static void throwAs(Throwable thrown) throws Exception {
        if (thrown instanceof Error error) {
            throw error;
        }
        throw (Exception) thrown;
    }

    final List<BatchResult<String>> executeAll(String... names) {
        return together().executeAll(attempts(names), writing(names));
    }

    /** Like {@link #executeAll}, with an operation that has no result. */
    final List<BatchResult<Done>> executeAllWithoutResults(@Nullable String poison, String... names) {
        Operation<C, Done> operation = Idempotency.builder(faulty)
                .clock(clock)
                .listener(events)
                .build()
                .operation("contract")
                .build();
        CheckedBiFunction<C, List<BatchItem>, List<String>, Exception> work =
                writing(List.of(names), poison, new IllegalStateException());
        return Batch.inOneTransaction(operation)
                .executeAll(
                        attempts(names),
                        (handle, leading) ->
                                Collections.nCopies(work.apply(handle, leading).size(), Done.DONE));
    }

    /** An outcome as text: its kind, and its result if there is one. */
    static <R> List<String> summary(List<BatchResult<R>> answers) {
        return answers.stream()
                .map(answer -> answer.<String>fold(
                        BatchContractTest::summary, thrown -> thrown.getClass().getSimpleName()))
                .toList();
    }

    private static String summary(Outcome<?> outcome) {
        return outcome.getClass().getSimpleName()
                + outcome.asOptional().map(result -> " " + result).orElse("");
    }
}
