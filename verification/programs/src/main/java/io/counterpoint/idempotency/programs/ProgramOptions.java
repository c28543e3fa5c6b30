package io.counterpoint.idempotency.programs;

import picocli.CommandLine;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParseResult;

/**
 * The command line of a program. A subclass declares its options with picocli's annotations, and checks how they
 * combine.
 */
public abstract class ProgramOptions {

    @Option(names = "--help", usageHelp = true, order = Integer.MAX_VALUE, description = "Shows this.")
    private boolean help;

    /** For subclasses. */
    protected ProgramOptions() {}

    /**
     * Rejects values with which the program cannot run.
     *
     * @param given the options that were specified
     * @throws CannotRun if a value is rejected; says what was given and what is expected
     */
    protected abstract void check(ParseResult given) throws CannotRun;

    /**
     * Parses arguments, and checks the options.
     *
     * @throws CannotRun if a value is rejected; says what was given and what is expected
     */
    protected static <T extends ProgramOptions> T parse(T options, String... arguments) throws CannotRun {
        ProgramOptions parsed = options;
        try {
            parsed.check(new CommandLine(options).parseArgs(arguments));
        } catch (CommandLine.ParameterException e) {
            throw new CannotRun(e.getMessage() + ".");
        }
        return options;
    }

    /**
     * Rejects a number that is out of bounds.
     *
     * @throws CannotRun if the number is rejected; says what was given and what is expected
     */
    protected static void between(String option, int least, int most, int value) throws CannotRun {
        if (value < least || value > most) {
            throw new CannotRun(option + " must be between " + least + " and " + most + ", found " + value + ".");
        }
    }

    /**
     * Rejects an option without the others that it requires. The option's text includes the verb, as in
     * {@code --port goes}.
     *
     * @throws CannotRun if the option is rejected; says what it requires
     */
    protected static void goesWith(boolean given, String option, String others, boolean there) throws CannotRun {
        if (given && !there) {
            throw new CannotRun(option + " with " + others + " only.");
        }
    }

    /** Whether the user only wants to see {@link #usage}. */
    public final boolean asksForHelp() {
        return help;
    }

    /** The text of {@code --help}. */
    public final String usage() {
        return new CommandLine(this).getUsageMessage(CommandLine.Help.Ansi.OFF);
    }
}
