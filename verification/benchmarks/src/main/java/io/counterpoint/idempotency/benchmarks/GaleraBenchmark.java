package io.counterpoint.idempotency.benchmarks;

import static io.counterpoint.idempotency.benchmarks.Variants.SELECT;
import static io.counterpoint.idempotency.benchmarks.Variants.UNPROTECTED;

import io.counterpoint.idempotency.benchmarks.Section.Figure;
import io.counterpoint.idempotency.benchmarks.Section.Table;
import io.counterpoint.idempotency.benchmarks.Section.Worst;
import io.counterpoint.idempotency.programs.CannotRun;
import io.counterpoint.idempotency.testing.GaleraCluster;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import picocli.CommandLine.Command;

/**
 * Galera with one, two and three nodes, whose callers are spread over the nodes. All clusters run at once, and have their
 * turns in the same rounds, so that each ratio compares two turns of one round.
 */
@Command(
        name = "galera",
        mixinStandardHelpOptions = true,
        description = "on one, two and three nodes of Galera: leading and replaying, and how it grows")
final class GaleraBenchmark extends Benchmark {

    private static final int MOST_NODES = 3;
    private static final int KEYS = 256;

    @Override
    Section measure(Options chosen) throws Exception {
        Optional<String> missing = GaleraCluster.missing();
        if (missing.isPresent()) {
            throw new CannotRun(missing.get());
        }
        List<GaleraVariants> clusters = new ArrayList<>();
        try {
            for (int nodes = 1; nodes <= MOST_NODES; nodes++) {
                Progress.say("Galera: starting " + nodes(nodes));
                clusters.add(GaleraVariants.start(nodes));
            }
            return measure(chosen, clusters);
        } finally {
            clusters.forEach(GaleraVariants::close);
        }
    }

    private static Section measure(Options chosen, List<GaleraVariants> clusters) throws Exception {
        Database first = clusters.get(0).database();
        List<Variant> leaders = new ArrayList<>();
        List<Variant> replays = new ArrayList<>();
        List<String> keys = Keys.fresh(KEYS);
        for (GaleraVariants cluster : clusters) {
            cluster.prepare(keys);
            leaders.addAll(cluster.leaders());
            replays.addAll(cluster.replays());
        }
        Measurements led = rounds(chosen, "leading", first).lead(leaders);
        Measurements replayed = rounds(chosen, "replaying", first).replay(replays, Keys.anyOf(keys));
        List<Table> tables = new ArrayList<>();
        List<Figure> figures = new ArrayList<>();
        for (GaleraVariants cluster : clusters) {
            for (Comparison comparison : List.of(
                    compare("leading", UNPROTECTED, cluster, cluster.leaders(), led),
                    compare("replaying", SELECT, cluster, cluster.replays(), replayed))) {
                tables.add(comparison.table());
                figures.addAll(comparison.figures(Map.of()));
            }
        }
        tables.add(growth("leading", clusters.get(0).leaders(), led));
        tables.add(growth("replaying", clusters.get(0).replays(), replayed));
        return new Section(
                "Galera",
                chosen.command("galera"),
                Machine.now(),
                Machine.java() + "; MariaDB " + first.text("SELECT version()")
                        + ", every commit is on the disk of its node before it is answered. All nodes share this machine's"
                        + " processors: more nodes cost more, and no node brings its own.",
                List.of(),
                tables,
                figures);
    }

    private static Rounds rounds(Options chosen, String what, Database database) {
        return new Rounds(
                "Galera, " + what,
                LeaderBenchmark.RANKED_BY,
                chosen.rounds(),
                chosen.seconds(),
                Meters.ofClient(database));
    }

    static String nodes(int nodes) {
        return nodes == 1 ? "1 node" : nodes + " nodes";
    }

    /** One cluster's variants by the names that they have elsewhere. */
    private static Comparison compare(
            String what, String base, GaleraVariants cluster, List<Variant> variants, Measurements measured) {
        Map<String, List<Sample>> samples = new LinkedHashMap<>();
        List<Variant> renamed = new ArrayList<>();
        for (Variant variant : variants) {
            Variant plain = cluster.plain(variant);
            samples.put(plain.name(), measured.of(variant.name()));
            renamed.add(plain);
        }
        String title =
                "Galera, " + what + ", " + nodes(cluster.size()) + ", " + LeaderBenchmark.RANKED_BY + " callers in all";
        return new Comparison(title, base, renamed, new Measurements(samples), Map.of());
    }

    private static Table growth(String what, List<Variant> ofOneNode, Measurements measured) {
        List<String> header = new ArrayList<>(List.of("variant", nodes(1) + ", calls/s"));
        for (int nodes = 2; nodes <= MOST_NODES; nodes++) {
            header.add(nodes(nodes) + ", ratio to " + nodes(1));
        }
        List<List<String>> rows = new ArrayList<>();
        for (Variant variant : ofOneNode) {
            String plain = GaleraVariants.plain(variant.name(), 1);
            List<String> row = new ArrayList<>(
                    List.of(plain, measured.perSecond(variant.name()).text(0)));
            for (int nodes = 2; nodes <= MOST_NODES; nodes++) {
                row.add(measured.ratio(GaleraVariants.on(plain, nodes), variant.name())
                        .text(2));
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
