package io.counterpoint.idempotency.examples.appplatform.execution;

import io.counterpoint.idempotency.programs.CannotRun;
import java.io.IOException;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CountDownLatch;

/**
 * A worker in its own process, to be killed. The first thread at a step stops there and keeps everything that it holds.
 */
final class DoomedWorker {

    /** The prefix of the line that a thread prints when it stops. */
    static final String STOPPED = "stopped at ";

    private DoomedWorker() {}

    /** Argument: the same as that of {@link WorkerMain}. */
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
