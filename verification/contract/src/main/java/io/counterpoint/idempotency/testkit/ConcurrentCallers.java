package io.counterpoint.idempotency.testkit;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.function.IntFunction;

/** Many callers that start at the same moment, each on its own thread. */
final class ConcurrentCallers {

    private ConcurrentCallers() {}

    /** Returns what each caller returns, in order. Throws what one of them throws. */
    static <T> List<T> of(int callers, IntFunction<Callable<T>> action) {
        return run(Executors.newFixedThreadPool(callers), callers, action);
    }

    /** The same on virtual threads, if this Java has them. */
    static <T> List<T> ofVirtual(int callers, IntFunction<Callable<T>> action) {
        return run(virtualThreads(callers), callers, action);
    }

    private static <T> List<T> run(ExecutorService threads, int callers, IntFunction<Callable<T>> action) {
        try {
            CountDownLatch all = new CountDownLatch(callers);
            List<Future<T>> answers = new ArrayList<>();
            for (int i = 0; i < callers; i++) {
                Callable<T> call = action.apply(i);
                answers.add(threads.submit(() -> {
                    all.countDown();
                    AnotherThread.await(all);
                    return call.call();
                }));
            }
            return answers.stream().map(AnotherThread::end).toList();
        } finally {
            threads.shutdownNow();
        }
    }

    /** By reflection, because this module is compiled for a Java version without them. */
    private static ExecutorService virtualThreads(int callers) {
        try {
            return (ExecutorService)
                    Executors.class.getMethod("newVirtualThreadPerTaskExecutor").invoke(null);
        } catch (ReflectiveOperationException olderJava) {
            return Executors.newFixedThreadPool(callers);
        }
    }
}
