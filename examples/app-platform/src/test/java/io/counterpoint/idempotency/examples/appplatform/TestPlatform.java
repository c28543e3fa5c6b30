package io.counterpoint.idempotency.examples.appplatform;

import io.counterpoint.idempotency.Idempotency;
import io.counterpoint.idempotency.examples.appplatform.execution.Worker;
import io.counterpoint.idempotency.examples.appplatform.http.Client;
import io.counterpoint.idempotency.examples.appplatform.payment.PaymentProvider;
import io.counterpoint.idempotency.examples.appplatform.usecase.Step;
import io.counterpoint.idempotency.programs.CannotRun;
import io.counterpoint.idempotency.programs.DatabaseAddress;
import io.counterpoint.idempotency.testing.PostgresServer;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.UUID;
import java.util.concurrent.locks.LockSupport;
import java.util.function.BooleanSupplier;
import java.util.function.Consumer;

/** A service on a real database, empty or damaged, on a free port. */
final class TestPlatform implements AutoCloseable {

    /** The operator's header. */
    static final String OPERATOR = "Authorization: Bearer the-token-of-the-operator";

    /** The same, as {@link Client} sends it. */
    static final List<String> OPERATOR_HEADER = List.of(OPERATOR.split(": "));

    /** Nothing is abandoned, dead or due unless a test says so. */
    private static final Platform.Times NEVER =
            new Platform.Times(Duration.ofHours(1), Duration.ofMinutes(1), Duration.ofHours(1));

    private static final Duration WORKER_SILENCE = Duration.ofSeconds(30);

    private final PostgresServer server;
    final DatabaseAddress address;
    final PlatformDatabase database;
    final Platform platform;

    /** Runs executions in this process. */
    final Worker worker;

    final Client client = new Client();
    private final Api api;

    private TestPlatform(Outside outside, Consumer<Step> at) throws CannotRun {
        this(PostgresServer.shared(), outside, at);
    }

    private TestPlatform(PostgresServer server, Outside outside, Consumer<Step> at) throws CannotRun {
        this.server = server;
        address = new DatabaseAddress(server.createDatabase(), "", "");
        database = PlatformDatabase.connect(address);
        platform = new Platform(database, outside, NEVER, at, line -> {}).createTables();
        worker = new Worker(
                platform.transactions,
                Idempotency.on(database.storeBehind()),
                platform.events.outbox(),
                WORKER_SILENCE,
                Worker.THREADS,
                step -> {},
                line -> {});
        api = new Api(platform, 0, Operator.of("the-token-of-the-operator"), line -> {});
    }

    /** Starts a payment provider in this process, on its own port. */
    static Outside outside() {
        try {
            Path folder = Files.createTempDirectory("app-platform-test-");
            PaymentProvider provider = new PaymentProvider(Files.createDirectory(folder.resolve("payments")), 0);
            provider.start();
            Path artifacts = Files.createDirectory(folder.resolve("artifacts"));
            return Outside.at(provider.url(), artifacts).endingWith(provider::close, folder);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /** Has one workspace, 1, with a quota of 150. */
    static TestPlatform empty() throws CannotRun {
        return empty(step -> {});
    }

    static TestPlatform empty(Consumer<Step> at) throws CannotRun {
        return empty(new TestPlatform(outside(), at));
    }

    /** Serves requests, but publishes no events and runs no executions. */
    static TestPlatform idle() throws CannotRun {
        return filled(new TestPlatform(outside(), step -> {}));
    }

    /** The same, on a server that the test may stop. */
    static TestPlatform idle(PostgresServer server) throws CannotRun {
        return filled(new TestPlatform(server, outside(), step -> {}));
    }

    /** Uses a payment provider that may fail. */
    static TestPlatform empty(Outside outside) throws CannotRun {
        return empty(new TestPlatform(outside, step -> {}));
    }

    private static TestPlatform empty(TestPlatform test) {
        return filled(test).start();
    }

    private static TestPlatform filled(TestPlatform test) {
        test.database.jdbi().useHandle(handle -> {
            handle.execute(
                    "INSERT INTO workspace" + " (id, name, quota_granted, quota_left) VALUES (1, 'one', 150, 150)");
            handle.execute("INSERT INTO workspace_of_user (user_id, workspace_id) VALUES (1001, 1)");
        });
        return test;
    }

    static TestPlatform damaged() throws CannotRun {
        return stopped().start();
    }

    private TestPlatform start() {
        platform.start();
        var unused = worker.start();
        return this;
    }

    /** Uses damaged data, and runs nothing that follows events. */
    static TestPlatform stopped() throws CannotRun {
        TestPlatform test = new TestPlatform(outside(), step -> {});
        if (!GeneratedData.fillIfEmpty(test.database.jdbi(), UUID.randomUUID())) {
            throw new AssertionError("The database was not empty.");
        }
        return test;
    }

    String url() {
        return api.url();
    }

    long count(String from) {
        return database.jdbi()
                .withHandle(handle -> handle.createQuery("SELECT count(*) FROM " + from)
                        .mapTo(Long.class)
                        .one());
    }

    String one(String query) {
        return database.jdbi()
                .withHandle(
                        handle -> handle.createQuery(query).mapTo(String.class).one());
    }

    List<String> some(String query, int rows) {
        return database.jdbi()
                .withHandle(handle -> handle.createQuery(query + " FETCH FIRST " + rows + " ROWS ONLY")
                        .mapTo(String.class)
                        .list());
    }

    void execute(String sql) {
        database.jdbi().useHandle(handle -> handle.execute(sql));
    }

    static void await(BooleanSupplier there) {
        long end = System.nanoTime() + Duration.ofSeconds(60).toNanos();
        while (!there.getAsBoolean()) {
            if (System.nanoTime() > end) {
                throw new AssertionError("It did not come in a minute.");
            }
            LockSupport.parkNanos(5_000_000);
        }
    }

    @Override
    public void close() {
        client.close();
        api.close();
        worker.close();
        platform.close();
        database.close();
        server.giveBack(address.url());
    }
}
