package io.counterpoint.idempotency.benchmarks;

import static java.util.Objects.requireNonNull;

import org.openjdk.jmh.profile.GCProfiler;
import org.openjdk.jmh.results.Result;
import org.openjdk.jmh.results.RunResult;
import org.openjdk.jmh.runner.Runner;
import org.openjdk.jmh.runner.RunnerException;
import org.openjdk.jmh.runner.options.ChainedOptionsBuilder;
import org.openjdk.jmh.runner.options.OptionsBuilder;
import org.openjdk.jmh.runner.options.VerboseMode;
import org.openjdk.jmh.util.Statistics;

/** Runs JMH for what a single caller does in one process, without comparisons. */
final class Jmh {

    private Jmh() {}

    /** The cost of one call, in the benchmark's unit of time and in bytes of heap. */
    record Cost(Quartiles time, Quartiles bytes) {}

    /** Options for one method of a class. */
    static ChainedOptionsBuilder options(Class<?> benchmarks, String method) {
        return new OptionsBuilder()
                .include(benchmarks.getName() + "\\." + method + "$")
                .addProfiler(GCProfiler.class)
                .verbosity(VerboseMode.SILENT)
                .shouldFailOnError(true);
    }

    static Cost run(ChainedOptionsBuilder options) throws RunnerException {
        RunResult result = new Runner(options.build()).runSingle();
        return new Cost(
                quartiles(result.getPrimaryResult()),
                quartiles(requireNonNull(result.getSecondaryResults().get("gc.alloc.rate.norm"))));
    }

    private static Quartiles quartiles(Result<?> result) {
        Statistics found = result.getStatistics();
        return new Quartiles(found.getPercentile(25), found.getPercentile(50), found.getPercentile(75));
    }
}
