package io.counterpoint.idempotency.torture;

import io.counterpoint.idempotency.Attempt;
import io.counterpoint.idempotency.Batch;
import io.counterpoint.idempotency.BatchItem;
import io.counterpoint.idempotency.BatchResult;
import io.counterpoint.idempotency.Operation;
import io.counterpoint.idempotency.torture.UseCase.Asked;
import io.counterpoint.idempotency.torture.UseCase.CallResult;
import java.util.ArrayList;
import java.util.List;
import org.jdbi.v3.core.Handle;

/**
 * Calls for several keys at once. Now and then the work of one of them throws, which must not affect its neighbours.
 */
final class Batches {

    private final Batch<Handle, String> batch;
    private final boolean neverReleases;

    Batches(Mode mode, Operation<Handle, String> operation) {
        Batch<Handle, String> made =
                mode.batchesInOneTransaction() ? Batch.inOneTransaction(operation) : Batch.inOwnTransactions(operation);
        this.neverReleases = mode.recordsLast();
        this.batch = made.within(Mode.BATCH_TIME);
    }

    /** Returns the outcomes in order. The work is done jointly, or one attempt at a time. */
    List<CallResult> answer(List<Asked> asked, boolean jointly) {
        List<Attempt> attempts = asked.stream()
                .map(one -> Attempt.inScope(Key.SCOPE).key(one.script().key()).request(one.request()))
                .toList();
        List<BatchResult<String>> answers = jointly
                ? batch.executeAll(attempts, (handle, leading) -> {
                    List<String> results = new ArrayList<>(leading.size());
                    for (BatchItem one : leading) {
                        results.add(insert(handle, asked.get(one.index()).script()));
                    }
                    for (BatchItem one : leading) {
                        asked.get(one.index()).script().afterEffect();
                    }
                    return results;
                })
                : batch.executeEach(attempts, (handle, one) -> {
                    WorkStep script = asked.get(one.index()).script();
                    String result = insert(handle, script);
                    script.afterEffect();
                    return result;
                });
        List<CallResult> results = new ArrayList<>(asked.size());
        for (int i = 0; i < asked.size(); i++) {
            WorkStep script = asked.get(i).script();
            results.add(answers.get(i).<CallResult>fold(CallResult::of, thrown -> of(thrown, script)));
        }
        return results;
    }

    private static String insert(Handle handle, WorkStep script) throws InterruptedException {
        String result = script.freshResult();
        UseCase.insert(handle, script, result);
        return result;
    }

    /** An exception from a neighbour's work proves nothing about this attempt. */
    private CallResult of(Throwable thrown, WorkStep script) {
        boolean isNeighbours = thrown instanceof WorkStep.Thrown own && !own.isOf(script);
        return isNeighbours
                ? new CallResult(Answer.UNEXPECTED, script.key() + " got what a neighbour's work threw: " + thrown)
                : CallResult.of(thrown, neverReleases);
    }
}
