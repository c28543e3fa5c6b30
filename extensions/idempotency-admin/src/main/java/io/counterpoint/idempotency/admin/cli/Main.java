package io.counterpoint.idempotency.admin.cli;

import io.counterpoint.idempotency.IdempotencyException;
import io.counterpoint.idempotency.Resolvable;
import io.counterpoint.idempotency.admin.AdministrationException;
import io.counterpoint.idempotency.admin.DatabaseException;
import io.counterpoint.idempotency.admin.NotFoundException;
import java.io.Console;
import java.io.PrintStream;
import java.util.List;
import java.util.Map;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine;
import picocli.CommandLine.MissingParameterException;
import picocli.CommandLine.ParameterException;

/**
 * The program {@code idempotency-admin}. Messages contain table names but repeat no other argument, because it could be
 * a key or a password.
 */
public final class Main {

    static final String URL = "IDEMPOTENCY_ADMIN_URL";
    static final String USER = "IDEMPOTENCY_ADMIN_USER";
    static final String PASSWORD = "IDEMPOTENCY_ADMIN_PASSWORD";

    private Main() {}

    /**
     * Runs a command and exits with its exit code.
     *
     * @param arguments the command line
     */
    public static void main(String[] arguments) {
        System.exit(run(List.of(), arguments));
    }

    /**
     * Runs a command with an application's operations, from the application's own main class: {@code resolve} can then
     * settle attempts of these operations and resolve those with outstanding follow-ups.
     *
     * @param operations the application's operations, on the store whose records the command administers
     * @param arguments the command line
     * @return the exit code
     */
    public static int run(List<? extends Resolvable<?>> operations, String... arguments) {
        return run(operations, System.out, System.err, System.getenv(), Main::ask, arguments);
    }

    /**
     * Later JDKs provide a console even without a terminal. It reads the standard input and returns null at its end.
     */
    @SuppressWarnings("SystemConsoleNull")
    private static char @Nullable [] ask() {
        Console console = System.console();
        return console == null ? null : console.readPassword("Password: ");
    }

    static int run(
            List<? extends Resolvable<?>> operations,
            PrintStream out,
            PrintStream err,
            Map<String, String> environment,
            Supplier<char @Nullable []> prompt,
            String... arguments) {
        try {
            return execute(new Commands(out, new Connecting(environment, prompt), operations), out, err, arguments);
        } catch (LinkageError thrown) {
            err.println("idempotency-admin: " + missing(thrown));
            return ExitCode.REFUSED.number();
        }
    }

    private static int execute(Commands commands, PrintStream out, PrintStream err, String... arguments) {
        CommandLine line = new CommandLine(commands);
        line.setCaseInsensitiveEnumValuesAllowed(true);
        line.setOut(new java.io.PrintWriter(out, true, java.nio.charset.StandardCharsets.UTF_8));
        line.setParameterExceptionHandler((wrong, given) -> {
            err.println("idempotency-admin: " + reason(wrong) + " See --help.");
            return ExitCode.REFUSED.number();
        });
        line.setExecutionExceptionHandler((thrown, command, result) -> {
            err.println("idempotency-admin: " + reason(thrown));
            return codeOf(thrown).number();
        });
        if (arguments.length == 0) {
            line.usage(err);
            return ExitCode.REFUSED.number();
        }
        return line.execute(arguments);
    }

    /** The names of missing options are the program's own; anything else may contain user input. */
    private static String reason(ParameterException wrong) {
        if (wrong instanceof MissingParameterException) {
            return wrong.getMessage() + ".";
        }
        CommandLine.Model.ArgSpec argument = wrong.getArgSpec();
        return argument == null
                ? "The command line has an unknown command, option or argument."
                : "The value of " + argument.paramLabel() + " cannot be read.";
    }

    private static String missing(LinkageError thrown) {
        return "A class is missing (" + thrown.getMessage() + "). Add every JAR of the folder command-line to the"
                + " class path, with -cp \"…/command-line/*\".";
    }

    private static String reason(Throwable thrown) {
        // Picocli wraps everything that is not an Exception.
        if (thrown.getCause() instanceof LinkageError missing) {
            return missing(missing);
        }
        if (thrown instanceof IdempotencyException && thrown.getCause() != null) {
            // The cause's message may contain a secret.
            return thrown.getMessage() + " Cause: "
                    + thrown.getCause().getClass().getName() + ".";
        }
        return thrown instanceof AdministrationException
                        || thrown instanceof IdempotencyException
                        || thrown instanceof IllegalArgumentException
                ? String.valueOf(thrown.getMessage())
                : "Aborted: " + thrown.getClass().getSimpleName() + ".";
    }

    private static ExitCode codeOf(Throwable thrown) {
        if (thrown instanceof NotFoundException) {
            return ExitCode.NOT_FOUND;
        }
        if (thrown instanceof DatabaseException) {
            return ExitCode.DATABASE;
        }
        if (thrown instanceof IdempotencyException) {
            return ExitCode.UNKNOWN;
        }
        return thrown instanceof AdministrationException || thrown instanceof IllegalArgumentException
                ? ExitCode.REFUSED
                : ExitCode.DATABASE;
    }
}
