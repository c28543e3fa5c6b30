package io.counterpoint.idempotency.benchmarks;

import io.counterpoint.idempotency.benchmarks.Variant.Action;
import io.counterpoint.idempotency.mariadb.MariaDbDialect;
import io.counterpoint.idempotency.testing.GaleraCluster;
import io.counterpoint.idempotency.testing.GaleraNode;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Supplier;
import java.util.stream.IntStream;

/** The variants in {@link MariaDbVariants} on one cluster. Successive calls go to successive nodes. */
final class GaleraVariants implements AutoCloseable {

    private final GaleraCluster cluster;
    private final List<BenchmarkDatabase> databases = new ArrayList<>();
    private final List<MariaDbVariants> nodes = new ArrayList<>();

    private GaleraVariants(GaleraCluster cluster) {
        this.cluster = cluster;
        for (GaleraNode node : cluster.nodes()) {
            BenchmarkDatabase database =
                    BenchmarkDatabase.forCallers(LeaderBenchmark.RANKED_BY, node.jdbcUrl() + MariaDbVariants.DRIVER);
            databases.add(database);
            nodes.add(new MariaDbVariants(database, MariaDbDialect.galera()));
        }
    }

    /** Starts a cluster with a number of nodes, and a pool for each. */
    static GaleraVariants start(int nodes) {
        GaleraCluster cluster = GaleraCluster.start(nodes);
        try {
            return new GaleraVariants(cluster);
        } catch (RuntimeException e) {
            cluster.close();
            throw e;
        }
    }

    /** Combines the variants of all nodes, which have the same order on each node. */
    private List<Variant> spread(List<List<Variant>> ofEachNode) {
        return IntStream.range(0, ofEachNode.get(0).size())
                .mapToObj(i -> spread(
                        ofEachNode.get(0).get(i),
                        ofEachNode.stream().map(node -> node.get(i).action()).toList()))
                .toList();
    }

    private Variant spread(Variant variant, List<Action> ofEachNode) {
        AtomicInteger next = new AtomicInteger();
        return variant.by(key -> ofEachNode
                .get(Math.floorMod(next.getAndIncrement(), ofEachNode.size()))
                .call(key));
    }

    int size() {
        return cluster.nodes().size();
    }

    /** The database on the first node. */
    BenchmarkDatabase database() {
        return databases.get(0);
    }

    /** Creates a record for each key, and waits until every node has it. */
    void prepare(List<String> keys) throws Exception {
        for (MariaDbVariants node : nodes) {
            Action planned = node.planned().action();
            for (String key : keys) {
                planned.call(key);
            }
        }
    }

    /** The variants in {@link MariaDbVariants#leaders}. */
    List<Variant> leaders() {
        return spread(nodes.stream().map(MariaDbVariants::leaders).toList());
    }

    /** The variants in {@link MariaDbVariants#replays}. */
    List<Variant> replays(Supplier<String> known) {
        return spread(nodes.stream().map(node -> node.replays(known)).toList());
    }

    @Override
    public void close() {
        try {
            databases.forEach(BenchmarkDatabase::close);
        } finally {
            cluster.close();
        }
    }
}
