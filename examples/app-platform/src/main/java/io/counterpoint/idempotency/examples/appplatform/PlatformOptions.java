package io.counterpoint.idempotency.examples.appplatform;

import io.counterpoint.idempotency.programs.CannotRun;
import io.counterpoint.idempotency.programs.Choice;
import io.counterpoint.idempotency.programs.DatabaseAddress;
import io.counterpoint.idempotency.programs.ProgramOptions;
import java.net.URI;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import picocli.CommandLine.Command;
import picocli.CommandLine.Help.Visibility;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.ParseResult;

/** The command line. */
@Command(
        name = "app-platform",
        sortOptions = false,
        showDefaultValues = true,
        customSynopsis = "app-platform [COMMAND] [OPTIONS]",
        usageHelpAutoWidth = true,
        description = {
            "",
            "A small service that creates, publishes and runs apps, on a data set that contains every kind of damage.",
            "",
            "  tour      sends requests with retries, kills leaders, measures lags, finds and repairs the damage,",
            "            compares a migration, and looks again. The default.",
            "  serve     starts the service and a page that breaks it with buttons, and stays until Ctrl-C.",
            "  check     runs the checks; with --repair, mends what they find and looks again.",
            "  policies  prints what is declared: operations, transactions, bounds, checks.",
            ""
        },
        footer = {"", "Exit code: 0 clean; 1 a warning; 2 an error, or a promise that was not kept; 3 could not run."})
final class PlatformOptions extends ProgramOptions {

    /** What the program does. */
    enum Action {
        TOUR,
        SERVE,
        CHECK,
        POLICIES;

        @Override
        public String toString() {
            return name().toLowerCase(Locale.ROOT);
        }
    }

    @Parameters(paramLabel = "COMMAND", arity = "0..1", converter = ActionConverter.class, hidden = true)
    Action action = Action.TOUR;

    @Option(names = "--port", defaultValue = "8080", description = "With serve: the port on 127.0.0.1; 0 for any.")
    int port;

    @Option(names = "--page-port", defaultValue = "0", description = "With serve: the port of the page; 0 for any.")
    int pagePort;

    @Option(names = "--repair", description = "With check and serve: mend what is found. Without it, it is reported.")
    boolean repair;

    static final String OPERATOR_TOKEN = "APP_PLATFORM_OPERATOR_TOKEN";

    @Option(
            names = "--operator-token",
            defaultValue = "${env:" + OPERATOR_TOKEN + ":-}",
            showDefaultValue = Visibility.NEVER,
            description = "With serve: what an operator sends to check and repair over HTTP, at least "
                    + Operator.SHORTEST + " characters. Better in the environment, as " + OPERATOR_TOKEN
                    + ": everybody on the machine can read arguments. Default: none, and both are closed.")
    String operatorToken = "";

    @Option(
            names = "--redis-url",
            defaultValue = "${env:" + RedisChannel.VARIABLE + ":-}",
            showDefaultValue = Visibility.NEVER,
            description = "With tour and serve: a server of the Redis protocol, redis://host:port, that carries"
                    + " invalidations. With a password better in the environment,"
                    + " as " + RedisChannel.VARIABLE + ". Default: none, and PostgreSQL carries invalidations.")
    String redisUrl = "";

    @Option(names = "--json", description = "With tour and check: one JSON object on standard output.")
    boolean json;

    @Option(
            names = "--jdbc-url",
            description = "A PostgreSQL database, jdbc:postgresql://host:port/name; missing tables are created, and an"
                    + " empty one is filled. Default: a PostgreSQL that the program brings.")
    Optional<String> jdbcUrl = Optional.empty();

    @Option(names = "--user", showDefaultValue = Visibility.NEVER, description = "Its user, if the URL names none.")
    String user = "";

    @Option(names = "--password", showDefaultValue = Visibility.NEVER, description = "The password of that user.")
    String password = "";

    static PlatformOptions parse(String... args) throws CannotRun {
        return parse(new PlatformOptions(), args);
    }

    @Override
    protected void check(ParseResult given) throws CannotRun {
        if (asksForHelp()) {
            return;
        }
        between("--port", 0, 65_535, port);
        between("--page-port", 0, 65_535, pagePort);
        for (String option : List.of("--port", "--page-port")) {
            goesWith(given.hasMatchedOption(option), option + " goes", "serve", action == Action.SERVE);
        }
        goesWith(repair, "--repair goes", "check and serve", action == Action.CHECK || action == Action.SERVE);
        goesWith(
                given.hasMatchedOption("--redis-url"),
                "--redis-url goes",
                "tour and serve",
                action == Action.TOUR || action == Action.SERVE);
        goesWith(json, "--json goes", "tour and check", action == Action.TOUR || action == Action.CHECK);
        goesWith(!(user + password).isEmpty(), "--user and --password go", "--jdbc-url", jdbcUrl.isPresent());
        if (!operatorToken.isEmpty() && operatorToken.length() < Operator.SHORTEST) {
            throw new CannotRun("An operator's token must be at least " + Operator.SHORTEST + " characters long.");
        }
        Optional<URI> unused = redis();
        if (jdbcUrl.isPresent()) {
            DatabaseAddress.requirePostgreSql(jdbcUrl.get());
        }
    }

    /** The server in {@code --redis-url}, if any. */
    Optional<URI> redis() throws CannotRun {
        return RedisChannel.address(redisUrl);
    }

    private static final class ActionConverter extends Choice<Action> {
        ActionConverter() {
            super(List.of(Action.values()), Action::toString, "tour, serve, check or policies");
        }
    }
}
