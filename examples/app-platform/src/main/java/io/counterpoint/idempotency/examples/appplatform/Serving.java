package io.counterpoint.idempotency.examples.appplatform;

import io.counterpoint.idempotency.examples.appplatform.execution.WorkerMain;
import io.counterpoint.idempotency.examples.appplatform.page.Page;
import io.counterpoint.idempotency.examples.appplatform.page.ShownPlatform;
import io.counterpoint.idempotency.programs.CannotRun;
import io.counterpoint.idempotency.programs.DatabaseAddress;
import io.counterpoint.idempotency.programs.process.ChildProcesses;
import java.io.PrintStream;
import java.time.Duration;
import java.util.UUID;
import java.util.concurrent.CountDownLatch;
import redis.clients.jedis.util.JedisURIHelper;

/** The command {@code serve}: runs the service, workers and a page until it is stopped, and then prints a summary. */
final class Serving {

    /** The number of worker processes. */
    static final int WORKERS = 2;

    /** If a worker's heartbeat stops for this long, another worker takes over its executions. */
    private static final Duration WORKER_SILENCE = Duration.ofSeconds(10);

    private final PlatformOptions options;
    private final Platform platform;
    private final DatabaseAddress address;
    private final PrintStream out;
    private final DemonstrationProgress progress;
    private final String token;

    /**
     * Serves a platform.
     *
     * @param address the address of the platform's database
     */
    Serving(
            PlatformOptions options,
            Platform platform,
            DatabaseAddress address,
            PrintStream out,
            DemonstrationProgress progress) {
        this.options = options;
        this.platform = platform;
        this.address = address;
        this.out = out;
        this.progress = progress;
        // If no token is configured, only the page may check and repair.
        token = options.operatorToken.isEmpty() ? UUID.randomUUID().toString() : options.operatorToken;
    }

    void until(CountDownLatch stop) throws CannotRun, InterruptedException {
        platform.start().upkeep.schedule(options.repair);
        String report;
        try (ChildProcesses workers = WorkerMain.start(WORKERS, address, WORKER_SILENCE, progress);
                Api api = new Api(platform, options.port, Operator.of(token), progress);
                Page page = new Page(
                        new ShownPlatform(address, api.url(), token, options.repair, platform.createApp),
                        options.pagePort,
                        progress)) {
            progress.rest();
            say(page.address(), api.url());
            stop.await();
            progress.step("stopping");
            report = "Stopped. Workers replaced: " + workers.replaced() + ".";
        }
        out.println(report);
    }

    private void say(String page, String url) {
        out.println("Open the page: " + page);
        out.println("Listening on " + url + ", until Ctrl-C. Try:");
        platform.outside
                .redis()
                .ifPresent(redis ->
                        out.println("  Redis carries invalidations, at " + JedisURIHelper.getHostAndPort(redis) + "."));
        out.println(
                "  curl -i -H 'Workspace: 1' -H 'Idempotency-Key: \"k-1\"' -d '{\"name\":\"first\"}' " + url + "/apps");
        out.println(
                options.operatorToken.isEmpty()
                        ? "Checks and repairs are restricted to the page. To open them, set "
                                + PlatformOptions.OPERATOR_TOKEN + "."
                        : "  curl -H \"Authorization: Bearer $" + PlatformOptions.OPERATOR_TOKEN + "\" " + url
                                + "/checks");
    }
}
