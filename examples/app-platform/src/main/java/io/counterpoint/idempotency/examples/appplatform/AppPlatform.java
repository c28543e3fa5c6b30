package io.counterpoint.idempotency.examples.appplatform;

import io.counterpoint.idempotency.consistency.Transactions;
import io.counterpoint.idempotency.consistency.check.CheckReport;
import io.counterpoint.idempotency.consistency.check.RepairReport;
import io.counterpoint.idempotency.examples.appplatform.execution.Heartbeat;
import io.counterpoint.idempotency.examples.appplatform.execution.WorkerMain;
import io.counterpoint.idempotency.examples.appplatform.http.LocalServer;
import io.counterpoint.idempotency.programs.CannotRun;
import io.counterpoint.idempotency.programs.DatabaseAddress;
import io.counterpoint.idempotency.programs.Program;
import io.counterpoint.idempotency.programs.process.ChildProcesses;
import io.counterpoint.idempotency.testing.PostgresServer;
import java.io.IOException;
import java.io.PrintStream;
import java.lang.management.ManagementFactory;
import java.nio.file.Files;
import java.time.Duration;
import java.util.List;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.FutureTask;
import java.util.concurrent.TimeUnit;

/** The program: the service, or a tour of it. */
public final class AppPlatform {

    private static final Program PROGRAM = new Program("app-platform", 3);
    private static final Duration LONGEST_STOP = Duration.ofSeconds(30);

    private final PrintStream out;
    private final DemonstrationProgress progress;
    private final CountDownLatch stop;

    private AppPlatform(PrintStream out, PrintStream err, CountDownLatch stop) {
        this.out = out;
        this.progress = new DemonstrationProgress(err, System::nanoTime);
        this.stop = stop;
    }

    /** Runs the program and exits. On Ctrl-C the service completes the work in flight. */
    public static void main(String[] args) {
        CountDownLatch stop = new CountDownLatch(1);
        PROGRAM.exitAfter(() -> run(args, System.out, System.err, stop), stop::countDown, LONGEST_STOP);
    }

    /** Runs the program without exiting the process; {@code stop} stops the service. */
    static int run(String[] args, PrintStream out, PrintStream err, CountDownLatch stop) {
        return PROGRAM.run(err, () -> {
            PlatformOptions options = PlatformOptions.parse(args);
            if (options.asksForHelp()) {
                out.print(options.usage());
                return 0;
            }
            AppPlatform program = new AppPlatform(out, err, stop);
            program.progress.start();
            try {
                return program.run(options);
            } finally {
                program.progress.close();
            }
        });
    }

    private int run(PlatformOptions options) throws CannotRun, IOException, InterruptedException {
        if (options.action == PlatformOptions.Action.POLICIES) {
            out.print(Declared.all());
            return 0;
        }
        if (options.action == PlatformOptions.Action.SERVE) {
            LocalServer.requireFree(options.port);
            LocalServer.requireFree(options.pagePort);
        }
        if (options.jdbcUrl.isPresent()) {
            return run(options, new DatabaseAddress(options.jdbcUrl.get(), options.user, options.password));
        }
        progress.step("starting PostgreSQL");
        CompletableFuture<Void> ended = new CompletableFuture<>();
        PostgresServer.beforeStop(ended, LONGEST_STOP);
        try (PostgresServer server = PostgresServer.isExternal() ? PostgresServer.shared() : PostgresServer.start()) {
            return run(options, new DatabaseAddress(server.createDatabase(), "", ""));
        } finally {
            boolean unused = ended.complete(null);
        }
    }

    private int run(PlatformOptions options, DatabaseAddress address)
            throws CannotRun, IOException, InterruptedException {
        try (PlatformDatabase database = PlatformDatabase.connect(address)) {
            return switch (options.action) {
                case TOUR -> tour(options, database, address);
                case SERVE -> {
                    try (Platform platform = new Platform(
                                    database,
                                    Outside.process().with(options.redis()),
                                    Platform.Times.USUAL,
                                    step -> {},
                                    progress)
                            .createTables()) {
                        boolean unused = fill(database, UUID.randomUUID());
                        new Serving(options, platform, address, out, progress).until(stop);
                    }
                    yield 0;
                }
                case CHECK -> check(options, database);
                case POLICIES -> throw new IllegalStateException("needs no database");
            };
        }
    }

    private int tour(PlatformOptions options, PlatformDatabase database, DatabaseAddress address)
            throws CannotRun, IOException, InterruptedException {
        Findings findings = Findings.story(out, options.json, Files.createTempDirectory("app-platform-tour-"));
        boolean quiet = isQuiet();
        Outside outside = Outside.process().with(options.redis());
        Platform platform = new Platform(database, outside, Tour.TIMES, step -> {}, progress).createTables();
        // A live worker that owns the long-running executions.
        Heartbeat another = new Heartbeat(Transactions.on(database.store()), Tour.TIMES.silence(), progress);
        try (another;
                platform) {
            if (!fill(database, another.start().worker())) {
                throw new CannotRun(
                        "The tour needs an empty database so that it knows what damage is in it, but this one has"
                                + " data.");
            }
            platform.start().upkeep.schedule(true);
            try (ChildProcesses workers = WorkerMain.start(Serving.WORKERS, address, Tour.TIMES.silence(), progress);
                    Api api = new Api(platform, 0, Operator.none(), progress)) {
                runUnlessStopped(
                        new Tour(address, workers, platform, api.url(), findings, progress::step), findings, quiet);
            }
        }
        return findings.exitCode();
    }

    /** Always prints the report; if the tour is stopped, it covers what was found so far. */
    private void runUnlessStopped(Tour tour, Findings findings, boolean wasQuiet)
            throws CannotRun, IOException, InterruptedException {
        FutureTask<Void> touring = new FutureTask<>(() -> {
            tour.run();
            return null;
        });
        Thread thread = new Thread(touring, "tour");
        thread.start();
        boolean stopped;
        do {
            stopped = stop.await(50, TimeUnit.MILLISECONDS);
        } while (!stopped && thread.isAlive());
        if (thread.isAlive()) {
            progress.step("stopping");
            findings.stopped();
            thread.interrupt();
            thread.join();
        } else {
            end(touring);
        }
        findings.judgeBounds(wasQuiet && isQuiet());
        findings.verdict();
    }

    private static void end(FutureTask<Void> tour) throws CannotRun, IOException, InterruptedException {
        try {
            Void unused = tour.get();
        } catch (ExecutionException e) {
            if (e.getCause() instanceof CannotRun cannotRun) {
                throw cannotRun;
            }
            throw new IOException(e.getCause());
        }
    }

    /** Whether bounds can be judged: at most two runnable threads per processor, if the system reports them. */
    private static boolean isQuiet() {
        double load = ManagementFactory.getOperatingSystemMXBean().getSystemLoadAverage();
        return load <= 2.0 * Runtime.getRuntime().availableProcessors();
    }

    private int check(PlatformOptions options, PlatformDatabase database) throws IOException {
        Findings findings = Findings.report(out, options.json);
        // Accepts no requests, runs nothing in the background, and has no payment provider.
        try (Platform platform =
                new Platform(database, Outside.none(), Platform.Times.USUAL, step -> {}, progress).createTables()) {
            boolean unused = fill(database, UUID.randomUUID());
            progress.step("checking");
            CheckReport report = platform.check();
            findings.report("checks", "What the checks find", report.table(), report.json());
            if (options.repair) {
                for (PlatformChecks.Row row : platform.checks.rows()) {
                    List<RepairReport> reports =
                            platform.upkeep.repair(row.check().name(), false);
                    StringBuilder text = new StringBuilder();
                    reports.forEach(one -> text.append(one.table()));
                    findings.report(
                            "repair of " + row.check().name(),
                            "Repair of " + row.check().name(),
                            text.toString(),
                            reports.stream().map(RepairReport::json).toList().toString());
                }
                report = platform.check();
                findings.report("checksAfter", "After the repairs", report.table(), report.json());
            }
            findings.severity(report.exitCode());
        }
        findings.verdict();
        return findings.exitCode();
    }

    private boolean fill(PlatformDatabase database, UUID living) {
        progress.step("filling an empty database with " + GeneratedData.APPS + " apps and " + GeneratedData.EXECUTIONS
                + " executions, and with damage");
        boolean filled = GeneratedData.fillIfEmpty(database.jdbi(), living);
        if (!filled) {
            progress.accept("it is not empty, so it is left unchanged");
        }
        return filled;
    }
}
