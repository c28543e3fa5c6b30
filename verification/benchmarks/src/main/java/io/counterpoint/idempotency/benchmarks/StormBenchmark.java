package io.counterpoint.idempotency.benchmarks;

import io.counterpoint.idempotency.Operation;
import io.counterpoint.idempotency.benchmarks.Findings.Table;
import io.counterpoint.idempotency.benchmarks.Findings.Worst;
import io.counterpoint.idempotency.benchmarks.Variant.Answer;
import io.counterpoint.idempotency.jdbc.JdbcIdempotencyStore;
import io.counterpoint.idempotency.testing.PostgresServer;
import java.sql.Connection;
import java.sql.Statement;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.UUID;
import java.util.function.Function;
import picocli.CommandLine.Command;

/** Many concurrent callers of the same key: one effect, a response for everybody, and room for all other keys. */
@Command(
        name = "storm",
        header = "Storm",
        description = "256 callers of one key, and what the callers of other keys notice of it")
final class StormBenchmark extends Benchmark {

    static final int CALLERS = 256;
    static final int CONNECTIONS = 10;
    private static final int OTHERS = 4;
    private static final double OTHERS_BOUND = 0.8;
    private static final Duration WAIT = Duration.ofSeconds(1);
    private static final int CALLERS_OF_MANY_KEYS = 64;
    private static final int MANY_KEYS = 100;
    private static final int MANY_KEYS_QUICK = 10;

    @Override
    String measure(BenchmarkOptions chosen, Findings found) throws Exception {
        List<List<String>> storms = new ArrayList<>();
        List<List<String>> manyKeys = new ArrayList<>();
        try (PostgresServer server = Machine.startServer();
                BenchmarkDatabase database = BenchmarkDatabase.open(server.createDatabase(), CONNECTIONS)) {
            LibraryVariant ours = oursIn(database);
            for (Variant variant : variants(ours, "slow", StormBenchmark::slowly)) {
                Neighbours neighbours = Neighbours.during(database, variant, others(ours), chosen.rounds(), CALLERS);
                storms.add(neighbours.row());
                found.atLeast(
                        OTHERS_BOUND, "other keys during a storm / before, " + variant.name(), neighbours.ratio());
                found.add(
                        "Other keys: throughput during a storm to that before",
                        variant.name(),
                        "ratio",
                        neighbours.ratio());
            }
            for (Variant variant : variants(ours, "many", StormBenchmark::atOnce)) {
                BenchmarkProgress.say("storm over many keys: " + variant.name());
                manyKeys.add(overManyKeys(database, variant, chosen.quick() ? MANY_KEYS_QUICK : MANY_KEYS));
            }
            found.tables().add(ofOneKey(storms));
            found.tables().add(ofManyKeys(manyKeys));
            return Machine.description(database);
        }
    }

    private static Table ofOneKey(List<List<String>> storms) {
        return new Table(
                CALLERS + " callers of one fresh key, pool of " + CONNECTIONS + ", the work takes 200 ms",
                List.of(
                        "protocol",
                        "effects",
                        "executed / replayed / in progress",
                        "wait p50, ms",
                        "p99",
                        "max",
                        "other keys, calls/s before",
                        "during / before"),
                storms,
                List.of("Other keys have " + OTHERS + " callers, who share the pool. Each storm is compared with the"
                        + " time of the same length before it."),
                Worst.less(7, 6));
    }

    private static Table ofManyKeys(List<List<String>> storms) {
        return new Table(
                CALLERS_OF_MANY_KEYS + " callers of each of many keys, all in the same order, pool of " + CONNECTIONS,
                List.of(
                        "protocol",
                        "keys",
                        "effects",
                        "executed / replayed / in progress",
                        "wait p50, ms",
                        "p99",
                        "max"),
                storms,
                List.of(),
                Worst.more(5, 4));
    }

    static LibraryVariant oursIn(BenchmarkDatabase database) {
        return new LibraryVariant(JdbcIdempotencyStore.on(database.pool()).createTableIfMissing());
    }

    static Variant others(LibraryVariant ours) {
        return new Variant("others", ours.unplanned("others"));
    }

    /** Three protocols; the names of their operations have a common prefix. */
    static List<Variant> variants(
            LibraryVariant ours, String name, Function<Operation.Builder<Connection, UUID>, Variant.Action> work) {
        return List.of(
                new Variant("CLAIM_FIRST", work.apply(ours.operation(name + "-first"))),
                new Variant(
                        "CLAIM_FIRST, waits up to 1 s",
                        work.apply(ours.operation(name + "-waiting").waitAtMost(WAIT))),
                new Variant(
                        "SINGLE_TRANSACTION",
                        work.apply(ours.operation(name + "-single").protocol(Operation.Protocol.SINGLE_TRANSACTION))));
    }

    private static Variant.Action atOnce(Operation.Builder<Connection, UUID> operation) {
        return LibraryVariant.unplanned(operation.build(), LibraryVariant::attempt);
    }

    /** With slow work. */
    static Variant.Action slowly(Operation.Builder<Connection, UUID> operation) {
        var built = operation.build();
        return key -> LibraryVariant.answer(built.execute(LibraryVariant.attempt(key), connection -> {
            UUID id = Domain.newGroupId();
            Domain.createGroup(connection, id);
            try (Statement statement = connection.createStatement()) {
                statement.execute("SELECT pg_sleep(0.2)");
            }
            return id;
        }));
    }

    private static List<String> overManyKeys(BenchmarkDatabase database, Variant variant, int count) throws Exception {
        long before = groups(database);
        Storm storm = Storm.of(variant, CALLERS_OF_MANY_KEYS, Keys.fresh(count), () -> {});
        requireEffects(count, groups(database) - before, variant);
        List<String> row = new ArrayList<>(List.of(variant.name(), String.valueOf(count), String.valueOf(count)));
        row.addAll(storm.cells());
        return row;
    }

    private static long groups(BenchmarkDatabase database) {
        return database.number("SELECT count(*) FROM chat_group");
    }

    private static void requireEffects(long keys, long effects, Variant variant) {
        HandWrittenSql.require(effects == keys, variant.name() + ": " + effects + " effects of " + keys + " keys");
    }

    /** The throughput of callers of other keys before and during storms; each key had one effect. */
    record Neighbours(String name, List<Storm> storms, List<Double> before, List<Double> during) {

        /** Runs storms of new keys one after another, during a continuous load. */
        static Neighbours during(BenchmarkDatabase database, Variant variant, Variant others, int storms, int callers)
                throws Exception {
            Neighbours found = new Neighbours(variant.name(), new ArrayList<>(), new ArrayList<>(), new ArrayList<>());
            long groups = groups(database);
            try (Load load = new Load(others, Callers.threads(OTHERS))) {
                for (int i = 0; i <= storms; i++) {
                    BenchmarkProgress.say("storm " + i + " of " + storms + ": " + variant.name());
                    Thread.sleep(100);
                    Load.Rate quiet = load.rateFromNow();
                    Thread.sleep(300);
                    double perSecond = quiet.perSecond();
                    Load.Rate[] stormy = {quiet};
                    Storm storm = Storm.of(variant, callers, Keys.fresh(1), () -> stormy[0] = load.rateFromNow());
                    // The first storm is a warm-up.
                    if (i > 0) {
                        found.storms.add(storm);
                        found.before.add(perSecond);
                        found.during.add(stormy[0].perSecond());
                    }
                    HandWrittenSql.require(
                            storm.count(Answer.EXECUTED) == 1,
                            variant.name() + ": not one executed, but " + storm.answers());
                }
                load.stop();
                requireEffects(storms + 1, groups(database) - groups - load.calls(), variant);
            }
            return found;
        }

        Quartiles ratio() {
            return Quartiles.of(Measurements.quotients(during, before));
        }

        List<String> row() {
            List<String> row = new ArrayList<>(List.of(name, "1 per key"));
            row.addAll(Storm.all(storms).cells());
            row.add(Quartiles.of(before).text(0));
            row.add(ratio().text(2));
            return row;
        }
    }
}
