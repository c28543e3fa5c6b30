package io.counterpoint.idempotency.examples.appplatform;

import io.counterpoint.idempotency.consistency.comparison.Comparison;
import io.counterpoint.idempotency.consistency.comparison.JdbiJournal;
import io.counterpoint.idempotency.consistency.comparison.KeyOrder;
import io.counterpoint.idempotency.consistency.comparison.RepairPlan;
import io.counterpoint.idempotency.consistency.comparison.RepairTarget;
import io.counterpoint.idempotency.consistency.comparison.Side;
import io.counterpoint.idempotency.consistency.comparison.Source;
import io.counterpoint.idempotency.consistency.comparison.SqlTable;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.UUID;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.Consumer;
import java.util.function.Predicate;
import org.jdbi.v3.core.Jdbi;
import org.jspecify.annotations.Nullable;

/**
 * Apps move from their users to workspaces. While both tables are written they are compared; the old one is right, so
 * the new one is made like it. The old rows are read as they have to become: with the workspace of their user.
 */
final class Migration {

    private static final String NAME = "apps by user and by workspace";

    private final Jdbi jdbi;
    private final Duration minimumAge;
    private final Consumer<String> progress;
    private final SqlTable<UUID> old;
    private final SqlTable<UUID> replacement;
    private final Comparison<UUID> comparison;

    Migration(Jdbi jdbi, Duration minimumAge, Consumer<String> progress) {
        this.jdbi = jdbi;
        this.minimumAge = minimumAge;
        this.progress = progress;
        old = SqlTable.of(jdbi, """
                        (SELECT a.id, m.workspace_id, a.name, a.version
                        FROM app_by_user a LEFT JOIN workspace_of_user m ON m.user_id = a.user_id) by_user
                        """, "id", KeyOrder.uuids())
                .fields("workspace_id", "name")
                .version("version", "version + 1");
        replacement = SqlTable.of(jdbi, "app_by_workspace", "id", KeyOrder.uuids())
                .fields("workspace_id", "name")
                .version("version", "version + 1");
        comparison = compare(NAME, old, replacement);
    }

    private Comparison<UUID> compare(String name, Source<UUID> left, Source<UUID> right) {
        return Comparison.builder(name, left, right)
                .minimumAge(minimumAge)
                .pageSize(5_000)
                .journal(JdbiJournal.on(jdbi))
                .progress(step -> progress.accept(step.toString()))
                .build();
    }

    /** A comparison with findings of its own, of which a repair changes only some, on either side. */
    Comparison<UUID> chosen(Predicate<UUID> keys, RepairTarget<UUID> oldTarget) {
        return compare(
                NAME + ", reviewed",
                new ChosenChanges<>(old, oldTarget, keys),
                new ChosenChanges<>(replacement, replacement, keys));
    }

    Source<UUID> old() {
        return old;
    }

    Source<UUID> replacement() {
        return replacement;
    }

    Comparison<UUID> comparison() {
        return comparison;
    }

    /** What the old table does not have was deleted there, and goes. */
    RepairPlan<UUID> plan() {
        return comparison.repair(Side.OLD).allowDeletes().maxChanges(1_000).build();
    }

    /** Renames apps in both tables, one after the other in transactions of their own, until it is closed. */
    static final class Writers implements AutoCloseable {
        private final Jdbi jdbi;
        private final List<UUID> apps;
        private final List<Thread> threads = new ArrayList<>();
        private final AtomicLong writes = new AtomicLong();
        private final AtomicReference<@Nullable RuntimeException> failure = new AtomicReference<>();
        private volatile boolean closing;

        /** Each writer has apps of its own, from the apps that are the same in both tables. */
        Writers(Jdbi jdbi, int number) {
            this.jdbi = jdbi;
            this.apps = jdbi.withHandle(
                    handle -> handle.createQuery("""
                            SELECT o.id FROM app_by_user o
                            JOIN workspace_of_user m ON m.user_id = o.user_id
                            JOIN app_by_workspace n ON n.id = o.id AND n.name = o.name AND n.workspace_id = m.workspace_id
                            ORDER BY o.id
                            """).mapTo(UUID.class).list());
            for (int i = 0; i < number; i++) {
                int first = i;
                Thread thread = new Thread(() -> write(first, number), "dual writer " + i);
                threads.add(thread);
                thread.start();
            }
        }

        private void write(int first, int step) {
            Random random = new Random(first);
            try {
                while (!closing) {
                    UUID app = apps.get(random.nextInt(apps.size() / step) * step + first);
                    String name = "renamed " + random.nextInt(1000);
                    rename("app_by_user", app, name);
                    rename("app_by_workspace", app, name);
                    writes.incrementAndGet();
                }
            } catch (RuntimeException thrown) {
                failure.set(thrown);
            }
        }

        private void rename(String table, UUID app, String name) {
            jdbi.useHandle(handle ->
                    handle.execute("UPDATE " + table + " SET name = ?, version = version + 1 WHERE id = ?", name, app));
        }

        long writes() {
            return writes.get();
        }

        @Override
        public void close() {
            closing = true;
            try {
                for (Thread thread : threads) {
                    thread.join();
                }
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
            }
            RuntimeException thrown = failure.get();
            if (thrown != null) {
                throw thrown;
            }
        }
    }
}
