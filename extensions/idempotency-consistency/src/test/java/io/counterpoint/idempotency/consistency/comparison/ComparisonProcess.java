package io.counterpoint.idempotency.consistency.comparison;

import com.zaxxer.hikari.HikariDataSource;
import java.lang.management.ManagementFactory;
import java.lang.management.MemoryType;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import org.jdbi.v3.core.Jdbi;

/** A comparison in a process of its own. An argument can make it stop behind a key and wait to be killed. */
final class ComparisonProcess {

    private ComparisonProcess() {}

    /** Arguments: the database's URL; the minimum age in milliseconds; the mark at which to wait. */
    public static void main(String[] arguments) {
        try (HikariDataSource pool = new HikariDataSource()) {
            pool.setJdbcUrl(arguments[0]);
            pool.setUsername(arguments[0].startsWith("jdbc:h2") ? "sa" : null);
            pool.setMaximumPoolSize(1);
            Jdbi jdbi = Jdbi.create(pool);
            ComparisonReport<Long> report = apps(jdbi)
                    .minimumAge(Duration.ofMillis(Long.parseLong(arguments[1])))
                    .journal(new Stopping(JdbiJournal.on(jdbi), Long.parseLong(arguments[2])))
                    .progress(System.err::println)
                    .build()
                    .run();
            System.out.println(
                    "finished " + report.isContinued() + " " + report.elapsed().toMillis() + " " + peak());
        }
    }

    static Comparison.Builder<Long> apps(Jdbi jdbi) {
        return Comparison.builder(
                        "apps",
                        SqlTable.of(jdbi, "app_by_user", "id", KeyOrder.longs())
                                .field("owner", "user_id")
                                .fields("name", "calls"),
                        SqlTable.of(jdbi, "app_by_workspace", "id", KeyOrder.longs())
                                .field("owner", "workspace_id", "workspace_id", "replace(?, 'user-', 'workspace-')")
                                .fields("name", "calls"))
                // The workspace of a user has the user's number.
                .canonical("owner", owner -> owner.toString().replaceFirst("^(user|workspace)-", ""));
    }

    private static long peak() {
        return ManagementFactory.getMemoryPoolMXBeans().stream()
                .filter(memory -> memory.getType() == MemoryType.HEAP)
                .mapToLong(memory -> memory.getPeakUsage().getUsed())
                .sum();
    }

    /** Waits to be killed when the mark has come to a key, in any case before the run is finished. */
    private record Stopping(Journal journal, long key) implements Journal {

        @Override
        public Run open(String comparison, boolean fresh) {
            Run run = journal.open(comparison, fresh);
            return new Run() {
                @Override
                public Checkpoint start() {
                    return run.start();
                }

                @Override
                public void advance(Checkpoint reached, List<Finding<String>> findings) {
                    boolean there = reached.mark().map(Long::parseLong).orElse(-1L) >= key;
                    if (!there || !reached.finished()) {
                        run.advance(reached, findings);
                    }
                    if (there) {
                        System.out.println("waiting at " + reached.mark().orElse(""));
                        await(new CountDownLatch(1));
                    }
                }
            };
        }

        private static void await(CountDownLatch never) {
            try {
                never.await();
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
            }
        }

        @Override
        public List<Finding<String>> findings(String comparison, long skip, int limit) {
            return journal.findings(comparison, skip, limit);
        }
    }
}
