package io.counterpoint.idempotency.benchmarks;

import io.counterpoint.idempotency.benchmarks.Variant.Action;
import io.counterpoint.idempotency.mariadb.MariaDbDialect;
import io.counterpoint.idempotency.testing.GaleraCluster;
import io.counterpoint.idempotency.testing.GaleraNode;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.IntStream;

/** The variants of {@link MariaDbVariants} on one cluster. One call after the other goes to the next node. */
final class GaleraVariants implements AutoCloseable {

    private final GaleraCluster cluster;
    private final List<Database> databases = new ArrayList<>();
    private final List<MariaDbVariants> nodes = new ArrayList<>();
    private final List<Variant> leaders;
    private final List<Variant> replays;

    private GaleraVariants(GaleraCluster cluster) {
        this.cluster = cluster;
        for (GaleraNode node : cluster.nodes()) {
            Database database = Database.open(
                    node.jdbcUrl() + MariaDbVariants.DRIVER, Database.connectionsFor(LeaderBenchmark.RANKED_BY));
            databases.add(database);
            nodes.add(new MariaDbVariants(database, MariaDbDialect.galera()));
        }
        this.leaders = spread(nodes.stream().map(MariaDbVariants::leaders).toList());
        this.replays = spread(nodes.stream().map(MariaDbVariants::replays).toList());
    }

    /** Starts a cluster of so many nodes, with a pool for each. */
    static GaleraVariants start(int nodes) {
        GaleraCluster cluster = GaleraCluster.start(nodes);
        try {
            return new GaleraVariants(cluster);
        } catch (RuntimeException e) {
            cluster.close();
            throw e;
        }
    }

    /** What a variant is called where several clusters are measured together. */
    static String on(String variant, int nodes) {
        return variant + suffix(nodes);
    }

    /** The opposite of {@link #on}. */
    static String plain(String name, int nodes) {
        return name.substring(0, name.length() - suffix(nodes).length());
    }

    private static String suffix(int nodes) {
        return ", " + GaleraBenchmark.nodes(nodes);
    }

    /** The same variant by the name that it has elsewhere. */
    Variant plain(Variant variant) {
        return new Variant(plain(variant.name(), size()), variant.floor(), variant.guarantee(), variant.action());
    }

    /** The same variants of all nodes, in the same order on each. */
    private List<Variant> spread(List<List<Variant>> ofEachNode) {
        return IntStream.range(0, ofEachNode.get(0).size())
                .mapToObj(i -> spread(
                        ofEachNode.get(0).get(i),
                        ofEachNode.stream().map(node -> node.get(i).action()).toList()))
                .toList();
    }

    private Variant spread(Variant variant, List<Action> ofEachNode) {
        AtomicInteger next = new AtomicInteger();
        return new Variant(
                on(variant.name(), size()),
                variant.floor(),
                variant.guarantee(),
                key -> ofEachNode
                        .get(Math.floorMod(next.getAndIncrement(), ofEachNode.size()))
                        .call(key));
    }

    int size() {
        return cluster.nodes().size();
    }

    /** That of the first node. */
    Database database() {
        return databases.get(0);
    }

    /** Gives each key its record, and waits until every node has it. */
    void prepare(List<String> keys) throws Exception {
        for (MariaDbVariants node : nodes) {
            Action planned = node.planned().action();
            for (String key : keys) {
                planned.call(key);
            }
        }
    }

    /** Each is one of {@link MariaDbVariants#leaders}, named by {@link #on}. */
    List<Variant> leaders() {
        return leaders;
    }

    /** Each is one of {@link MariaDbVariants#replays}, named by {@link #on}. */
    List<Variant> replays() {
        return replays;
    }

    @Override
    public void close() {
        try {
            databases.forEach(Database::close);
        } finally {
            cluster.close();
        }
    }
}
