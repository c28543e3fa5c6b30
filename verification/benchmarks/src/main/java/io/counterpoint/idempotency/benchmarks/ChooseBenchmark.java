package io.counterpoint.idempotency.benchmarks;

import static io.counterpoint.idempotency.benchmarks.LeaderBenchmark.RANKED_BY;

import io.counterpoint.idempotency.benchmarks.Section.Figure;
import io.counterpoint.idempotency.benchmarks.Section.Table;
import io.counterpoint.idempotency.benchmarks.Section.Target;
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

/** What a user chooses by: a new key and a replay, beside the unprotected transaction, a unique column by hand and peers. */
@Command(
        name = "choose",
        mixinStandardHelpOptions = true,
        description =
                "what a user chooses by: new keys and replays, beside a unique column by hand and peers, local and"
                        + " with a server that is 0.5 ms away, each way")
final class ChooseBenchmark extends Benchmark {

    static final String NAME = "choose";
    static final Duration EACH_WAY = Duration.ofNanos(500_000);
    static final String LOCAL = "local";
    static final String NETWORK = "0.5 ms each way";

    private static final int KEYS = 256;

    /** For programs only. The delay is made in the client's process, so that its processor time means nothing there. */
    private static final Set<String> LEFT_OUT = Set.of(
            "client CPU µs/call", "server CPU µs/call", "server instructions/call, thousand", "index blocks read/call");

    private final List<Table> tables = new ArrayList<>();
    private final List<Target> targets = new ArrayList<>();
    private final List<Figure> figures = new ArrayList<>();
    private String machine = "";
    private String roundTrip = "";
    private boolean warm;

    @Override
    Section measure(Options chosen) throws Exception {
        tables.clear();
        targets.clear();
        figures.clear();
        try (PostgresServer server = Machine.startServer()) {
            List<String> counted = Keys.fresh(1);
            Map<String, Double> roundTrips = RoundTrips.count(
                    database(server),
                    // What DBOS does in the background would be counted as round trips of others.
                    variants -> compared(variants).stream()
                            .sorted(Comparator.comparing(
                                    variant -> variant.name().startsWith(Variants.DBOS)))
                            .toList(),
                    variant -> variant.isReplay() ? Keys.anyOf(counted) : Keys::fresh);
            for (int threads : chosen.threads(RANKED_BY, 64)) {
                measure(threads, LOCAL, database(server), roundTrips, chosen);
                try (DelayingProxy proxy = DelayingProxy.inFrontOf(database(server), EACH_WAY)) {
                    measure(threads, NETWORK, proxy.jdbcUrl(), roundTrips, chosen);
                }
            }
        }
        return new Section(
                "What a call costs",
                chosen.command(NAME),
                Machine.now(),
                machine + roundTrip,
                List.copyOf(targets),
                List.copyOf(tables),
                List.copyOf(figures));
    }

    /** Bounds the wait of a duplicate at the unique column, too. */
    private static String database(PostgresServer server) {
        return server.createDatabase("lock_timeout=2s");
    }

    /** New keys, then replays. The last of them reads the records of another, so it comes after that. */
    static List<Variant> compared(Variants variants) {
        List<Variant> all = new ArrayList<>(variants.choice());
        List<Variant> replays = all.stream().skip(1).map(Variant::replaying).toList();
        all.addAll(replays);
        all.add(variants.select().replaying());
        return all;
    }

    static String title(int threads, String place) {
        return threads + " callers, " + place + ", pool of " + Database.connectionsFor(threads);
    }

    private void measure(int threads, String place, String url, Map<String, Double> roundTrips, Options chosen)
            throws Exception {
        String title = title(threads, place);
        try (Database database = Database.open(url, Database.connectionsFor(threads));
                Variants variants = new Variants(database)) {
            List<Variant> all = compared(variants);
            Supplier<String> known = Keys.anyOf(prepare(all, KEYS));
            Measurements measured = new Rounds(title, threads, chosen.rounds(), chosen.seconds(), Meters.of(database))
                    .warm(warm)
                    .mixed(all, known);
            warm = true;
            Comparison comparison = new Comparison(title, Variants.UNPROTECTED, all, measured, roundTrips);
            if (tables.isEmpty()) {
                machine = Machine.description(database);
                tables.add(Comparison.guarantees(
                        all.stream().filter(variant -> !variant.isReplay()).toList()));
            }
            tables.add(tables.size() - 1, comparison.table(LEFT_OUT));
            figures.addAll(comparison.figures(Map.of()));
            if (place.equals(LOCAL)) {
                targets.addAll(targets(comparison, threads));
            } else {
                roundTrip = roundTrip(database);
            }
        }
    }

    private static List<Target> targets(Comparison comparison, int threads) {
        Target replay = comparison.atLeast(0.95, Variant.replay(Variants.CLAIM_FIRST), Variant.replay(Variants.SELECT));
        return threads != RANKED_BY
                ? List.of(replay)
                : List.of(
                        comparison.atLeast(0.85, Variants.RECORD_LAST, Variants.UNPROTECTED),
                        comparison.atLeast(1, Variants.RECORD_LAST, Variants.SPRING),
                        replay);
    }

    /** Gives each of some keys its answer, from every variant. */
    static List<String> prepare(List<Variant> all, int count) throws Exception {
        List<String> keys = Keys.fresh(count);
        for (Variant variant : all) {
            for (String key : variant.isReplay() ? keys : List.<String>of()) {
                Variant.Answer unused = variant.action().call(key);
            }
        }
        return keys;
    }

    private static String roundTrip(Database database) throws Exception {
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
