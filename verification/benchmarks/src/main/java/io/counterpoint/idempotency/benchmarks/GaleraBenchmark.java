package io.counterpoint.idempotency.benchmarks;

import static io.counterpoint.idempotency.benchmarks.Variants.SELECT;
import static io.counterpoint.idempotency.benchmarks.Variants.UNPROTECTED;

import io.counterpoint.idempotency.benchmarks.Findings.Table;
import io.counterpoint.idempotency.benchmarks.Findings.Worst;
import io.counterpoint.idempotency.programs.CannotRun;
import io.counterpoint.idempotency.testing.GaleraCluster;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.Function;
import picocli.CommandLine.Command;

/**
 * Galera with one, two and three nodes and callers spread over the nodes. All clusters run at once and take turns in
 * the same rounds, so that each ratio compares two turns of one round.
 */
@Command(
        name = "galera",
        header = "Galera",
        description = "on one, two and three nodes of Galera: leading and replaying, and how it grows")
final class GaleraBenchmark extends Benchmark {

    private static final int MOST_NODES = 3;

    @Override
    String measure(BenchmarkOptions chosen, Findings found) throws Exception {
        Optional<String> missing = GaleraCluster.missing();
        if (missing.isPresent()) {
            throw new CannotRun(missing.get());
        }
        List<GaleraVariants> clusters = new ArrayList<>();
        try {
            for (int nodes = 1; nodes <= MOST_NODES; nodes++) {
                BenchmarkProgress.say("Galera: starting " + nodes(nodes));
                clusters.add(GaleraVariants.start(nodes));
            }
            BenchmarkDatabase first = clusters.get(0).database();
            Rounds rounds = new Rounds(chosen, LeaderBenchmark.RANKED_BY, Meters.ofClient(first));
            List<String> keys = Keys.fresh(Keys.KNOWN);
            for (GaleraVariants cluster : clusters) {
                cluster.prepare(keys);
            }
            measure("leading", UNPROTECTED, clusters, GaleraVariants::leaders, rounds, found);
            measure("replaying", SELECT, clusters, cluster -> cluster.replays(Keys.anyOf(keys)), rounds, found);
            return Machine.java() + "; MariaDB " + first.text("SELECT version()")
                    + ", every commit is on the disk of its node before it is answered. All nodes share this machine's"
                    + " processors: more nodes cost more, and no node brings its own.";
        } finally {
            clusters.forEach(GaleraVariants::close);
        }
    }

    private static void measure(
            String what,
            String base,
            List<GaleraVariants> clusters,
            Function<GaleraVariants, List<Variant>> chosen,
            Rounds rounds,
            Findings found)
            throws Exception {
        List<Variant> all = new ArrayList<>();
        for (GaleraVariants cluster : clusters) {
            chosen.apply(cluster).forEach(variant -> all.add(variant.named(on(variant.name(), cluster.size()))));
        }
        Measurements measured = rounds.measure("Galera, " + what, all);
        for (GaleraVariants cluster : clusters) {
            Map<String, List<Sample>> samples = new LinkedHashMap<>();
            List<Variant> variants = chosen.apply(cluster);
            variants.forEach(variant -> samples.put(variant.name(), measured.of(on(variant.name(), cluster.size()))));
            String title = "Galera, " + what + ", " + nodes(cluster.size()) + ", " + LeaderBenchmark.RANKED_BY
                    + " callers in all";
            found.add(new Comparison(title, base, variants, new Measurements(samples), Map.of()));
        }
        found.tables().add(growth(what, chosen.apply(clusters.get(0)), measured));
    }

    private static String nodes(int nodes) {
        return nodes == 1 ? "1 node" : nodes + " nodes";
    }

    /** The name of a variant when several clusters are measured together. */
    private static String on(String variant, int nodes) {
        return variant + ", " + nodes(nodes);
    }

    private static Table growth(String what, List<Variant> variants, Measurements measured) {
        List<String> header = new ArrayList<>(List.of("variant", nodes(1) + ", calls/s"));
        for (int nodes = 2; nodes <= MOST_NODES; nodes++) {
            header.add(nodes(nodes) + ", ratio to " + nodes(1));
        }
        List<List<String>> rows = new ArrayList<>();
        for (Variant variant : variants) {
            String name = variant.name();
            List<String> row = new ArrayList<>(
                    List.of(name, measured.of(on(name, 1), Sample::perSecond).text(0)));
            for (int nodes = 2; nodes <= MOST_NODES; nodes++) {
                row.add(measured.ratio(on(name, nodes), on(name, 1)).text(2));
            }
            rows.add(row);
        }
        return new Table(
                "Galera, " + what + ": how it grows with the nodes",
                header,
                rows,
                List.of(),
                Worst.less(MOST_NODES, 1));
    }
}
