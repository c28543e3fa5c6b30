package io.counterpoint.idempotency.examples.consumer.breaker;

import io.counterpoint.idempotency.examples.consumer.Payments;
import io.counterpoint.idempotency.inbox.DeadLetterTable;
import io.counterpoint.idempotency.jdbc.JdbiIdempotencyStore;
import io.counterpoint.idempotency.programs.CannotRun;
import io.counterpoint.idempotency.programs.Program;
import io.counterpoint.idempotency.programs.ProgressLines;
import io.counterpoint.idempotency.programs.TextTable;
import io.counterpoint.idempotency.testing.PostgresServer;
import io.counterpoint.idempotency.testing.kafka.KafkaServer;
import java.io.IOException;
import java.io.PrintStream;
import java.sql.SQLException;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.admin.NewTopic;
import org.jdbi.v3.core.Jdbi;

/** The program: sends each payment several times, kills consumers and the broker, and verifies the payment table. */
public final class Consumers {

    static final String TOPIC = "payments";
    static final String GROUP = "payments";

    static final int PARTITIONS = 6;
    private static final int VERIFIED = 0;
    private static final int NOT_VERIFIED = 1;
    private static final int COULD_NOT_RUN = 2;

    private static final Duration LONGEST_STOP = Duration.ofSeconds(30);
    private static final Program PROGRAM = new Program("consumer", COULD_NOT_RUN);

    private Consumers() {}

    /** Runs the program and exits. */
    public static void main(String[] args) {
        Thread work = Thread.currentThread();
        PROGRAM.exitAfter(() -> run(args, System.out, System.err), work::interrupt, LONGEST_STOP);
    }

    /** Runs the program without exiting the process. */
    static int run(String[] args, PrintStream out, PrintStream err) {
        return PROGRAM.run(err, () -> {
            ConsumerBreakerOptions options = ConsumerBreakerOptions.parse(args);
            if (options.asksForHelp()) {
                out.print(options.usage());
                return VERIFIED;
            }
            return run(options, out) ? VERIFIED : NOT_VERIFIED;
        });
    }

    private static boolean run(ConsumerBreakerOptions options, PrintStream out)
            throws CannotRun, IOException, InterruptedException {
        out.printf(
                "%,d payments, each sent %d times; %d consumers, batches of %d; seed %d%s%n",
                options.messages,
                options.copies,
                options.consumers,
                options.batch,
                options.seed,
                options.unprotected ? "; without the inbox" : "");
        CompletableFuture<Void> ended = new CompletableFuture<>();
        PostgresServer.beforeStop(ended, LONGEST_STOP);
        try {
            return runOnServers(options, out);
        } finally {
            boolean unused = ended.complete(null);
        }
    }

    private static boolean runOnServers(ConsumerBreakerOptions options, PrintStream out)
            throws CannotRun, IOException, InterruptedException {
        out.println("  starting PostgreSQL and a Kafka broker");
        try (PostgresServer database = PostgresServer.start();
                KafkaServer broker = KafkaServer.start();
                Admin admin = Admin.create(Map.of("bootstrap.servers", broker.bootstrapServers()))) {
            Jdbi jdbi = Jdbi.create(database.jdbcUrl());
            createTables(jdbi);
            createTopic(admin);
            Disturbance.Result result =
                    new Disturbance(options, database.jdbcUrl(), broker, admin, ProgressLines.atOnce(out)).run();
            Verification verification = Verification.of(jdbi);
            report(options, result, verification, out);
            return verification.passed(options);
        }
    }

    private static void createTables(Jdbi jdbi) throws CannotRun {
        JdbiIdempotencyStore unused = JdbiIdempotencyStore.on(jdbi).createTableIfMissing();
        try {
            jdbi.useHandle(handle -> {
                Payments.createTable(handle.getConnection());
                DeadLetterTable.createIfMissing(handle.getConnection());
            });
        } catch (SQLException e) {
            throw new CannotRun("Cannot create the tables: " + CannotRun.rootMessage(e) + ".");
        }
    }

    private static void createTopic(Admin admin) throws CannotRun, InterruptedException {
        try {
            admin.createTopics(List.of(new NewTopic(TOPIC, PARTITIONS, (short) 1)))
                    .all()
                    .get();
        } catch (ExecutionException e) {
            throw new CannotRun("Cannot create a topic: " + CannotRun.rootMessage(e) + ".");
        }
    }

    private static void report(
            ConsumerBreakerOptions options, Disturbance.Result result, Verification found, PrintStream out) {
        out.println();
        new TextTable()
                .row("what happened", "")
                .row("  messages sent", (long) options.messages * options.copies)
                .row("  consumers killed", result.consumerKills())
                .row("  brokers killed", result.brokerKills())
                .row("  messages handled", result.handled())
                .row("    duplicates among them", result.duplicates())
                .row("    postponed", result.postponed())
                .row("  milliseconds", result.millis())
                .row("  handled per second", result.handled() * 1000 / Math.max(1, result.millis()))
                .print(out);
        out.println();
        new TextTable()
                .row("in the tables", "expected", "found")
                .row("  payments booked", options.messages - options.poison(), found.booked())
                .row("  different payments", options.messages - options.poison(), found.distinct())
                .row("  second effects", 0, found.copies())
                .row("  cents", Verification.expectedCents(options), found.cents())
                .row("  booked out of order", 0, found.outOfOrder())
                .row("  dead letters", options.poison(), found.letters())
                .row("    of poison", options.poison(), found.lettersOfPoison())
                .print(out);
        out.println();
        out.println(found.passed(options) ? "Verified: one effect each, none lost." : "NOT verified.");
    }
}
