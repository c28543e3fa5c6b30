package io.counterpoint.idempotency.benchmarks;

import io.counterpoint.idempotency.benchmarks.Variant.Answer;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;

/** The results of many concurrent callers. */
record Storm(List<Call> calls) {

    /** A response, and how long it took. */
    record Call(Answer answer, double millis) {}

    /**
     * Lets callers call the keys one after another. All use the same order, and each has its own platform thread.
     *
     * @param begins runs when all threads have started and none has called
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
            return new Storm(all);
        } catch (ExecutionException e) {
            throw new IllegalStateException(variant.name() + " failed in a storm: " + e.getCause(), e.getCause());
        } finally {
            threads.shutdownNow();
        }
    }

    /** Combines the callers of several storms. */
    static Storm all(List<Storm> storms) {
        return new Storm(storms.stream().flatMap(storm -> storm.calls.stream()).toList());
    }

    long count(Answer answer) {
        return calls.stream().filter(call -> call.answer == answer).count();
    }

    String answers() {
        return count(Answer.EXECUTED) + " / " + count(Answer.REPLAYED) + " / " + count(Answer.IN_PROGRESS);
    }

    /**
     * The numbers of executed, replayed and in-progress calls, and the 50th, 99th and 100th percentiles of the
     * durations.
     */
    List<String> cells() {
        List<Double> waits = calls.stream().map(Call::millis).sorted().toList();
        List<String> cells = new ArrayList<>(List.of(answers()));
        for (double share : new double[] {0.5, 0.99, 1}) {
            cells.add(Quartiles.number(Quartiles.at(waits, share), 1));
        }
        return cells;
    }
}
