package io.counterpoint.idempotency.benchmarks;

import static java.util.Objects.requireNonNull;

import io.counterpoint.idempotency.benchmarks.EngineCalls.Protocol;
import io.counterpoint.idempotency.benchmarks.Section.Figure;
import io.counterpoint.idempotency.benchmarks.Section.Table;
import io.counterpoint.idempotency.benchmarks.Section.Target;
import io.counterpoint.idempotency.benchmarks.Section.Worst;
import java.util.ArrayList;
import java.util.List;
import org.openjdk.jmh.profile.GCProfiler;
import org.openjdk.jmh.results.RunResult;
import org.openjdk.jmh.runner.Runner;
import org.openjdk.jmh.runner.RunnerException;
import org.openjdk.jmh.runner.options.ChainedOptionsBuilder;
import org.openjdk.jmh.runner.options.OptionsBuilder;
import org.openjdk.jmh.runner.options.TimeValue;
import org.openjdk.jmh.runner.options.VerboseMode;
import org.openjdk.jmh.util.Statistics;
import picocli.CommandLine.Command;

/** The engine without a database: what it takes of the processor and of the heap. */
@Command(
        name = "engine",
        mixinStandardHelpOptions = true,
        description = "the engine over the store in memory: nanoseconds and bytes a call")
final class EngineBenchmark extends Benchmark {

    private static final String ALLOCATED = "gc.alloc.rate.norm";
    private static final double MOST_MICROS = 1;
    private static final double MOST_KIBIBYTES = 1.25;

    @Override
    Section measure(Options chosen) throws RunnerException {
        List<List<String>> rows = new ArrayList<>();
        List<Target> targets = new ArrayList<>();
        List<Figure> figures = new ArrayList<>();
        for (String kind : List.of("executed", "replayed")) {
            for (Protocol protocol : Protocol.values()) {
                Cost cost = run(kind, protocol, chosen.quick() || chosen.isBrief(), 1);
                rows.add(List.of(kind + ", " + protocol, cost.nanos.text(0), cost.bytes.text(0)));
                figures.add(new Figure("Engine alone", kind + ", " + protocol, "ns", cost.nanos, 0));
                figures.add(new Figure("Engine alone", kind + ", " + protocol, "bytes", cost.bytes, 0));
                if (kind.equals("executed")) {
                    targets.add(Target.atMost(MOST_MICROS, "µs", "executed, " + protocol, cost.nanos.by(1e-3)));
                    targets.add(
                            Target.atMost(MOST_KIBIBYTES, "KiB", "executed, " + protocol, cost.bytes.by(1 / 1024.0)));
                }
            }
        }
        Cost attempt = run("attempt", Protocol.CLAIM_FIRST, chosen.quick() || chosen.isBrief(), 1);
        rows.add(List.of("making the attempt, with its SHA-256", attempt.nanos.text(0), attempt.bytes.text(0)));
        Table table = new Table(
                "The engine alone, one thread, JMH",
                List.of("call", "ns", "bytes allocated"),
                rows,
                List.of(
                        "Every invocation makes one call for each of " + EngineCalls.KEYS
                                + " attempts over a store that" + " is new, so the store never grows beyond that.",
                        "The store's own work, its maps and locks, counts; attempts are made beforehand, and are the last"
                                + " row."),
                Worst.more(2, 1));
        return new Section(
                "The engine alone",
                chosen.command("engine"),
                Machine.now(),
                Machine.java() + ".",
                targets,
                List.of(table),
                figures);
    }

    /** What one kind of call costs; {@code forks} is 0 to run in this process, which is good for trying it only. */
    static Cost run(String kind, Protocol protocol, boolean quick, int forks) throws RunnerException {
        Progress.say("engine: " + kind + ", " + protocol);
        ChainedOptionsBuilder options = new OptionsBuilder()
                .include(EngineCalls.class.getName() + "\\." + kind + "$")
                .param("protocol", protocol.name())
                .addProfiler(GCProfiler.class)
                .verbosity(VerboseMode.SILENT)
                .forks(forks)
                .shouldFailOnError(true);
        if (quick) {
            options.warmupIterations(2).warmupTime(TimeValue.milliseconds(200));
            options.measurementIterations(3).measurementTime(TimeValue.milliseconds(200));
        }
        RunResult result = new Runner(options.build()).runSingle();
        Statistics allocated =
                requireNonNull(result.getSecondaryResults().get(ALLOCATED)).getStatistics();
        return new Cost(quartiles(result.getPrimaryResult().getStatistics()), quartiles(allocated));
    }

    private static Quartiles quartiles(Statistics statistics) {
        return new Quartiles(statistics.getPercentile(25), statistics.getPercentile(50), statistics.getPercentile(75));
    }

    record Cost(Quartiles nanos, Quartiles bytes) {}
}
