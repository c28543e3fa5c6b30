package io.counterpoint.idempotency.benchmarks;

import io.counterpoint.idempotency.benchmarks.Section.Figure;
import io.counterpoint.idempotency.benchmarks.Section.Table;
import io.counterpoint.idempotency.benchmarks.Section.Target;
import io.counterpoint.idempotency.testing.PostgresServer;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import picocli.CommandLine.Command;

/** What is lost where Spring joins: of the share that the protection leaves, and of the replays. */
@Command(
        name = "spring",
        mixinStandardHelpOptions = true,
        description = "a use case with JPA that joins, and replays through @Idempotent, beside the same without Spring")
final class SpringBenchmark extends Benchmark {

    private static final double OF_THE_SHARE = 0.95;
    private static final double OF_THE_REPLAYS = 0.9;
    private static final int KEYS = 256;

    @Override
    Section measure(Options chosen) throws Exception {
        List<Table> tables = new ArrayList<>();
        List<Target> targets = new ArrayList<>();
        List<Figure> figures = new ArrayList<>();
        String machine = "";
        try (PostgresServer server = Machine.startServer()) {
            for (int threads : chosen.threads(LeaderBenchmark.RANKED_BY)) {
                int connections = Database.connectionsFor(threads);
                String where = threads + " callers, pool of " + connections;
                try (Database database = Database.open(server.createDatabase(), connections);
                        Variants variants = new Variants(database);
                        SpringVariants spring = new SpringVariants(database)) {
                    machine = Machine.description(database);
                    Comparison leading = lead(
                            "Leading with Spring, " + where,
                            variants,
                            spring,
                            new Rounds(
                                    "leading with Spring",
                                    threads,
                                    chosen.rounds(),
                                    chosen.seconds(),
                                    Meters.of(database)));
                    Comparison replaying = replay(
                            "Replaying with Spring, " + where,
                            variants,
                            spring,
                            new Rounds(
                                    "replaying with Spring",
                                    threads,
                                    chosen.rounds(),
                                    chosen.seconds(),
                                    Meters.of(database)));
                    tables.add(leading.table());
                    tables.add(replaying.table());
                    figures.addAll(leading.figures(Map.of()));
                    figures.addAll(replaying.figures(Map.of()));
                    targets.addAll(targets(threads, leading.measured()));
                    targets.add(replaying.atLeast(OF_THE_REPLAYS, SpringVariants.ANNOTATED, Variants.CLAIM_FIRST));
                }
            }
        }
        return new Section("Spring", chosen.command("spring"), Machine.now(), machine, targets, tables, figures);
    }

    private static Comparison lead(String title, Variants variants, SpringVariants spring, Rounds rounds)
            throws Exception {
        List<Variant> all = new ArrayList<>(List.of(variants.unprotected(), variants.claimFirst(), variants.single()));
        all.addAll(spring.leaders());
        return new Comparison(title, Variants.UNPROTECTED, all, rounds.lead(all), Map.of());
    }

    private static Comparison replay(String title, Variants variants, SpringVariants spring, Rounds rounds)
            throws Exception {
        List<Variant> all = List.of(variants.claimFirst(), spring.annotated());
        List<String> keys = Keys.fresh(KEYS);
        for (Variant variant : all) {
            for (String key : keys) {
                variant.action().call(key);
            }
        }
        return new Comparison(title, Variants.CLAIM_FIRST, all, rounds.replay(all, Keys.anyOf(keys)), Map.of());
    }

    /** What the protection leaves with Spring, by what it leaves without. */
    private static List<Target> targets(int threads, Measurements measured) {
        return List.of(
                share(threads, measured, SpringVariants.CLAIM_FIRST, Variants.CLAIM_FIRST),
                share(threads, measured, SpringVariants.SINGLE, Variants.SINGLE));
    }

    private static Target share(int threads, Measurements measured, String with, String without) {
        return Target.atLeast(
                OF_THE_SHARE,
                "Leading with Spring, " + threads + " callers: (" + with + " / " + SpringVariants.UNPROTECTED + ") / ("
                        + without + " / " + Variants.UNPROTECTED + ")",
                measured.ratioOfRatios(with, SpringVariants.UNPROTECTED, without, Variants.UNPROTECTED));
    }
}
