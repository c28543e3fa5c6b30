package io.counterpoint.idempotency.benchmarks;

import static io.counterpoint.idempotency.benchmarks.LeaderBenchmark.RANKED_BY;

import io.counterpoint.idempotency.testing.DelayingProxy;
import io.counterpoint.idempotency.testing.PostgresServer;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.function.Supplier;
import picocli.CommandLine.Command;

/**
 * What matters when you choose: a new key and a replay, compared with the unprotected transaction, a hand-written
 * unique column, and peers.
 */
@Command(
        name = "choose",
        header = "What a call costs",
        description =
                "what a user chooses by: new keys and replays, beside a unique column by hand and peers, local and"
                        + " with a server that is 0.5 ms away, each way")
final class ChooseBenchmark extends Benchmark {

    static final String NAME = "choose";
    static final Duration EACH_WAY = Duration.ofNanos(500_000);
    static final String LOCAL = "local";
    static final String NETWORK = "0.5 ms each way";

    /**
     * Figures that only programs get. The delay is added in the client's process, so its processor time is meaningless
     * there.
     */
    private static final Set<String> LEFT_OUT =
            Set.of("client CPU µs/call", "server CPU µs/call", "index blocks read/call");

    private boolean warm;

    @Override
    String measure(BenchmarkOptions chosen, Findings found) throws Exception {
        List<String> descriptions = new ArrayList<>();
        try (PostgresServer server = Machine.startServer()) {
            Supplier<String> counted = Keys.anyOf(Keys.fresh(1));
            Map<String, Double> roundTrips = RoundTrips.count(
                    database(server),
                    // DBOS's background work would be counted as round trips of other variants.
                    variants -> compared(variants, counted).stream()
                            .sorted(Comparator.comparing(
                                    variant -> variant.name().startsWith(Variants.DBOS)))
                            .toList());
            for (int threads : chosen.threads(RANKED_BY, 64)) {
                descriptions.add(measure(threads, LOCAL, database(server), roundTrips, chosen, found));
                try (DelayingProxy proxy = DelayingProxy.inFrontOf(database(server), EACH_WAY)) {
                    descriptions.add(measure(threads, NETWORK, proxy.jdbcUrl(), roundTrips, chosen, found));
                }
            }
        }
        return descriptions.get(0) + descriptions.get(descriptions.size() - 1);
    }

    /** Limits the wait of duplicates at the unique column, too. */
    private static String database(PostgresServer server) {
        return server.createDatabase("lock_timeout=2s");
    }

    /** New keys, and then replays. The last replay uses the records of another variant, so it must come after that. */
    static List<Variant> compared(Variants variants, Supplier<String> known) {
        List<Variant> all = new ArrayList<>(variants.choice());
        List<Variant> replays =
                all.stream().skip(1).map(variant -> variant.asReplay(known)).toList();
        all.addAll(replays);
        all.add(variants.select().asReplay(known));
        return all;
    }

    static String title(int threads, String place) {
        return threads + " callers, " + place + ", pool of " + BenchmarkDatabase.connectionsFor(threads);
    }

    /** Returns the description of the machine, or the duration of a round trip over the network. */
    private String measure(
            int threads,
            String place,
            String url,
            Map<String, Double> roundTrips,
            BenchmarkOptions chosen,
            Findings found)
            throws Exception {
        String title = title(threads, place);
        try (BenchmarkDatabase database = BenchmarkDatabase.forCallers(threads, url);
                Variants variants = new Variants(database)) {
            List<String> keys = Keys.fresh(Keys.KNOWN);
            List<Variant> all = compared(variants, Keys.anyOf(keys));
            prepare(all, keys);
            Rounds rounds = new Rounds(chosen, threads, Meters.of(database));
            Measurements measured = (warm ? rounds.warm() : rounds).measure(title, all);
            warm = true;
            Comparison comparison = new Comparison(title, Variants.UNPROTECTED, all, measured, roundTrips);
            if (found.tables().isEmpty()) {
                found.tables().add(Comparison.guarantees(variants.choice()));
            }
            found.tables().add(found.tables().size() - 1, comparison.table(LEFT_OUT));
            found.figures().addAll(comparison.figures());
            if (!place.equals(LOCAL)) {
                return roundTrip(database);
            }
            if (threads == RANKED_BY) {
                found.atLeast(0.85, comparison, Variants.RECORD_LAST, Variants.UNPROTECTED);
                found.atLeast(1, comparison, Variants.RECORD_LAST, Variants.SPRING);
            }
            found.atLeast(0.95, comparison, Variant.replay(Variants.CLAIM_FIRST), Variant.replay(Variants.SELECT));
            return Machine.description(database);
        }
    }

    /** Executes some keys with every variant that replays, so that their results exist. */
    static void prepare(List<Variant> all, List<String> keys) throws Exception {
        for (Variant variant : all) {
            for (String key : variant.isReplay() ? keys : List.<String>of()) {
                Variant.Answer unused = variant.action().call(key);
            }
        }
    }

    private static String roundTrip(BenchmarkDatabase database) throws Exception {
        List<Double> micros = new ArrayList<>();
        try (Connection connection = database.pool().getConnection();
                PreparedStatement statement = connection.prepareStatement("SELECT 1")) {
            for (int i = 0; i < 200; i++) {
                long start = System.nanoTime();
                statement.execute();
                micros.add((System.nanoTime() - start) / 1e3);
            }
        }
        return String.format(
                Locale.ROOT,
                " With 0.5 ms each way, a round trip with nothing to do takes %.0f µs.",
                Quartiles.of(micros).median());
    }
}
