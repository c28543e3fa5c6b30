package io.counterpoint.idempotency.benchmarks;

import java.util.LinkedHashMap;
import java.util.Map;
import java.util.concurrent.Callable;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;

/** The program: one subcommand for each question, and {@code all}. */
@Command(
        name = "benchmarks",
        mixinStandardHelpOptions = true,
        subcommands = {
            Benchmarks.All.class,
            LeaderBenchmark.class,
            ReplayBenchmark.class,
            ConcurrentReplayBenchmark.class,
            NetworkBenchmark.class,
            StormBenchmark.class,
            GrowthBenchmark.class,
            EngineBenchmark.class,
        },
        description = "Measures what the protection costs on a real PostgreSQL; writes benchmarks.md, .json and .svg.")
public final class Benchmarks {

    private Benchmarks() {}

    /**
     * Runs the program.
     *
     * @param arguments a subcommand and its options
     */
    public static void main(String... arguments) {
        System.exit(new CommandLine(new Benchmarks()).execute(arguments));
    }

    /** Everything, one after the other. */
    @Command(
            name = "all",
            mixinStandardHelpOptions = true,
            description = "all of the others; 25 minutes on 2 cores, with --quick 2")
    static final class All implements Callable<Integer> {

        @Mixin
        private Options options = new Options();

        @Override
        public Integer call() throws Exception {
            options.check();
            Map<String, Benchmark> all = new LinkedHashMap<>();
            all.put("leader", new LeaderBenchmark());
            all.put("replay", new ReplayBenchmark());
            all.put("concurrent-replay", new ConcurrentReplayBenchmark());
            all.put("network", new NetworkBenchmark());
            all.put("storm", new StormBenchmark());
            all.put("growth", new GrowthBenchmark());
            all.put("engine", new EngineBenchmark());
            for (Map.Entry<String, Benchmark> each : all.entrySet()) {
                each.getValue().run(each.getKey(), options);
            }
            return 0;
        }
    }
}
