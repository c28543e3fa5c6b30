package io.counterpoint.idempotency.examples.appplatform;

import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.UUID;
import java.util.function.IntFunction;
import java.util.function.IntUnaryOperator;
import org.jdbi.v3.core.Handle;
import org.jdbi.v3.core.Jdbi;
import org.jdbi.v3.core.statement.PreparedBatch;

/** A data set, always the same, that has been in use for years and shows it: every kind of damage is in it. */
final class GeneratedData {

    static final int WORKSPACES = 200;
    static final int APPS = 2_000;
    static final int EXECUTIONS = 6_000;
    static final int CHARGES = 4_000;
    static final int MIGRATED = 20_000;

    static final int ORPHANS = 12;
    static final int ZOMBIES = 9;
    static final int LONG_RUNNING = 5;
    static final int WRONG_USAGE = 4;
    static final int WRONG_QUOTA = 3;
    static final int DANGLING_VERSIONS = 4;
    static final int DANGLING_POLICIES = 3;
    static final int DANGLING_LINES = 5;
    static final int DANGLING_EXECUTIONS = 2;
    static final int ABANDONED_PUBLICATIONS = 3;
    static final int ABANDONED_DATABASES = 2;
    /** Of the migration: missing in the new table, in the old one, under another name, in another workspace. */
    static final int NOT_MIGRATED = 20;

    static final int LEFT_OVER = 10;
    static final int OTHER_NAME = 20;
    static final int OTHER_WORKSPACE = 10;

    private static final long GRANTED = 1_000;
    /** Workspaces behind this one have no executions. */
    private static final int WITH_EXECUTIONS = 180;

    private final Random random = new Random(42);
    private final List<UUID> apps = new ArrayList<>();

    private GeneratedData() {}

    /** Fills an empty database; leaves another alone. What runs long is run by a worker that lives. */
    static boolean fillIfEmpty(Jdbi jdbi, UUID living) {
        return jdbi.inTransaction(handle -> {
            boolean empty = count(handle, "workspace") == 0 && count(handle, "app") == 0;
            if (empty) {
                GeneratedData data = new GeneratedData();
                data.well(handle);
                data.damaged(handle, living);
                data.migration(handle);
                data.followers(handle);
            }
            return empty;
        });
    }

    private static long count(Handle handle, String table) {
        return handle.createQuery("SELECT count(*) FROM " + table)
                .mapTo(Long.class)
                .one();
    }

    private UUID uuid() {
        return new UUID(random.nextLong(), random.nextLong());
    }

    private void well(Handle handle) {
        try (PreparedBatch workspaces = handle.prepareBatch(
                        "INSERT INTO workspace (id, name, quota_granted, quota_left) VALUES (?, ?, ?, ?)");
                PreparedBatch inserted =
                        handle.prepareBatch("INSERT INTO app (id, workspace_id, name, status) VALUES (?, ?, ?, ?)");
                PreparedBatch versions =
                        handle.prepareBatch("INSERT INTO app_version (id, app_id, number) VALUES (?, ?, 1)");
                PreparedBatch policies =
                        handle.prepareBatch("INSERT INTO app_policy (id, app_id, access) VALUES (?, ?, 'workspace')")) {
            for (int i = 1; i <= WORKSPACES; i++) {
                workspaces.add(i, "workspace " + i, GRANTED, GRANTED);
            }
            for (int i = 0; i < APPS; i++) {
                UUID app = uuid();
                apps.add(app);
                boolean published = i % 3 == 0;
                inserted.add(app, 1 + i % WORKSPACES, "app " + i, published ? "published" : "draft");
                versions.add(uuid(), app);
                if (published) {
                    policies.add(uuid(), app);
                }
            }
            workspaces.execute();
            inserted.execute();
            versions.execute();
            policies.execute();
        }
        UUID gone = uuid();
        executions(
                handle,
                EXECUTIONS,
                i -> 1 + i % WITH_EXECUTIONS,
                i -> apps.get(i % WITH_EXECUTIONS),
                gone,
                "succeeded");
        try (PreparedBatch charges = handle.prepareBatch("""
                INSERT INTO charge (id, workspace_id, transaction_id, amount, charged_at)
                VALUES (?, ?, ?, ?, CURRENT_TIMESTAMP)
                """)) {
            for (int i = 0; i < CHARGES; i++) {
                charges.add(uuid(), 1 + i % WORKSPACES, "generated-" + i, 1 + i % 3);
            }
            charges.execute();
        }
        handle.execute("""
                UPDATE workspace SET quota_left = quota_granted
                    - (SELECT COALESCE(sum(amount), 0) FROM charge c WHERE c.workspace_id = workspace.id)
                """);
    }

    private void execution(Handle handle, int workspace, UUID app, UUID worker, String status) {
        executions(handle, 1, i -> workspace, i -> app, worker, status);
    }

    private void executions(
            Handle handle, int number, IntUnaryOperator workspace, IntFunction<UUID> app, UUID worker, String status) {
        try (PreparedBatch executions = handle.prepareBatch("""
                        INSERT INTO execution
                            (id, workspace_id, app_id, worker, status, triggered_at, started_at, completed_at)
                        VALUES (?, ?, ?, ?, ?, CURRENT_TIMESTAMP - INTERVAL '5' HOUR,
                            CURRENT_TIMESTAMP - INTERVAL '5' HOUR, CASE WHEN ? = 'running' THEN NULL ELSE CURRENT_TIMESTAMP - INTERVAL '4' HOUR END)
                        """);
                PreparedBatch lines = handle.prepareBatch(
                        "INSERT INTO execution_log (id, execution_id, line, text) VALUES (?, ?, 0, 'triggered')")) {
            for (int i = 0; i < number; i++) {
                UUID execution = uuid();
                executions.add(execution, workspace.applyAsInt(i), app.apply(i), worker, status, status);
                lines.add(uuid(), execution);
            }
            executions.execute();
            lines.execute();
        }
    }

    private void damaged(Handle handle, UUID living) {
        for (int i = 0; i < ORPHANS; i++) {
            app(handle, 9_001 + i, "orphan " + i, "draft", "");
        }
        UUID dead = uuid();
        handle.execute(
                "INSERT INTO worker (id, pid, seen_at) VALUES (?, 0, CURRENT_TIMESTAMP - INTERVAL '3' HOUR)", dead);
        handle.execute(
                "INSERT INTO worker (id, pid, seen_at) SELECT ?, 0, CURRENT_TIMESTAMP"
                        + " WHERE NOT EXISTS (SELECT 1 FROM worker WHERE id = ?)",
                living,
                living);
        for (int i = 0; i < ZOMBIES; i++) {
            execution(handle, 1, apps.get(0), dead, "running");
        }
        for (int i = 0; i < LONG_RUNNING; i++) {
            execution(handle, 1, apps.get(0), living, "running");
        }
        for (int i = 0; i < DANGLING_EXECUTIONS; i++) {
            execution(handle, 1, uuid(), dead, "succeeded");
        }
        handle.execute("UPDATE workspace SET quota_left = quota_left - 5 WHERE id IN (30, 31, 32)");
        for (int i = 0; i < DANGLING_VERSIONS; i++) {
            handle.execute("INSERT INTO app_version (id, app_id, number) VALUES (?, ?, 1)", uuid(), uuid());
        }
        for (int i = 0; i < DANGLING_POLICIES; i++) {
            handle.execute("INSERT INTO app_policy (id, app_id, access) VALUES (?, ?, 'workspace')", uuid(), uuid());
        }
        for (int i = 0; i < DANGLING_LINES; i++) {
            handle.execute(
                    "INSERT INTO execution_log (id, execution_id, line, text) VALUES (?, ?, 1, 'lost')",
                    uuid(),
                    uuid());
        }
        abandoned(handle);
    }

    /** Two hours ago their owners died. One publication can no longer be finished: its app was deleted. */
    private void abandoned(Handle handle) {
        for (int i = 0; i < ABANDONED_PUBLICATIONS; i++) {
            UUID app = app(handle, 40 + i, "half published " + i, "publishing", "publish");
            if (i == 0) {
                handle.execute("UPDATE app SET deleted_at = CURRENT_TIMESTAMP WHERE id = ?", app);
            }
        }
        UUID creating = app(handle, 50, "half provisioned 0", "draft", "provision");
        handle.execute("UPDATE app SET database_status = 'creating' WHERE id = ?", creating);
        UUID migrating = app(handle, 51, "half provisioned 1", "draft", "provision");
        handle.execute("UPDATE app SET database_status = 'migrating' WHERE id = ?", migrating);
    }

    private UUID app(Handle handle, int workspace, String name, String status, String abandoned) {
        UUID app = uuid();
        handle.execute(
                "INSERT INTO app (id, workspace_id, name, status) VALUES (?, ?, ?, ?)", app, workspace, name, status);
        handle.execute("INSERT INTO app_version (id, app_id, number) VALUES (?, ?, 1)", uuid(), app);
        if (!abandoned.isEmpty()) {
            String owner = abandoned.equals("publish") ? "publisher" : "provisioner";
            String since = abandoned.equals("publish") ? "publishing_since" : "provisioning_since";
            handle.execute(
                    "UPDATE app SET " + owner + " = ?, " + since
                            + " = CURRENT_TIMESTAMP - INTERVAL '2' HOUR WHERE id = ?",
                    uuid(),
                    app);
        }
        return app;
    }

    /** Users have their workspaces' numbers, plus a thousand. The first rows are the apps, others are older. */
    private void migration(Handle handle) {
        for (int i = 1; i <= WORKSPACES; i++) {
            handle.execute("INSERT INTO workspace_of_user (user_id, workspace_id) VALUES (?, ?)", 1_000 + i, i);
        }
        int differing = NOT_MIGRATED + LEFT_OVER + OTHER_NAME + OTHER_WORKSPACE;
        int every = MIGRATED / differing;
        try (PreparedBatch old = handle.prepareBatch(
                        "INSERT INTO app_by_user (id, user_id, name, version) VALUES (?, ?, ?, 1)");
                PreparedBatch replacement = handle.prepareBatch(
                        "INSERT INTO app_by_workspace (id, workspace_id, name, version) VALUES (?, ?, ?, 1)")) {
            for (int i = 0; i < MIGRATED; i++) {
                UUID app = i < APPS ? apps.get(i) : uuid();
                int workspace = 1 + i % WORKSPACES;
                String name = "app " + i;
                int planted = i % every == 0 ? i / every : Integer.MAX_VALUE;
                boolean missing = planted < NOT_MIGRATED;
                boolean over = !missing && planted < NOT_MIGRATED + LEFT_OVER;
                boolean renamed = !missing && !over && planted < NOT_MIGRATED + LEFT_OVER + OTHER_NAME;
                boolean moved = !missing && !over && !renamed && planted < differing;
                if (!over) {
                    old.add(app, 1_000 + workspace, name);
                }
                if (!missing) {
                    replacement.add(
                            app, moved ? 1 + workspace % WORKSPACES : workspace, renamed ? "once " + name : name);
                }
            }
            old.execute();
            replacement.execute();
        }
    }

    /** They have followed everything so far, with mistakes. A search index is filled by its node. */
    private void followers(Handle handle) {
        UsageStatistics.countAll(handle);
        handle.execute("UPDATE usage_window SET executions = executions + 7 WHERE workspace_id IN (20, 21)");
        // The last have no executions at all.
        handle.execute(
                "INSERT INTO usage_window (workspace_id, window_start, executions) SELECT id, 0, 7 FROM workspace WHERE id > ?",
                WORKSPACES - (WRONG_USAGE - 2));
    }
}
