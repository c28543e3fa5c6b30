package io.counterpoint.idempotency.examples.appplatform.execution;

import io.counterpoint.idempotency.programs.CannotRun;
import java.io.IOException;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CountDownLatch;

/** A worker in a process of its own that is to be killed: the first thread at a step stops there, and holds what it holds. */
final class DoomedWorker {

    /** The beginning of the line of a thread that has stopped. */
    static final String STOPPED = "stopped at ";

    private DoomedWorker() {}

    /** Argument: that of {@link WorkerMain}. */
    public static void main(String[] args) throws CannotRun, IOException {
        Set<WorkerStep> taken = ConcurrentHashMap.newKeySet();
        WorkerMain.run(args[0], WorkerStep.values().length, step -> {
            if (!taken.add(step)) {
                return;
            }
            WorkerMain.say(STOPPED + step);
            try {
                new CountDownLatch(1).await();
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
            }
        });
    }
}
