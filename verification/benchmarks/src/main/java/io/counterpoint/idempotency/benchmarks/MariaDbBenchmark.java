package io.counterpoint.idempotency.benchmarks;

import static io.counterpoint.idempotency.benchmarks.Variants.SELECT;
import static io.counterpoint.idempotency.benchmarks.Variants.SINGLE_PLANNED;
import static io.counterpoint.idempotency.benchmarks.Variants.UNPROTECTED;

import io.counterpoint.idempotency.mariadb.MariaDbDialect;
import io.counterpoint.idempotency.testing.MariaDbServer;
import java.util.List;
import picocli.CommandLine.Command;

/**
 * MariaDB: leading with a plan compared with its hand-written floor, and replaying compared with one SELECT by primary
 * key.
 */
@Command(
        name = "mariadb",
        header = "MariaDB",
        description = "on MariaDB: leading and replaying, beside SQL by hand and one SELECT by primary key")
final class MariaDbBenchmark extends Benchmark {

    private static final double OF_BY_HAND = 0.8;
    private static final double OF_SELECT = 0.9;

    /** As with PostgreSQL, every commit is on disk before it is acknowledged. */
    static final String[] SETTINGS = {"--innodb-flush-method=fsync", "--innodb-buffer-pool-size=256M"};

    @Override
    String measure(BenchmarkOptions chosen, Findings found) throws Exception {
        try (MariaDbServer server = MariaDbServer.start(SETTINGS);
                BenchmarkDatabase database = BenchmarkDatabase.forCallers(
                        LeaderBenchmark.RANKED_BY,
                        // MySQL's own driver cannot bind a UUID.
                        server.createDatabase().replace("jdbc:mysql:", "jdbc:mariadb:") + MariaDbVariants.DRIVER)) {
            MariaDbVariants variants = new MariaDbVariants(
                    database, MariaDbServer.startsMySql() ? MariaDbDialect.mySql() : MariaDbDialect.mariaDb());
            Rounds rounds = new Rounds(chosen, LeaderBenchmark.RANKED_BY, Meters.ofClient(database));
            Comparison leading = rounds.compare("MariaDB, leading", UNPROTECTED, variants.leaders());
            List<String> keys = Keys.fresh(Keys.KNOWN);
            List<Variant> replays = variants.replays(Keys.anyOf(keys));
            ChooseBenchmark.prepare(replays, keys);
            Comparison replaying = rounds.compare("MariaDB, replaying", SELECT, replays);
            found.add(leading);
            found.add(replaying);
            found.atLeast(OF_BY_HAND, leading, SINGLE_PLANNED, Variants.byHand(SINGLE_PLANNED));
            found.atLeast(OF_SELECT, replaying, SINGLE_PLANNED, SELECT);
            return Machine.java() + "; " + database.text("SELECT @@version_comment") + " "
                    + database.text("SELECT version()")
                    + ", every commit is on the disk before it is answered, otherwise small, on the same machine.";
        }
    }
}
