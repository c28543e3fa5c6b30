package io.counterpoint.idempotency.examples.appplatform.http;

import io.counterpoint.idempotency.programs.CannotRun;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;

/** Concurrent callers, each on its own thread. */
public final class Callers implements AutoCloseable {

    private final ExecutorService threads;

    /** Limits how many run at a time. */
    public Callers(int atOnce) {
        threads = Executors.newFixedThreadPool(atOnce);
    }

    /**
     * Runs all callers.
     *
     * @return their results, in the same order
     * @throws IOException if one of them failed
     */
    public <T> List<T> ask(List<? extends Callable<T>> all) throws IOException, InterruptedException {
        List<T> answers = new ArrayList<>();
        for (Future<T> one : threads.invokeAll(all)) {
            try {
                answers.add(one.get());
            } catch (ExecutionException e) {
                throw new IOException("A caller gave up: " + CannotRun.rootMessage(e), e);
            }
        }
        return answers;
    }

    /** Runs one more caller without waiting for it. */
    public void askUnheard(Callable<?> one) {
        Future<?> unused = threads.submit(one);
    }

    @Override
    public void close() {
        threads.shutdownNow();
    }
}
