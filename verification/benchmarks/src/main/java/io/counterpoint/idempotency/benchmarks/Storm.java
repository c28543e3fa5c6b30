package io.counterpoint.idempotency.benchmarks;

import io.counterpoint.idempotency.benchmarks.Variant.Answer;
import java.util.ArrayList;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;

/**
 * What came of many callers who called at the same moment.
 *
 * @param answers how many of each
 * @param waits how long each call took, sorted, in milliseconds
 */
record Storm(Map<Answer, Integer> answers, List<Double> waits) {

    /**
     * Lets callers call the keys one after another. All use the same order, and each has a platform thread of its own.
     *
     * @param begins runs when all threads are there and none has called
     */
    static Storm of(Variant variant, int callers, List<String> keys, Runnable begins) throws InterruptedException {
        ExecutorService threads = Executors.newFixedThreadPool(callers);
        try {
            CountDownLatch ready = new CountDownLatch(callers);
            CountDownLatch begun = new CountDownLatch(1);
            List<Future<List<Call>>> calling = new ArrayList<>();
            for (int i = 0; i < callers; i++) {
                calling.add(threads.submit(() -> {
                    ready.countDown();
                    begun.await();
                    List<Call> calls = new ArrayList<>();
                    for (String key : keys) {
                        long start = System.nanoTime();
                        Answer answer = variant.action().call(key);
                        calls.add(new Call(answer, (System.nanoTime() - start) / 1e6));
                    }
                    return calls;
                }));
            }
            ready.await();
            begins.run();
            begun.countDown();
            List<Call> all = new ArrayList<>();
            for (Future<List<Call>> caller : calling) {
                all.addAll(caller.get());
            }
            return of(all);
        } catch (ExecutionException e) {
            throw new IllegalStateException(variant.name() + " failed in a storm: " + e.getCause(), e.getCause());
        } finally {
            threads.shutdownNow();
        }
    }

    private static Storm of(List<Call> calls) {
        Map<Answer, Integer> answers = new EnumMap<>(Answer.class);
        calls.forEach(call -> answers.merge(call.answer, 1, Integer::sum));
        return new Storm(
                answers, calls.stream().map(call -> call.millis).sorted().toList());
    }

    /** All callers of some storms, as if they had called in one. */
    static Storm all(List<Storm> storms) {
        Map<Answer, Integer> answers = new EnumMap<>(Answer.class);
        storms.forEach(storm -> storm.answers.forEach((answer, count) -> answers.merge(answer, count, Integer::sum)));
        return new Storm(
                answers,
                storms.stream().flatMap(storm -> storm.waits.stream()).sorted().toList());
    }

    int count(Answer answer) {
        return answers.getOrDefault(answer, 0);
    }

    double millis(double share) {
        return Quartiles.at(waits, share);
    }

    private record Call(Answer answer, double millis) {}
}
