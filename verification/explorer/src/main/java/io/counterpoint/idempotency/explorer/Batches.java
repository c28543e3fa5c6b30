package io.counterpoint.idempotency.explorer;

import io.counterpoint.idempotency.Attempt;
import io.counterpoint.idempotency.Batch;
import io.counterpoint.idempotency.BatchItem;
import io.counterpoint.idempotency.BatchResult;
import io.counterpoint.idempotency.Done;
import io.counterpoint.idempotency.Idempotency;
import io.counterpoint.idempotency.IdempotencyKey;
import io.counterpoint.idempotency.Operation;
import io.counterpoint.idempotency.ResultCodec;
import io.counterpoint.idempotency.explorer.Configuration.Protocol;
import io.counterpoint.idempotency.function.CheckedBiFunction;
import io.counterpoint.idempotency.memory.InMemoryIdempotencyStore.Transaction;
import java.util.Collections;
import java.util.List;
import java.util.Set;
import java.util.function.UnaryOperator;

/**
 * One batch per caller, with overlapping keys.
 *
 * @param keys the keys of each caller, in the order of its call
 * @param poison keys whose work throws
 * @param withResults whether the operation has a result, which is not known before its work
 * @param losesLocks whether a caller continues at another node when its connection is lost, without a lock that keeps
 *     out what is in flight; poison then throws from its second run on
 * @param answers changes the outcomes of a batch
 */
record Batches(
        List<List<IdempotencyKey>> keys,
        Set<IdempotencyKey> poison,
        boolean withResults,
        boolean losesLocks,
        UnaryOperator<List<? extends BatchResult<?>>> answers) {

    List<IdempotencyKey> distinctKeys() {
        return keys.stream().flatMap(List::stream).distinct().toList();
    }

    /** In the order of its call. The last call uses all keys. */
    List<IdempotencyKey> keysOf(Caller caller) {
        return caller.index() < keys.size() ? keys.get(caller.index()) : distinctKeys();
    }

    /** Whether the work throws when it has run this many times for the key. */
    boolean fails(IdempotencyKey key, int runs) {
        return poison.contains(key) && (!losesLocks || runs > 1);
    }

    boolean inOneTransaction(Configuration configuration) {
        return configuration.protocol() == Protocol.SINGLE_TRANSACTION
                || configuration.protocol() == Protocol.RECORD_LAST;
    }

    /** Executes a caller's batch on this thread. */
    List<? extends BatchResult<?>> call(Caller caller, Idempotency<Transaction> idempotency) {
        String operation = Configuration.KEY.operation();
        return answers.apply(
                withResults
                        ? call(
                                caller,
                                idempotency.operation(operation, ResultCodec.string()),
                                (transaction, leading) -> work(caller, leading))
                        : call(
                                caller,
                                idempotency.operation(operation),
                                (transaction, leading) -> Collections.nCopies(
                                        work(caller, leading).size(), Done.DONE)));
    }

    private <R> List<BatchResult<R>> call(
            Caller caller,
            Operation.Builder<Transaction, R> builder,
            CheckedBiFunction<Transaction, List<BatchItem>, List<R>, Exception> work) {
        Operation<Transaction, R> operation =
                caller.configuration().set(builder).build();
        Batch<Transaction, R> batch = inOneTransaction(caller.configuration())
                ? Batch.inOneTransaction(operation)
                : Batch.inOwnTransactions(operation);
        List<Attempt> attempts =
                keysOf(caller).stream().map(Configuration::attempt).toList();
        return batch.executeAll(attempts, work);
    }

    private List<String> work(Caller caller, List<BatchItem> leading) {
        List<IdempotencyKey> keys = keysOf(caller);
        return caller.userCode()
                .writeAll(
                        this, leading.stream().map(one -> keys.get(one.index())).toList());
    }
}
