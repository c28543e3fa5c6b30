package io.counterpoint.idempotency.benchmarks;

import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Spec;

/** What all subcommands take. */
final class Options {

    private static final int MOST_THREADS = 1000;

    @Spec(Spec.Target.MIXEE)
    private @Nullable CommandSpec spec;

    @Option(
            names = "--threads",
            split = ",",
            paramLabel = "N",
            description = "numbers of callers; default: 1,8,64 (network: 8,64; growth: 8), with --quick 8")
    private List<Integer> threads = new ArrayList<>();

    @Option(names = "--rounds", paramLabel = "N", description = "rounds that count; default: 15, with --quick 3")
    private @Nullable Integer rounds;

    @Option(
            names = "--seconds",
            paramLabel = "S",
            description = "how long each variant runs in each round; default: 0.6, with --quick 0.15")
    private @Nullable Double seconds;

    @Option(names = "--quick", description = "a first impression in two minutes, in a folder of its own")
    private boolean quick;

    @Option(
            names = "--docs",
            paramLabel = "DIR",
            description = "where the report is written; default: docs, with --quick benchmarks/target/quick")
    private @Nullable Path docs;

    /** Refuses what cannot be measured, before anything is started. */
    void check() {
        require(
                threads().stream().allMatch(n -> n >= 1 && n <= MOST_THREADS),
                "--threads must be 1 to " + MOST_THREADS);
        require(rounds() >= 1, "--rounds must be at least 1");
        require(seconds() > 0 && seconds() <= 3600, "--seconds must be more than 0 and at most 3600");
    }

    private void require(boolean condition, String message) {
        if (!condition && spec != null) {
            throw new ParameterException(spec.commandLine(), message);
        }
    }

    List<Integer> threads() {
        return threads(1, LeaderBenchmark.RANKED_BY, 64);
    }

    List<Integer> threads(Integer... byDefault) {
        if (!threads.isEmpty()) {
            return List.copyOf(threads);
        }
        return quick ? List.of(LeaderBenchmark.RANKED_BY) : List.of(byDefault);
    }

    int rounds() {
        return rounds != null ? rounds : quick ? 3 : 15;
    }

    double seconds() {
        return seconds != null ? seconds : quick ? 0.15 : 0.6;
    }

    boolean quick() {
        return quick;
    }

    Path docs() {
        return docs != null ? docs : Path.of(quick ? "benchmarks/target/quick" : "docs");
    }

    /** The command that repeats a subcommand with these options. */
    String command(String subcommand) {
        StringBuilder arguments = new StringBuilder(subcommand);
        if (quick) {
            arguments.append(" --quick");
        }
        if (!threads.isEmpty()) {
            arguments
                    .append(" --threads ")
                    .append(String.join(
                            ",", threads.stream().map(String::valueOf).toList()));
        }
        if (rounds != null) {
            arguments.append(" --rounds ").append(rounds);
        }
        if (seconds != null) {
            arguments.append(" --seconds ").append(seconds);
        }
        return "mvn -q -Pbench -pl benchmarks -am process-classes -Dexec.args=\"" + arguments + "\"";
    }
}
