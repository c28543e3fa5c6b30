package io.counterpoint.idempotency.examples.appplatform;

import io.counterpoint.idempotency.examples.appplatform.process.JavaProgram;
import io.counterpoint.idempotency.programs.CannotRun;
import io.counterpoint.idempotency.programs.DatabaseAddress;
import java.io.IOException;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.function.Consumer;

/** A node of the service in a process of its own. It ends with the process that started it, however that ends. */
final class NodeMain {

    private NodeMain() {}

    /** This, to be run on an existing database. */
    static JavaProgram program(
            DatabaseAddress database, Outside outside, String operatorToken, Duration abandonedAfter, boolean repairs) {
        Map<String, String> environment = DoomedNode.environment(database, outside);
        environment.put(Options.OPERATOR_TOKEN, operatorToken);
        List<String> arguments = List.of(Long.toString(abandonedAfter.toSeconds()), Boolean.toString(repairs));
        return new JavaProgram("node", NodeMain.class, DoomedNode.READY, List.of(), arguments, environment);
    }

    /**
     * The addresses of the database and of what is outside come in the environment, and the operator's token.
     *
     * @param args after how many seconds something is abandoned, and whether what checks find is repaired
     */
    public static void main(String[] args) throws CannotRun, IOException {
        Duration abandoned = Duration.ofSeconds(Long.parseLong(args[0]));
        Database database = Database.connect(DatabaseAddress.from(System.getenv(), DoomedNode.ENVIRONMENT));
        Outside outside = DoomedNode.outside(System.getenv());
        Platform.Times times =
                new Platform.Times(abandoned, Platform.Times.USUAL.silence(), Platform.Times.USUAL.checksEvery());
        Consumer<String> log = System.err::println;
        try (database;
                Platform platform = new Platform(database, outside, times, step -> {}, log).start()) {
            platform.upkeep().schedule(Boolean.parseBoolean(args[1]));
            Operator operator = Operator.of(Objects.requireNonNull(System.getenv(Options.OPERATOR_TOKEN)));
            try (Api api = new Api(platform, 0, operator, log)) {
                System.out.println(DoomedNode.READY + api.url());
                // Its end is the end of the other process.
                int unused = System.in.read();
            }
        }
    }
}
