package io.counterpoint.idempotency.benchmarks;

import io.counterpoint.idempotency.benchmarks.EngineCalls.Protocol;
import io.counterpoint.idempotency.benchmarks.Findings.Table;
import io.counterpoint.idempotency.benchmarks.Findings.Worst;
import java.util.ArrayList;
import java.util.List;
import org.openjdk.jmh.runner.RunnerException;
import org.openjdk.jmh.runner.options.ChainedOptionsBuilder;
import org.openjdk.jmh.runner.options.TimeValue;
import picocli.CommandLine.Command;

/** The processor time and heap that the engine uses, without a database. */
@Command(
        name = "engine",
        header = "The engine alone",
        description = "the engine over the store in memory: nanoseconds and bytes a call")
final class EngineBenchmark extends Benchmark {

    private static final double MOST_NANOS = 1_000;
    private static final double MOST_BYTES = 1_280;

    @Override
    String measure(BenchmarkOptions chosen, Findings found) throws RunnerException {
        List<List<String>> rows = new ArrayList<>();
        for (String kind : List.of("executed", "replayed")) {
            for (Protocol protocol : Protocol.values()) {
                String name = kind + ", " + protocol;
                Jmh.Cost cost = run(kind, protocol, chosen, 1);
                rows.add(row(name, cost));
                found.add("Engine alone", name, "ns", cost.time());
                found.add("Engine alone", name, "bytes", cost.bytes());
                if (kind.equals("executed")) {
                    found.atMost(MOST_NANOS, "ns", name, cost.time());
                    found.atMost(MOST_BYTES, "bytes", name, cost.bytes());
                }
            }
        }
        rows.add(row("making the attempt, with its SHA-256", run("attempt", Protocol.CLAIM_FIRST, chosen, 1)));
        found.tables()
                .add(new Table(
                        "The engine alone, one thread, JMH",
                        List.of("call", "ns", "bytes allocated"),
                        rows,
                        List.of(
                                "Every invocation makes one call for each of " + EngineCalls.KEYS
                                        + " attempts over a store that is new, so the store never grows beyond that.",
                                "The figures include the store's own maps and locks, but not the creation of attempts,"
                                        + " which the last row shows."),
                        Worst.more(2, 1)));
        return Machine.java() + ".";
    }

    private static List<String> row(String name, Jmh.Cost cost) {
        return List.of(name, cost.time().text(0), cost.bytes().text(0));
    }

    /**
     * The cost of one kind of call. With 0 {@code forks} it runs in this process, which is only suitable for trying it
     * out.
     */
    static Jmh.Cost run(String kind, Protocol protocol, BenchmarkOptions chosen, int forks) throws RunnerException {
        BenchmarkProgress.say("engine: " + kind + ", " + protocol);
        ChainedOptionsBuilder options = Jmh.options(EngineCalls.class, kind)
                .param("protocol", protocol.name())
                .forks(forks);
        if (chosen.quick() || chosen.isBrief()) {
            options.warmupIterations(2).warmupTime(TimeValue.milliseconds(200));
            options.measurementIterations(3).measurementTime(TimeValue.milliseconds(200));
        }
        return Jmh.run(options);
    }
}
