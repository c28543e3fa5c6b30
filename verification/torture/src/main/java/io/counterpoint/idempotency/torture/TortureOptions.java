package io.counterpoint.idempotency.torture;

import io.counterpoint.idempotency.programs.CannotRun;
import io.counterpoint.idempotency.programs.Choice;
import io.counterpoint.idempotency.programs.ProgramOptions;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;
import java.util.function.Function;
import java.util.function.Predicate;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParseResult;

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
final class TortureOptions extends ProgramOptions {

    private static final int LEAST_SECONDS = 10;

    @Option(
            names = "--seconds",
            paramLabel = "N",
            defaultValue = "60",
            description =
                    "Time for the modes, or half of it for them where mutants are hunted, and 1.5 s each at least. "
                            + "Failovers, mutants and starts of processes come on top. Default: ${DEFAULT-VALUE}.")
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
            names = "--engine",
            paramLabel = "NAME",
            defaultValue = "postgresql",
            converter = EngineConverter.class,
            description =
                    "The database: postgresql, mariadb, or mysql, for which IDEMPOTENCY_MYSQL_HOME names a folder that"
                            + " .ci/get-debian has made. Default: ${DEFAULT-VALUE}.")
    Engine engine = Engine.POSTGRESQL;

    @Option(
            names = "--isolation",
            paramLabel = "LEVEL",
            converter = IsolationConverter.class,
            description =
                    "The level at which all sessions begin: read-committed or repeatable-read. Default: that which the"
                            + " engine has by itself.")
    Optional<Isolation> isolation = Optional.empty();

    @Option(
            names = "--modes",
            paramLabel = "NAME",
            split = ",",
            converter = ModeConverter.class,
            description = "Only these, with commas in between. Default: all that the engine has.")
    List<Mode> modes = List.of();

    @Option(
            names = "--mutants",
            paramLabel = "NAME",
            split = ",",
            converter = MutantConverter.class,
            description = "Only these, with commas in between. Default: all that the engine has.")
    List<Mutant> mutants = List.of();

    @Option(names = "--no-mutants", description = "Leave the mutants out. Such a run proves nothing.")
    boolean noMutants;

    @Option(
            names = "--out",
            paramLabel = "FOLDER",
            defaultValue = "verification/torture/target/torture",
            description = "Where summary.txt, the log of faults and what is needed to find a broken promise are left."
                    + " Default: ${DEFAULT-VALUE}.")
    Path out = Path.of("");

    @Option(
            names = "--evidence",
            paramLabel = "FOLDER",
            description = "Where evidence.md is written, such as docs/proof. Default: nowhere.")
    Optional<Path> evidence = Optional.empty();

    static TortureOptions parse(String... args) throws CannotRun {
        return parse(new TortureOptions(), args);
    }

    Isolation isolation() {
        return isolation.orElse(engine.usual());
    }

    List<Mode> modes() {
        return modes.isEmpty() ? Stream.of(Mode.values()).filter(engine::has).toList() : modes;
    }

    List<Mutant> mutants() {
        if (noMutants) {
            return List.of();
        }
        return mutants.isEmpty()
                ? Stream.of(Mutant.values())
                        .filter(mutant -> mutant.isOf(engine))
                        .toList()
                : mutants;
    }

    @Override
    protected void check(ParseResult given) throws CannotRun {
        if (seconds < LEAST_SECONDS) {
            throw new CannotRun("--seconds must be at least " + LEAST_SECONDS + ", found " + seconds + ".");
        }
        if (noMutants && !mutants.isEmpty()) {
            throw new CannotRun("--mutants and --no-mutants do not go together.");
        }
        if (full && (noMutants || !modes.isEmpty() || !mutants.isEmpty())) {
            throw new CannotRun("--full is all modes and all mutants: leave --modes, --mutants and --no-mutants out.");
        }
        if (engine != Engine.POSTGRESQL && (full || evidence.isPresent())) {
            throw new CannotRun("--full and --evidence are for the engine postgresql.");
        }
        if (!modes.stream().allMatch(engine::has) || !mutants.stream().allMatch(mutant -> mutant.isOf(engine))) {
            throw new CannotRun("The engine " + engine.option() + " has not all of these modes and mutants. Its modes: "
                    + names(Mode.values(), engine::has, Mode::option) + ". Its mutants: "
                    + names(Mutant.values(), mutant -> mutant.isOf(engine), Mutant::option) + ".");
        }
        if (evidence.isPresent() && !Files.isDirectory(evidence.get())) {
            throw new CannotRun("--evidence names a folder that is not there: "
                    + evidence.get().toAbsolutePath() + ".");
        }
    }

    private static <T> String names(T[] all, Predicate<T> those, Function<T, String> name) {
        return Stream.of(all).filter(those).map(name).collect(Collectors.joining(", "));
    }

    private static final class EngineConverter extends Choice<Engine> {
        EngineConverter() {
            super(List.of(Engine.values()), Engine::option);
        }
    }

    private static final class IsolationConverter extends Choice<Isolation> {
        IsolationConverter() {
            super(List.of(Isolation.values()), Isolation::option);
        }
    }

    private static final class ModeConverter extends Choice<Mode> {
        ModeConverter() {
            super(List.of(Mode.values()), Mode::option);
        }
    }

    private static final class MutantConverter extends Choice<Mutant> {
        MutantConverter() {
            super(List.of(Mutant.values()), Mutant::option);
        }
    }
}
