package io.counterpoint.idempotency.examples.appplatform;

import io.counterpoint.idempotency.examples.appplatform.http.Client;
import io.counterpoint.idempotency.examples.appplatform.usecase.TriggerExecution;
import io.counterpoint.idempotency.programs.CannotRun;
import io.counterpoint.idempotency.programs.DatabaseAddress;
import io.counterpoint.idempotency.programs.process.ChildProcesses;
import java.io.IOException;
import java.time.Duration;
import java.util.List;
import java.util.UUID;
import java.util.function.Consumer;

/**
 * Tests everything that the service promises, over HTTP; then finds and repairs the damage, and verifies the result.
 */
final class Tour {

    /** Shorter than usual, because the tour waits for these. */
    static final Platform.Times TIMES =
            new Platform.Times(Duration.ofSeconds(2), Duration.ofSeconds(4), Duration.ofHours(1));

    private final ChildProcesses workers;
    private final TourContext context;
    private final List<Chapter> chapters;

    /**
     * A tour of the service at a URL.
     *
     * @param forOthers where another process finds the service's database
     * @param workers run its executions
     */
    Tour(
            DatabaseAddress forOthers,
            ChildProcesses workers,
            Platform platform,
            String url,
            Findings findings,
            Consumer<String> progress) {
        this.workers = workers;
        context = new TourContext(
                platform,
                url,
                new Client(),
                findings,
                progress,
                UUID.randomUUID().toString().substring(0, 8));
        chapters = List.of(
                new RetriesChapter(context),
                new KilledLeadersChapter(forOthers, context),
                new KilledWorkerChapter(workers, context),
                new LagsChapter(context),
                new ChecksChapter(context),
                new MigrationChapter(context),
                new InvariantsChapter(context));
    }

    void run() throws CannotRun, IOException, InterruptedException {
        try (context) {
            context.waitFor("the workers", () -> workers.pids().size() > 1);
            warmUp();
            for (Chapter chapter : chapters) {
                chapter.run();
            }
        }
    }

    /** Sends a few requests that other parts follow. Their lags do not count, since they are mostly JIT compilation. */
    private void warmUp() throws IOException, InterruptedException {
        context.progress().accept("warming up");
        for (UUID app : context.createApps(TourContext.HOME, "first", 20)) {
            boolean triggered =
                    context.send(context.request(TriggerExecution.POLICY, app)).isThere();
            context.findings().severity(triggered ? 0 : 2);
        }
        context.waitFor("the warm-up", context.platform()::isQuiet);
        context.platform().lags.forget();
    }
}
