package io.counterpoint.idempotency.benchmarks;

import io.counterpoint.idempotency.testing.PostgresServer;
import java.util.ArrayList;
import java.util.List;
import picocli.CommandLine.Command;

/** The cost of joining Spring's transactions, for leading and for replaying. */
@Command(
        name = "spring",
        header = "Spring",
        description = "a use case with JPA that joins, and replays through @Idempotent, beside the same without Spring")
final class SpringBenchmark extends Benchmark {

    private static final double OF_THE_SHARE = 0.95;
    private static final double OF_THE_REPLAYS = 0.9;

    @Override
    String measure(BenchmarkOptions chosen, Findings found) throws Exception {
        String machine = "";
        try (PostgresServer server = Machine.startServer()) {
            for (int threads : chosen.threads(LeaderBenchmark.RANKED_BY)) {
                try (BenchmarkDatabase database = BenchmarkDatabase.forCallers(threads, server.createDatabase());
                        Variants variants = new Variants(database);
                        SpringVariants spring = new SpringVariants(database)) {
                    machine = Machine.description(database);
                    Rounds rounds = new Rounds(chosen, threads, Meters.of(database));
                    List<Variant> leaders =
                            new ArrayList<>(List.of(variants.unprotected(), variants.claimFirst(), variants.single()));
                    leaders.addAll(spring.leaders());
                    Comparison leading = rounds.compare("Leading with Spring", Variants.UNPROTECTED, leaders);
                    List<String> keys = Keys.fresh(Keys.KNOWN);
                    List<Variant> replays = List.of(
                            variants.claimFirst().replaying(Keys.anyOf(keys)),
                            spring.annotated().replaying(Keys.anyOf(keys)));
                    ChooseBenchmark.prepare(replays, keys);
                    Comparison replaying = rounds.compare("Replaying with Spring", Variants.CLAIM_FIRST, replays);
                    found.add(leading);
                    found.add(replaying);
                    addShare(threads, leading, SpringVariants.CLAIM_FIRST, Variants.CLAIM_FIRST, found);
                    addShare(threads, leading, SpringVariants.SINGLE, Variants.SINGLE, found);
                    found.atLeast(OF_THE_REPLAYS, replaying, SpringVariants.ANNOTATED, Variants.CLAIM_FIRST);
                }
            }
        }
        return machine;
    }

    /** The ratio to the unprotected transaction with Spring, divided by the same ratio without Spring. */
    private static void addShare(int threads, Comparison leading, String with, String without, Findings found) {
        found.atLeast(
                OF_THE_SHARE,
                "Leading with Spring, " + threads + " callers: (" + with + " / " + SpringVariants.UNPROTECTED + ") / ("
                        + without + " / " + Variants.UNPROTECTED + ")",
                leading.measured().ratioOfRatios(with, SpringVariants.UNPROTECTED, without, Variants.UNPROTECTED));
    }
}
