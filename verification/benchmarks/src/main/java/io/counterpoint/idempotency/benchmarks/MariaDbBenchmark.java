package io.counterpoint.idempotency.benchmarks;

import static io.counterpoint.idempotency.benchmarks.Variants.SELECT;
import static io.counterpoint.idempotency.benchmarks.Variants.SINGLE_PLANNED;
import static io.counterpoint.idempotency.benchmarks.Variants.UNPROTECTED;

import io.counterpoint.idempotency.benchmarks.Section.Figure;
import io.counterpoint.idempotency.benchmarks.Section.Table;
import io.counterpoint.idempotency.benchmarks.Section.Target;
import io.counterpoint.idempotency.mariadb.MariaDbDialect;
import io.counterpoint.idempotency.testing.MariaDbServer;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import picocli.CommandLine.Command;

/** MariaDB: leading with a plan beside its floor by hand, and replaying beside one SELECT by primary key. */
@Command(
        name = "mariadb",
        mixinStandardHelpOptions = true,
        description = "on MariaDB: leading and replaying, beside SQL by hand and one SELECT by primary key")
final class MariaDbBenchmark extends Benchmark {

    private static final double OF_BY_HAND = 0.8;
    private static final double OF_SELECT = 0.9;
    private static final int KEYS = 256;

    /** As with PostgreSQL, every commit is on the disk before it is answered. */
    private static final String SYNC = "--innodb-flush-method=fsync";

    @Override
    Section measure(Options chosen) throws Exception {
        List<Table> tables = new ArrayList<>();
        List<Target> targets = new ArrayList<>();
        List<Figure> figures = new ArrayList<>();
        String machine = "";
        int threads = LeaderBenchmark.RANKED_BY;
        int connections = Database.connectionsFor(threads);
        String where = threads + " callers, pool of " + connections;
        try (MariaDbServer server = MariaDbServer.start(SYNC, "--innodb-buffer-pool-size=256M");
                Database database = Database.open(
                        // MySQL's own driver binds no UUID.
                        server.createDatabase().replace("jdbc:mysql:", "jdbc:mariadb:") + MariaDbVariants.DRIVER,
                        connections)) {
            machine = Machine.java() + "; " + database.text("SELECT @@version_comment") + " "
                    + database.text("SELECT version()")
                    + ", every commit is on the disk before it is answered, otherwise small, on the same machine.";
            MariaDbVariants variants = new MariaDbVariants(
                    database, MariaDbServer.startsMySql() ? MariaDbDialect.mySql() : MariaDbDialect.mariaDb());
            for (Comparison comparison : List.of(
                    lead("MariaDB, leading, " + where, variants, rounds(chosen, where, database)),
                    replay("MariaDB, replaying, " + where, variants, rounds(chosen, where, database)))) {
                tables.add(comparison.table());
                figures.addAll(comparison.figures(Map.of()));
                targets.add(
                        comparison.base().equals(SELECT)
                                ? comparison.atLeast(OF_SELECT, SINGLE_PLANNED, SELECT)
                                : comparison.atLeast(OF_BY_HAND, SINGLE_PLANNED, Variants.byHand(SINGLE_PLANNED)));
            }
        }
        return new Section("MariaDB", chosen.command("mariadb"), Machine.now(), machine, targets, tables, figures);
    }

    private static Rounds rounds(Options chosen, String title, Database database) {
        return new Rounds(
                "MariaDB, " + title,
                LeaderBenchmark.RANKED_BY,
                chosen.rounds(),
                chosen.seconds(),
                Meters.ofClient(database));
    }

    private static Comparison lead(String title, MariaDbVariants variants, Rounds rounds) throws Exception {
        List<Variant> all = variants.leaders();
        return new Comparison(title, UNPROTECTED, all, rounds.lead(all), Map.of());
    }

    private static Comparison replay(String title, MariaDbVariants variants, Rounds rounds) throws Exception {
        List<String> keys = Keys.fresh(KEYS);
        for (String key : keys) {
            variants.planned().action().call(key);
        }
        List<Variant> all = variants.replays();
        return new Comparison(title, SELECT, all, rounds.replay(all, Keys.anyOf(keys)), Map.of());
    }
}
