package io.counterpoint.idempotency.benchmarks;

import io.counterpoint.idempotency.Operation;
import io.counterpoint.idempotency.benchmarks.Section.Figure;
import io.counterpoint.idempotency.benchmarks.Section.Table;
import io.counterpoint.idempotency.benchmarks.Section.Target;
import io.counterpoint.idempotency.benchmarks.Section.Worst;
import io.counterpoint.idempotency.benchmarks.Variant.Answer;
import io.counterpoint.idempotency.jdbc.JdbcIdempotencyStore;
import io.counterpoint.idempotency.testing.PostgresServer;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.UUID;
import picocli.CommandLine.Command;

/** Many callers with the same key at once: one effect, an answer for everybody, and room for all other keys. */
@Command(
        name = "storm",
        mixinStandardHelpOptions = true,
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
    Section measure(Options chosen) throws Exception {
        List<List<String>> storms = new ArrayList<>();
        List<List<String>> manyKeys = new ArrayList<>();
        List<Target> targets = new ArrayList<>();
        List<Figure> figures = new ArrayList<>();
        String machine;
        try (PostgresServer server = Machine.startServer();
                Database database = Database.open(server.createDatabase(), CONNECTIONS)) {
            machine = Machine.description(database);
            LibraryVariant ours = oursIn(database);
            Variant others = others(ours);
            for (Variant variant : slow(ours).values()) {
                Progress.say("storm: " + variant.name());
                Neighbours neighbours = Neighbours.during(database, variant, others, chosen.rounds(), CALLERS);
                storms.add(neighbours.row());
                targets.add(Target.atLeast(
                        OTHERS_BOUND, "other keys during a storm / before, " + variant.name(), neighbours.ratio()));
                figures.add(new Figure(
                        "Other keys: throughput during a storm to that before",
                        variant.name(),
                        "ratio",
                        neighbours.ratio(),
                        OTHERS_BOUND));
            }
            for (Variant variant : quick(ours)) {
                Progress.say("storm over many keys: " + variant.name());
                manyKeys.add(overManyKeys(database, variant, chosen.quick() ? MANY_KEYS_QUICK : MANY_KEYS));
            }
        }
        Table one = new Table(
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
                List.of("Other keys have " + OTHERS
                        + " callers, who share the pool. Each storm is compared with the time"
                        + " of the same length before it."),
                Worst.less(7, 6));
        Table many = new Table(
                CALLERS_OF_MANY_KEYS + " callers of each of many keys, all in the same order, pool of " + CONNECTIONS,
                List.of(
                        "protocol",
                        "keys",
                        "effects",
                        "executed / replayed / in progress",
                        "wait p50, ms",
                        "p99",
                        "max"),
                manyKeys,
                List.of(),
                Worst.more(5, 4));
        return new Section(
                "Storm", chosen.command("storm"), Machine.now(), machine, targets, List.of(one, many), figures);
    }

    static LibraryVariant oursIn(Database database) {
        return new LibraryVariant(JdbcIdempotencyStore.on(database.pool()).createTableIfMissing());
    }

    static Variant others(LibraryVariant ours) {
        return new Variant(
                "others",
                null,
                "",
                LibraryVariant.unplanned(ours.operation("others").build()));
    }

    /** Protocols with work that takes a while, by a name for the operation. */
    static Map<String, Variant> slow(LibraryVariant ours) {
        Map<String, Variant> slow = new LinkedHashMap<>();
        slow.put("slow-first", variant("CLAIM_FIRST", slowly(ours.operation("slow-first"))));
        slow.put(
                "slow-waiting",
                variant(
                        "CLAIM_FIRST, waits up to 1 s",
                        slowly(ours.operation("slow-waiting").waitAtMost(WAIT))));
        slow.put(
                "slow-single",
                variant(
                        "SINGLE_TRANSACTION",
                        slowly(ours.operation("slow-single").protocol(Operation.Protocol.SINGLE_TRANSACTION))));
        return slow;
    }

    private static List<Variant> quick(LibraryVariant ours) {
        return List.of(
                variant(
                        "CLAIM_FIRST",
                        LibraryVariant.unplanned(ours.operation("many-first").build())),
                variant(
                        "CLAIM_FIRST, waits up to 1 s",
                        LibraryVariant.unplanned(
                                ours.operation("many-waiting").waitAtMost(WAIT).build())),
                variant(
                        "SINGLE_TRANSACTION",
                        LibraryVariant.unplanned(ours.operation("many-single")
                                .protocol(Operation.Protocol.SINGLE_TRANSACTION)
                                .build())));
    }

    private static Variant variant(String name, Variant.Action action) {
        return new Variant(name, null, "", action);
    }

    private static Variant.Action slowly(Operation.Builder<Connection, UUID> operation) {
        var built = operation.build();
        return key -> LibraryVariant.answer(built.execute(LibraryVariant.attempt(key), connection -> {
            UUID id = Domain.newGroupId();
            Domain.createGroup(connection, id);
            takeTime(connection);
            return id;
        }));
    }

    private static void takeTime(Connection connection) throws SQLException {
        try (Statement statement = connection.createStatement()) {
            statement.execute("SELECT pg_sleep(0.2)");
        }
    }

    private static List<String> overManyKeys(Database database, Variant variant, int count) throws Exception {
        long before = database.number("SELECT count(*) FROM chat_group");
        Storm storm = Storm.of(variant, CALLERS_OF_MANY_KEYS, Keys.fresh(count), () -> {});
        long effects = database.number("SELECT count(*) FROM chat_group") - before;
        if (effects != count) {
            throw new IllegalStateException(variant.name() + ": " + effects + " effects of " + count + " keys");
        }
        List<String> row = new ArrayList<>(List.of(variant.name(), String.valueOf(count), String.valueOf(effects)));
        row.addAll(cells(storm));
        return row;
    }

    private static List<String> cells(Storm storm) {
        return List.of(
                storm.count(Answer.EXECUTED) + " / " + storm.count(Answer.REPLAYED) + " / "
                        + storm.count(Answer.IN_PROGRESS),
                decimal(storm.millis(0.5)),
                decimal(storm.millis(0.99)),
                decimal(storm.millis(1)));
    }

    private static String decimal(double value) {
        return String.format(Locale.ROOT, "%.1f", value);
    }

    /** What the callers of other keys got done before storms and during them. */
    record Neighbours(String name, List<Storm> storms, List<Double> before, List<Double> ratios, long effects) {

        /** Storms of fresh keys, one after the other, beside a load that goes on. */
        static Neighbours during(Database database, Variant variant, Variant others, int storms, int callers)
                throws Exception {
            List<Storm> all = new ArrayList<>();
            List<Double> before = new ArrayList<>();
            List<Double> ratios = new ArrayList<>();
            long groups = database.number("SELECT count(*) FROM chat_group");
            long otherCalls;
            try (Load load = Load.start(others, OTHERS, Keys::fresh, Answer.EXECUTED)) {
                for (int i = 0; i <= storms; i++) {
                    Progress.say("storm " + i + " of " + storms + ": " + variant.name());
                    Thread.sleep(100);
                    Load.Rate quiet = load.rateFromNow();
                    Thread.sleep(300);
                    double perSecond = quiet.perSecond();
                    Load.Rate[] stormy = {quiet};
                    Storm storm = Storm.of(variant, callers, Keys.fresh(1), () -> stormy[0] = load.rateFromNow());
                    double ratio = stormy[0].perSecond() / perSecond;
                    // The first one warms up.
                    if (i > 0) {
                        all.add(storm);
                        before.add(perSecond);
                        ratios.add(ratio);
                    }
                    if (storm.count(Answer.EXECUTED) != 1) {
                        throw new IllegalStateException(variant.name() + ": not one executed, but " + storm.answers());
                    }
                }
                load.stop();
                otherCalls = load.calls();
            }
            long effects = database.number("SELECT count(*) FROM chat_group") - groups - otherCalls;
            if (effects != storms + 1) {
                throw new IllegalStateException(
                        variant.name() + ": " + effects + " effects of " + (storms + 1) + " keys");
            }
            return new Neighbours(variant.name(), all, before, ratios, effects / (storms + 1));
        }

        Quartiles ratio() {
            return Quartiles.of(ratios);
        }

        List<String> row() {
            List<String> row = new ArrayList<>(List.of(name, effects + " per key"));
            row.addAll(cells(Storm.all(storms)));
            row.add(Quartiles.of(before).text(0));
            row.add(ratio().text(2));
            return row;
        }
    }
}
