package io.counterpoint.idempotency.benchmarks;

import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;

/**
 * A number of concurrent callers, each on its own thread.
 *
 * @param virtual whether their threads are virtual
 */
record Callers(int count, boolean virtual) {

    private static final int FIRST_JAVA_WITH_VIRTUAL_THREADS = 21;

    static Callers threads(int count) {
        return new Callers(count, false);
    }

    static Callers virtualThreads(int count) {
        return new Callers(count, true);
    }

    static boolean canBeVirtual() {
        return Runtime.version().feature() >= FIRST_JAVA_WITH_VIRTUAL_THREADS;
    }

    /** The code is compiled for Java 17, which has no virtual threads. */
    ExecutorService start() {
        if (!virtual) {
            return Executors.newFixedThreadPool(count);
        }
        try {
            return (ExecutorService)
                    Executors.class.getMethod("newVirtualThreadPerTaskExecutor").invoke(null);
        } catch (ReflectiveOperationException e) {
            throw new IllegalStateException("virtual threads need Java 21 or later", e);
        }
    }

    @Override
    public String toString() {
        return count == 1
                ? "1 caller"
                : String.format("%,d %s", count, virtual ? "callers on virtual threads" : "callers");
    }
}
