package io.counterpoint.idempotency.consistency;

import static io.counterpoint.idempotency.jdbc.Isolation.SERIALIZABLE;

import io.counterpoint.idempotency.consistency.testing.TestDatabase;
import io.counterpoint.idempotency.consistency.testing.TestDatabase.Kind;
import java.time.Duration;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.atomic.LongAdder;
import org.jdbi.v3.core.Handle;

/**
 * Measures what it costs that all chargers meet: 64 at once on a few workspaces, SERIALIZABLE with retries, with and
 * without {@link KeyedMutex}, beside the same statements on a workspace for each, without retries. On a real PostgreSQL, rounds by turns.
 */
final class QuotaThroughput {

    private static final int CHARGERS = 64;
    private static final int WORKSPACES = 10_000;
    /** How many workspaces all of them charge, each time one at random. */
    private static final List<Integer> MEETING = List.of(1, 4, 16);

    private static final Duration LONGEST_WAIT = Duration.ofSeconds(5);
    private static final int MANY = 1_000_000_000;

    private final TestDatabase database;
    private final KeyedMutex<Integer> mutex = new KeyedMutex<>();
    private final LongAdder runs = new LongAdder();

    private QuotaThroughput(TestDatabase database) {
        this.database = database;
    }

    /** Arguments: how many rounds, and how many seconds each. */
    public static void main(String[] args) throws InterruptedException {
        int rounds = args.length > 0 ? Integer.parseInt(args[0]) : 10;
        int seconds = args.length > 1 ? Integer.parseInt(args[1]) : 3;
        try (TestDatabase database = TestDatabase.create(Kind.POSTGRESQL)) {
            database.execute(
                    "CREATE TABLE workspace (id integer PRIMARY KEY, quota integer NOT NULL)",
                    "CREATE TABLE charge (workspace integer NOT NULL, amount integer NOT NULL)",
                    "INSERT INTO workspace SELECT x, " + MANY + " FROM generate_series(1, " + WORKSPACES + ") x",
                    "ANALYZE workspace");
            QuotaThroughput quota = new QuotaThroughput(database);
            quota.apart(seconds);
            quota.meeting(1, false, seconds);
            quota.meeting(1, true, seconds);
            double[][] ratios = new double[2 * MEETING.size()][rounds];
            for (int i = 0; i < rounds; i++) {
                Measured apart = quota.apart(seconds);
                System.out.printf("round %2d: on one of their own %s%n", i + 1, apart);
                for (int kind = 0; kind < ratios.length; kind++) {
                    Measured meeting = quota.meeting(MEETING.get(kind / 2), kind % 2 == 1, seconds);
                    ratios[kind][i] = meeting.charges() / apart.charges();
                    System.out.printf(
                            Locale.ROOT, "          %-26s %s, ratio %.2f%n", name(kind), meeting, ratios[kind][i]);
                }
            }
            System.out.printf("%d rounds of %d s, %d chargers%n", rounds, seconds, CHARGERS);
            for (int kind = 0; kind < ratios.length; kind++) {
                Arrays.sort(ratios[kind]);
                int last = rounds - 1;
                System.out.printf(
                        Locale.ROOT,
                        "%-26s ratio median %.2f, quartiles %.2f and %.2f%n",
                        name(kind),
                        ratios[kind][rounds / 2],
                        ratios[kind][last / 4],
                        ratios[kind][last - last / 4]);
            }
            long charged = database.one("SELECT sum(amount) FROM charge", Long.class);
            long gone =
                    database.one("SELECT sum(" + MANY + " - quota) FROM workspace WHERE quota < " + MANY, Long.class);
            System.out.printf(Locale.ROOT, "%,d charged, %,d gone from the quotas%n", charged, gone);
            if (charged != gone || database.count("workspace WHERE quota < 0") != 0) {
                throw new AssertionError("Charges and quotas differ.");
            }
        }
    }

    private static String name(int kind) {
        int workspaces = MEETING.get(kind / 2);
        return "all on " + workspaces + (kind % 2 == 1 ? ", with a mutex" : "");
    }

    private record Measured(double charges, double runs) {
        @Override
        public String toString() {
            return String.format(Locale.ROOT, "%.0f/s (%.2f runs a charge)", charges, runs);
        }
    }

    private interface Charging {
        void charge(Transactions transactions, int charger);
    }

    private Measured apart(int seconds) throws InterruptedException {
        return measure(seconds, 0, (transactions, charger) -> charge(transactions, 1000 + charger));
    }

    private Measured meeting(int workspaces, boolean locked, int seconds) throws InterruptedException {
        return measure(seconds, 1000, (transactions, charger) -> {
            int workspace = 1 + ThreadLocalRandom.current().nextInt(workspaces);
            if (locked) {
                mutex.locked(workspace, LONGEST_WAIT, () -> {
                    charge(transactions, workspace);
                    return true;
                });
            } else {
                charge(transactions, workspace);
            }
        });
    }

    private void charge(Transactions transactions, int workspace) {
        transactions.useTransaction(SERIALIZABLE, handle -> charge(handle, workspace));
    }

    /** Charges committed in a second, by all chargers together. */
    private Measured measure(int seconds, int retries, Charging charging) throws InterruptedException {
        Transactions transactions = Transactions.on(database.store()).withRetries(retries);
        LongAdder charges = new LongAdder();
        long before = runs.sum();
        long start = System.nanoTime();
        long end = start + seconds * 1_000_000_000L;
        Thread[] chargers = new Thread[CHARGERS];
        for (int i = 0; i < CHARGERS; i++) {
            int charger = i;
            chargers[i] = new Thread(() -> {
                while (System.nanoTime() < end) {
                    try {
                        charging.charge(transactions, charger);
                        charges.increment();
                    } catch (ConflictException refused) {
                        // Of the chargers with a workspace each, and no retries, a few meet in a page of an index.
                        assert retries == 0 : refused;
                    }
                }
            });
            chargers[i].start();
        }
        for (Thread charger : chargers) {
            charger.join();
        }
        return new Measured(
                charges.sum() * 1e9 / (System.nanoTime() - start), (double) (runs.sum() - before) / charges.sum());
    }

    private void charge(Handle handle, int workspace) {
        runs.increment();
        int quota = handle.createQuery("SELECT quota FROM workspace WHERE id = ?")
                .bind(0, workspace)
                .mapTo(Integer.class)
                .one();
        if (quota < 1) {
            throw new IllegalStateException("The quota is used up.");
        }
        handle.execute("UPDATE workspace SET quota = ? WHERE id = ?", quota - 1, workspace);
        handle.execute("INSERT INTO charge VALUES (?, 1)", workspace);
    }
}
