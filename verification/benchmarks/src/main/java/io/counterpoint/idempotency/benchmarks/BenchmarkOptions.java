package io.counterpoint.idempotency.benchmarks;

import java.nio.file.Path;
import java.util.List;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Spec;

/** The options of all subcommands. */
final class BenchmarkOptions {

    /** The size of the table with which large ones are compared. */
    static final long SMALL_TABLE = 10_000;

    private static final String RESULTS = "results.jsonl";
    private static final int RECORDS_OF_A_SCOPE = 20;

    @Spec(Spec.Target.MIXEE)
    private @Nullable CommandSpec spec;

    @Option(
            names = "--runs",
            paramLabel = "N",
            description = "runs, whose worst median is published; default: 3, with --quick 1")
    private @Nullable Integer runs;

    @Option(
            names = "--rounds",
            paramLabel = "N",
            description = "rounds that count; default: 15, with --short 5, with --quick 3")
    private @Nullable Integer rounds;

    @Option(
            names = "--records",
            paramLabel = "N",
            description = "the most records in a table; default: 10 million, with --short 1, with --quick 0.2")
    private @Nullable Long records;

    @Option(
            names = "--scopes",
            paramLabel = "N",
            description = "scopes of the records in order of time; default: one for 20 records")
    private @Nullable Long scopes;

    @Option(
            names = "--busy",
            description = "goes on where the load is 0.5 or more, and marks the output; so does --quick")
    private boolean busy;

    @Option(names = "--short", description = "fit for publication, but in half an hour: less of everything")
    private boolean brief;

    @Option(names = "--quick", description = "a first impression in two minutes, in a folder of its own")
    private boolean quick;

    /** Rejects what cannot be measured, before anything is started. */
    void check() {
        require(rounds() >= 1, "--rounds must be at least 1");
        require(runs() >= 1, "--runs must be at least 1");
        require(records() >= SMALL_TABLE, "--records must be at least " + SMALL_TABLE);
        require(scopes() >= 1 && scopes() <= records(), "--scopes must be 1 to the number of records");
        require(!(brief && quick), "--short and --quick exclude each other");
    }

    private void require(boolean condition, String message) {
        if (!condition && spec != null) {
            throw new ParameterException(spec.commandLine(), message);
        }
    }

    List<Integer> threads() {
        return brief ? threads(LeaderBenchmark.RANKED_BY) : threads(1, LeaderBenchmark.RANKED_BY, 64);
    }

    List<Integer> threads(Integer... byDefault) {
        return quick ? List.of(LeaderBenchmark.RANKED_BY) : List.of(byDefault);
    }

    int runs() {
        return runs != null ? runs : quick ? 1 : 3;
    }

    int rounds() {
        return rounds != null ? rounds : quick ? 3 : brief ? 5 : 15;
    }

    double seconds() {
        return quick ? 0.15 : brief ? 0.25 : 0.6;
    }

    long records() {
        return records != null ? records : quick ? 200_000 : brief ? 1_000_000 : 10_000_000;
    }

    long scopes() {
        return scopes != null ? scopes : Math.max(1, records() / RECORDS_OF_A_SCOPE);
    }

    boolean goesOnWhereBusy() {
        return busy || quick;
    }

    boolean isBrief() {
        return brief;
    }

    boolean quick() {
        return quick;
    }

    /** The report. Results go beside the benchmarks; those of a quick first run go to a separate folder. */
    BenchmarkReport report() {
        Path folder = Path.of("verification/benchmarks/target/quick");
        return quick
                ? new BenchmarkReport(folder, folder.resolve(RESULTS))
                : new BenchmarkReport(Path.of("docs/proof"), Path.of("verification/benchmarks", RESULTS));
    }

    /** The command that repeats a subcommand with these options. */
    String command(String subcommand) {
        String given = spec == null
                ? ""
                : spec.root().commandLine().getParseResult().originalArgs().stream()
                        .skip(1)
                        .map(argument -> " " + argument)
                        .collect(Collectors.joining());
        return "mvn -q -Pbench -pl verification/benchmarks -am process-classes -Dexec.args=\"" + subcommand + given
                + "\"";
    }
}
