package io.counterpoint.idempotency.torture;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import java.util.stream.Collectors;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;

/** The command line. */
@Command(
        name = "torture",
        sortOptions = false,
        usageHelpAutoWidth = true,
        description = {
            "",
            "Asks for operations from processes that are killed, stopped and cut off, on database servers that crash,"
                    + " and checks in the databases that every promise of the library was kept. Then it breaks the"
                    + " library on purpose, in several ways, and checks that each of them is noticed.",
            ""
        },
        footer = {
            "",
            "Exit code: 0 all promises kept and all mutants caught (with --full also: all quantities reached); 1 not so;"
                    + " 2 the program could not run."
        })
final class Options {

    private static final int LEAST_SECONDS = 10;

    @Option(
            names = "--seconds",
            paramLabel = "N",
            defaultValue = "60",
            description = "How long it takes, about. Default: ${DEFAULT-VALUE}.")
    long seconds;

    @Option(
            names = "--full",
            description = "Go on until the quantities of the published evidence are reached, whatever the time.")
    boolean full;

    @Option(
            names = "--seed",
            paramLabel = "N",
            description =
                    "Where the random sequences begin that draw keys and faults. Time and threads have a say as"
                            + " well, so a seed repeats a kind of run, not the run. Default: taken from the clock, and printed.")
    Optional<Long> seed = Optional.empty();

    @Option(
            names = "--modes",
            paramLabel = "NAME",
            split = ",",
            converter = ModeConverter.class,
            description = "Only these, with commas in between. Default: all.")
    List<Mode> modes = List.of();

    @Option(
            names = "--mutants",
            paramLabel = "NAME",
            split = ",",
            converter = MutantConverter.class,
            description = "Only these, with commas in between. Default: all.")
    List<Mutant> mutants = List.of();

    @Option(names = "--no-mutants", description = "Leave the mutants out. Such a run proves nothing.")
    boolean noMutants;

    @Option(
            names = "--out",
            paramLabel = "FOLDER",
            defaultValue = "torture/target/torture",
            description = "Where summary.json, the log of faults and what is needed to find a broken promise are left."
                    + " Default: ${DEFAULT-VALUE}.")
    Path out = Path.of("");

    @Option(
            names = "--evidence",
            paramLabel = "FOLDER",
            description = "Where evidence.md and evidence.svg are written, such as docs. Default: nowhere.")
    Optional<Path> evidence = Optional.empty();

    @Option(names = "--help", usageHelp = true, description = "Shows this.")
    boolean help;

    static Options parse(String... args) throws CannotRun {
        Options options = new Options();
        try {
            CommandLine.ParseResult unused = new CommandLine(options).parseArgs(args);
        } catch (CommandLine.ParameterException e) {
            throw new CannotRun(e.getMessage() + ".");
        }
        options.check();
        return options;
    }

    static String usage() {
        return new CommandLine(new Options()).getUsageMessage(CommandLine.Help.Ansi.OFF);
    }

    List<Mode> modes() {
        return modes.isEmpty() ? List.of(Mode.values()) : modes;
    }

    List<Mutant> mutants() {
        if (noMutants) {
            return List.of();
        }
        return mutants.isEmpty() ? List.of(Mutant.values()) : mutants;
    }

    private void check() throws CannotRun {
        if (seconds < LEAST_SECONDS) {
            throw new CannotRun("--seconds has to be at least " + LEAST_SECONDS + ", found " + seconds + ".");
        }
        if (noMutants && !mutants.isEmpty()) {
            throw new CannotRun("--mutants and --no-mutants do not go together.");
        }
        if (full && (noMutants || !modes.isEmpty() || !mutants.isEmpty())) {
            throw new CannotRun("--full is all modes and all mutants: leave --modes, --mutants and --no-mutants out.");
        }
        if (evidence.isPresent() && !Files.isDirectory(evidence.get())) {
            throw new CannotRun("--evidence names a folder that is not there: "
                    + evidence.get().toAbsolutePath() + ".");
        }
    }

    private static final class ModeConverter implements CommandLine.ITypeConverter<Mode> {
        @Override
        public Mode convert(String value) {
            return Arrays.stream(Mode.values())
                    .filter(mode -> mode.option().equals(value))
                    .findFirst()
                    .orElseThrow(() -> new CommandLine.TypeConversionException("expected one of "
                            + Arrays.stream(Mode.values()).map(Mode::option).collect(Collectors.joining(", "))
                            + ", found '" + value + "'"));
        }
    }

    private static final class MutantConverter implements CommandLine.ITypeConverter<Mutant> {
        @Override
        public Mutant convert(String value) {
            return Arrays.stream(Mutant.values())
                    .filter(mutant -> mutant.option().equals(value))
                    .findFirst()
                    .orElseThrow(() -> new CommandLine.TypeConversionException("expected one of "
                            + Arrays.stream(Mutant.values()).map(Mutant::option).collect(Collectors.joining(", "))
                            + ", found '" + value + "'"));
        }
    }
}
