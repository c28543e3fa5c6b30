package io.counterpoint.idempotency.benchmarks;

import io.counterpoint.idempotency.programs.CannotRun;
import java.util.List;
import java.util.concurrent.Callable;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;

/** The program: one subcommand per question, and {@code all}. */
@Command(
        name = "benchmarks",
        mixinStandardHelpOptions = true,
        subcommands = {
            Benchmarks.All.class,
            ChooseBenchmark.class,
            LeaderBenchmark.class,
            ConcurrentReplayBenchmark.class,
            StormBenchmark.class,
            DuplicatesBenchmark.class,
            GrowthBenchmark.class,
            ChurnBenchmark.class,
            ScopesBenchmark.class,
            PurgeBenchmark.class,
            BatchBenchmark.class,
            InboxBenchmark.class,
            EngineBenchmark.class,
            InstructionsBenchmark.class,
            SpringBenchmark.class,
            MariaDbBenchmark.class,
            GaleraBenchmark.class,
            Benchmarks.Redraw.class,
        },
        description =
                "Measures what the protection costs on a real PostgreSQL, MariaDB and Galera; writes benchmarks.md, benchmark-tables.md, benchmarks.svg and results.jsonl.")
public final class Benchmarks {

    private Benchmarks() {}

    /**
     * Runs the program.
     *
     * @param arguments a subcommand and its options
     */
    public static void main(String... arguments) {
        System.exit(new CommandLine(new Benchmarks())
                .setExecutionExceptionHandler((failure, command, unused) -> failed(failure, command))
                .execute(arguments));
    }

    /** A busy machine or missing packages are not a bug in this program, so the stack trace is omitted. */
    private static int failed(Exception failure, CommandLine command) throws Exception {
        if (failure instanceof Quiet.BusyException || failure instanceof CannotRun) {
            command.getErr().println(failure.getMessage());
            return CommandLine.ExitCode.SOFTWARE;
        }
        throw failure;
    }

    /** Runs everything, one after the other. */
    @Command(
            name = "all",
            mixinStandardHelpOptions = true,
            description = "all that measures: hours, with --short half an hour, with --quick a few")
    static final class All implements Callable<Integer> {

        /** The subcommands that do without the largest tables and show what matters most. */
        private static final List<String> SHORT = List.of(
                ChooseBenchmark.NAME,
                "leader",
                "concurrent-replay",
                "scopes",
                "purge",
                "batch",
                "inbox",
                "engine",
                "spring");

        @Mixin
        private BenchmarkOptions options = new BenchmarkOptions();

        @Override
        public Integer call() throws Exception {
            options.check();
            Quiet quiet = new Quiet();
            for (CommandLine each :
                    new CommandLine(new Benchmarks()).getSubcommands().values()) {
                Object command = each.getCommand();
                if (command instanceof Benchmark benchmark && isPartOfAll(each.getCommandName())) {
                    benchmark.run(options, quiet);
                }
            }
            return 0;
        }

        /** Counting the server's instructions requires valgrind, which is seldom installed. */
        private boolean isPartOfAll(String name) {
            return options.isBrief() ? SHORT.contains(name) : !name.equals("instructions");
        }
    }

    /** Regenerates the pages and the picture from earlier measurements. */
    @Command(
            name = "redraw",
            mixinStandardHelpOptions = true,
            description = "writes the page and the picture again from the results, and measures nothing")
    static final class Redraw implements Callable<Integer> {

        @Mixin
        private BenchmarkOptions options = new BenchmarkOptions();

        @Override
        public Integer call() throws Exception {
            options.report().redraw();
            return 0;
        }
    }
}
