package io.counterpoint.idempotency.examples.appplatform;

import io.counterpoint.idempotency.examples.appplatform.usecase.Step;
import io.counterpoint.idempotency.programs.CannotRun;
import io.counterpoint.idempotency.programs.DatabaseAddress;
import io.counterpoint.idempotency.programs.process.JavaProgram;
import java.io.IOException;
import java.time.Duration;
import java.util.EnumSet;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.concurrent.CountDownLatch;
import java.util.function.Consumer;

/** A node of the service in a process of its own. It ends with the process that started it, however that ends. */
final class NodeMain {

    /** What a doomed node says when there is a leader at every step. */
    static final String DOOMED = "a leader at every step";

    private static final String READY = "listening on ";

    /** The beginning of the variables that say where the database is. */
    private static final String ENVIRONMENT = "APP_PLATFORM";

    private NodeMain() {}

    /** This, to be run on an existing database. */
    static JavaProgram program(
            DatabaseAddress database, Outside outside, String operatorToken, Duration abandonedAfter, boolean repairs) {
        Map<String, String> environment = environment(database, outside);
        environment.put(Options.OPERATOR_TOKEN, operatorToken);
        List<String> arguments = List.of(Long.toString(abandonedAfter.toSeconds()), Boolean.toString(repairs));
        return new JavaProgram("node", NodeMain.class, READY, List.of(), arguments, environment);
    }

    /**
     * The same, to be killed: the first thread at a step stops there for good. When there is one at every step, the node says
     * so. It looks after nothing.
     */
    static JavaProgram doomed(DatabaseAddress database, Outside outside) {
        Map<String, String> environment = environment(database, outside);
        return new JavaProgram("doomed node", NodeMain.class, READY, List.of(), List.of(), environment);
    }

    private static Map<String, String> environment(DatabaseAddress database, Outside outside) {
        Map<String, String> environment = new HashMap<>();
        database.into(environment, ENVIRONMENT);
        outside.into(environment);
        return environment;
    }

    /**
     * The addresses of the database and of what is outside come in the environment, and the operator's token.
     *
     * @param args after how many seconds something is abandoned, and whether what checks find is repaired; nothing for a
     *     doomed node
     */
    public static void main(String[] args) throws CannotRun, IOException {
        Outside outside = Outside.from(System.getenv());
        Consumer<String> log = System.err::println;
        try (Database database = Database.connect(DatabaseAddress.from(System.getenv(), ENVIRONMENT))) {
            if (args.length == 0) {
                serve(new Platform(database, outside, Platform.Times.USUAL, stopAtEach(), log), Operator.none(), log);
                return;
            }
            Duration abandoned = Duration.ofSeconds(Long.parseLong(args[0]));
            Platform.Times times =
                    new Platform.Times(abandoned, Platform.Times.USUAL.silence(), Platform.Times.USUAL.checksEvery());
            Platform platform = new Platform(database, outside, times, step -> {}, log).start();
            platform.upkeep.schedule(Boolean.parseBoolean(args[1]));
            serve(platform, Operator.of(Objects.requireNonNull(System.getenv(Options.OPERATOR_TOKEN))), log);
        }
    }

    private static void serve(Platform platform, Operator operator, Consumer<String> log)
            throws CannotRun, IOException {
        try (platform;
                Api api = new Api(platform, 0, operator, log)) {
            System.out.println(READY + api.url());
            // Its end is the end of the other process.
            int unused = System.in.read();
        }
    }

    private static Consumer<Step> stopAtEach() {
        Set<Step> taken = EnumSet.noneOf(Step.class);
        return step -> {
            synchronized (taken) {
                if (!taken.add(step)) {
                    return;
                }
                if (taken.size() == Step.values().length) {
                    System.out.println(DOOMED);
                }
            }
            try {
                new CountDownLatch(1).await();
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
            }
        };
    }
}
