package io.counterpoint.idempotency.examples.appplatform.execution;

import com.zaxxer.hikari.HikariDataSource;
import io.counterpoint.idempotency.Idempotency;
import io.counterpoint.idempotency.consistency.Transactions;
import io.counterpoint.idempotency.consistency.outbox.Outbox;
import io.counterpoint.idempotency.jdbc.JdbiIdempotencyStore;
import io.counterpoint.idempotency.programs.CannotRun;
import io.counterpoint.idempotency.programs.DatabaseAddress;
import io.counterpoint.idempotency.programs.process.ChildProcesses;
import io.counterpoint.idempotency.programs.process.JavaProgram;
import java.io.IOException;
import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Consumer;
import org.jdbi.v3.core.Jdbi;

/**
 * A worker in its own process. It prints its id and works until its standard input ends, so it does not outlive the
 * process that started it.
 */
public final class WorkerMain {

    /** The prefix of the variables with the database's address. */
    static final String ENVIRONMENT = "WORKER";

    /** The prefix of the first line, followed by the worker's id. */
    static final String READY = "worker ";

    private static final Duration TIME_TO_END = Duration.ofSeconds(10);

    private WorkerMain() {}

    /**
     * Starts workers, each in its own process, without waiting until they are ready.
     *
     * @param silence other workers take over after a silence of this long
     * @throws CannotRun if a process cannot be started
     */
    public static ChildProcesses start(int number, DatabaseAddress database, Duration silence, Consumer<String> log)
            throws CannotRun {
        return ChildProcesses.start(number, program(WorkerMain.class, database, silence), TIME_TO_END, log);
    }

    /** A program with a main class, to be run on a database. */
    static JavaProgram program(Class<?> main, DatabaseAddress database, Duration silence) {
        Map<String, String> environment = new HashMap<>();
        database.into(environment, ENVIRONMENT);
        List<String> arguments = List.of(Long.toString(silence.toMillis()));
        return new JavaProgram("worker", main, READY, List.of("-Xmx64m"), arguments, environment);
    }

    /** Argument: the milliseconds after which the worker counts as dead. */
    public static void main(String[] args) throws CannotRun, IOException {
        run(args[0], Worker.THREADS, step -> {});
    }

    static void run(String silence, int threads, Consumer<WorkerStep> at) throws CannotRun, IOException {
        DatabaseAddress address = DatabaseAddress.from(System.getenv(), ENVIRONMENT);
        try (HikariDataSource pool = address.connect(config -> {
            config.setMaximumPoolSize(threads + 2);
            config.setMinimumIdle(1);
        })) {
            JdbiIdempotencyStore store = JdbiIdempotencyStore.on(Jdbi.create(pool));
            Transactions transactions = Transactions.on(store).withRetries(100);
            Duration dead = Duration.ofMillis(Long.parseLong(silence));
            try (Worker worker = new Worker(
                    transactions, Idempotency.on(store), Outbox.create(), dead, threads, at, WorkerMain::say)) {
                say(READY + worker.start().id());
                int unused = System.in.read();
            }
        }
    }

    static synchronized void say(String line) {
        System.out.println(line);
    }
}
