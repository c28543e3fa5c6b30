package io.counterpoint.idempotency.examples.appplatform.execution;

import com.zaxxer.hikari.HikariDataSource;
import io.counterpoint.idempotency.Idempotency;
import io.counterpoint.idempotency.consistency.Transactions;
import io.counterpoint.idempotency.consistency.outbox.Outbox;
import io.counterpoint.idempotency.examples.appplatform.process.JavaProgram;
import io.counterpoint.idempotency.jdbc.JdbiIdempotencyStore;
import io.counterpoint.idempotency.programs.CannotRun;
import io.counterpoint.idempotency.programs.DatabaseAddress;
import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CountDownLatch;
import java.util.function.Consumer;
import org.jdbi.v3.core.Jdbi;

/**
 * A worker in a process of its own. It says its id, and works until its standard input ends: so it does not outlive the
 * process that started it.
 */
public final class WorkerMain {

    /** The beginning of the variables that say where the database is. */
    static final String ENVIRONMENT = "WORKER";

    /** The beginning of the first line; the worker's id follows. */
    static final String READY = "worker ";

    /** The beginning of the line of a thread that has stopped for good, if the process was started to be killed. */
    static final String STOPPED = "stopped at ";

    /** A second argument that lets each thread stop at a step of its own. */
    static final String DOOMED = "doomed";

    private WorkerMain() {}

    /** This, to be run on a database. */
    static JavaProgram program(DatabaseAddress database, Duration silence, String... more) {
        Map<String, String> environment = new HashMap<>();
        database.into(environment, ENVIRONMENT);
        List<String> arguments = new ArrayList<>(List.of(Long.toString(silence.toMillis())));
        arguments.addAll(List.of(more));
        return new JavaProgram("worker", WorkerMain.class, READY, List.of("-Xmx64m"), arguments, environment);
    }

    /** Argument: the milliseconds after which the worker counts as dead. */
    public static void main(String[] args) throws CannotRun, IOException {
        Duration silence = Duration.ofMillis(Long.parseLong(args[0]));
        boolean doomed = args.length > 1 && args[1].equals(DOOMED);
        int threads = doomed ? WorkerStep.values().length : Worker.THREADS;
        DatabaseAddress address = DatabaseAddress.from(System.getenv(), ENVIRONMENT);
        try (HikariDataSource pool = address.connect(config -> {
                    config.setMaximumPoolSize(threads + 2);
                    config.setMinimumIdle(1);
                });
                Worker worker = worker(pool, silence, threads, doomed ? stopOnceAtEach() : step -> {})
                        .start()) {
            say(READY + worker.id());
            while (System.in.read() >= 0) {
                // Nothing is read; the end counts.
            }
        }
    }

    private static Worker worker(HikariDataSource pool, Duration silence, int threads, Consumer<WorkerStep> at) {
        Jdbi jdbi = Jdbi.create(pool);
        JdbiIdempotencyStore store = JdbiIdempotencyStore.on(jdbi);
        return new Worker(
                Transactions.on(store).withRetries(100),
                Idempotency.on(store),
                Outbox.create(),
                silence,
                threads,
                at,
                WorkerMain::say);
    }

    /** The first thread at a step stops there, and holds what it holds. */
    private static Consumer<WorkerStep> stopOnceAtEach() {
        Set<WorkerStep> taken = ConcurrentHashMap.newKeySet();
        return step -> {
            if (!taken.add(step)) {
                return;
            }
            say(STOPPED + step);
            try {
                new CountDownLatch(1).await();
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
            }
        };
    }

    private static synchronized void say(String line) {
        System.out.println(line);
    }
}
