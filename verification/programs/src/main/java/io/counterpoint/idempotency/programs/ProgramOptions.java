package io.counterpoint.idempotency.programs;

import picocli.CommandLine;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParseResult;

/**
 * The command line of a program. A subclass declares its options with picocli's annotations, and checks what belongs
 * together.
 */
public abstract class ProgramOptions {

    @Option(names = "--help", usageHelp = true, order = Integer.MAX_VALUE, description = "Shows this.")
    private boolean help;

    /** For subclasses. */
    protected ProgramOptions() {}

    /**
     * Refuses values that the program cannot run with.
     *
     * @param given which options there were
     * @throws CannotRun what was given, and what is expected
     */
    protected abstract void check(ParseResult given) throws CannotRun;

    /**
     * Sets options from arguments, and checks them.
     *
     * @throws CannotRun what was given, and what is expected
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
     * Refuses a number out of bounds.
     *
     * @throws CannotRun what was given, and what is expected
     */
    protected static void between(String option, int least, int most, int value) throws CannotRun {
        if (value < least || value > most) {
            throw new CannotRun(option + " must be between " + least + " and " + most + ", found " + value + ".");
        }
    }

    /**
     * Refuses an option, such as {@code --port goes}, that goes with others only.
     *
     * @throws CannotRun what was given, and what it goes with
     */
    protected static void goesWith(boolean given, String option, String others, boolean there) throws CannotRun {
        if (given && !there) {
            throw new CannotRun(option + " with " + others + " only.");
        }
    }

    /** Whether the user wants to read {@link #usage} only. */
    public final boolean asksForHelp() {
        return help;
    }

    /** The text of {@code --help}. */
    public final String usage() {
        return new CommandLine(this).getUsageMessage(CommandLine.Help.Ansi.OFF);
    }
}
