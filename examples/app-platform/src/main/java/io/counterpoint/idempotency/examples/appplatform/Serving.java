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
import org.jspecify.annotations.Nullable;
import redis.clients.jedis.util.JedisURIHelper;

/** The command {@code serve}: nodes, workers and a page, until it is to stop. It says at its end what there was. */
final class Serving {

    /** How many processes run executions. */
    static final int WORKERS = 2;

    /** After so long without a sign of it, another worker gets what one had. */
    private static final Duration WORKER_SILENCE = Duration.ofSeconds(10);

    private final Options options;
    private final Platform platform;
    private final DatabaseAddress address;
    private final PrintStream out;
    private final Progress progress;
    private final String token;

    /**
     * Serves a platform.
     *
     * @param address where the platform's tables are
     */
    Serving(Options options, Platform platform, DatabaseAddress address, PrintStream out, Progress progress) {
        this.options = options;
        this.platform = platform;
        this.address = address;
        this.out = out;
        this.progress = progress;
        // Without a configured token nobody but the page may check and repair.
        token = options.operatorToken.isEmpty() ? UUID.randomUUID().toString() : options.operatorToken;
    }

    void until(CountDownLatch stop) throws CannotRun, InterruptedException {
        platform.start().upkeep.schedule(options.repair);
        String report;
        try (ChildProcesses workers = WorkerMain.start(WORKERS, address, WORKER_SILENCE, progress);
                Api api = new Api(platform, options.nodes == 1 ? options.port : 0, Operator.of(token), progress);
                Nodes nodes = nodes(api.url())) {
            String url = nodes == null ? api.url() : nodes.url();
            try (Page page = new Page(
                    new ShownPlatform(address, url, token, options.repair, platform.createApp, workers),
                    options.pagePort,
                    progress)) {
                progress.rest();
                say(page.address(), url, nodes);
                stop.await();
                progress.step("stopping");
            }
            report = report(workers, nodes);
        }
        out.println(report);
    }

    /** One node alone needs no gateway. */
    private @Nullable Nodes nodes(String first) throws CannotRun, InterruptedException {
        if (options.nodes == 1) {
            return null;
        }
        progress.step("starting " + (options.nodes - 1) + " more nodes");
        return Nodes.start(
                options.nodes,
                options.port,
                first,
                NodeMain.program(
                        address, platform.outside, token, Platform.Times.USUAL.abandonedAfter(), options.repair),
                progress);
    }

    private void say(String page, String url, @Nullable Nodes nodes) {
        out.println("Open the page: " + page);
        out.println("Listening on " + url + ", until Ctrl-C. Try:");
        platform.outside
                .redis()
                .ifPresent(redis ->
                        out.println("  Redis carries invalidations, at " + JedisURIHelper.getHostAndPort(redis) + "."));
        if (nodes != null) {
            nodes.others()
                    .keySet()
                    .forEach(pid -> out.println("  Behind it is a node of its own: kill -9 " + pid
                            + " loses no promise, and another one takes its place."));
        }
        out.println(
                "  curl -i -H 'Workspace: 1' -H 'Idempotency-Key: \"k-1\"' -d '{\"name\":\"first\"}' " + url + "/apps");
        out.println(
                options.operatorToken.isEmpty()
                        ? "Checks and repairs are closed but for the page: set " + Options.OPERATOR_TOKEN
                                + " to open them."
                        : "  curl -H \"Authorization: Bearer $" + Options.OPERATOR_TOKEN + "\" " + url + "/checks");
    }

    private static String report(ChildProcesses workers, @Nullable Nodes nodes) {
        String report = "Stopped. Workers replaced: " + workers.replaced() + ".";
        return nodes == null
                ? report
                : report + " Nodes replaced: " + nodes.replaced() + ". Requests to each node: "
                        + nodes.handed().values().stream().sorted().toList() + ".";
    }
}
