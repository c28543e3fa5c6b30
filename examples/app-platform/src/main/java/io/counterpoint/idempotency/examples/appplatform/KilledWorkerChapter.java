package io.counterpoint.idempotency.examples.appplatform;

import io.counterpoint.idempotency.examples.appplatform.http.Client.Answer;
import io.counterpoint.idempotency.programs.process.ChildProcesses;
import java.io.IOException;
import java.util.List;
import java.util.UUID;
import java.util.stream.IntStream;

/**
 * Kills a worker while executions are queued and running. Another worker takes them over, and a new process replaces
 * it.
 */
record KilledWorkerChapter(ChildProcesses workers, TourContext context) implements Chapter {

    private static final int EXECUTIONS = 100;

    @Override
    public void run() throws IOException, InterruptedException {
        context.progress().accept("killing a worker while executions wait and run");
        context.waitFor("the workers", () -> workers.pids().size() > 1);
        List<Long> before = workers.pids();
        UUID app = context.createApps(TourContext.HOME, "worked", 1).get(0);
        List<Answer> triggered = context.send(IntStream.range(0, EXECUTIONS)
                .mapToObj(i -> context.execution(TourContext.HOME, app, "worked " + i))
                .toList());
        context.findings().severity(triggered.stream().allMatch(Answer::isThere) ? 0 : 2);
        boolean killed = workers.kill(before.get(0));
        context.waitFor(
                "the killed worker's executions",
                () -> context.count("execution WHERE app_id = ? AND status = 'succeeded'", app) == EXECUTIONS);
        context.waitFor(
                "the killed worker's successor",
                () -> workers.pids().size() == before.size() && !workers.pids().contains(before.get(0)));
        String ofTheApp = " r JOIN execution e ON e.id = r.execution_id WHERE e.app_id = ?";
        context.fact(
                "trigger execution: results of " + EXECUTIONS + " executions, with a worker killed meanwhile",
                List.of(true, (long) EXECUTIONS, (long) EXECUTIONS),
                List.of(
                        killed,
                        context.count("execution_result" + ofTheApp, app),
                        context.count("(SELECT DISTINCT execution_id FROM execution_result)" + ofTheApp, app)));
    }
}
