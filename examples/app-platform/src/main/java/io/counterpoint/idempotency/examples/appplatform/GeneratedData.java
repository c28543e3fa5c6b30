package io.counterpoint.idempotency.examples.appplatform;

import java.util.UUID;
import org.jdbi.v3.core.Handle;
import org.jdbi.v3.core.Jdbi;

/** The data set in {@code data.sql}, and how much of it is damaged. */
final class GeneratedData {

    static final int APPS = 2_000;
    static final int EXECUTIONS = 6_000;
    static final int MIGRATED = 20_000;

    static final int ORPHANS = 12;
    /** Executions that a live worker has been running for five hours. */
    static final int ZOMBIES = 5;

    /** Executions with a dead worker and no event. */
    static final int LOST = 9;

    static final int WRONG_USAGE = 4;
    static final int WRONG_QUOTA = 3;
    static final int DANGLING_VERSIONS = 4;
    static final int DANGLING_POLICIES = 3;
    static final int DANGLING_LINES = 5;
    static final int DANGLING_EXECUTIONS = 2;
    static final int REFERENCES = DANGLING_VERSIONS + DANGLING_POLICIES + DANGLING_LINES + DANGLING_EXECUTIONS;
    static final int ABANDONED_PUBLICATIONS = 3;
    static final int ABANDONED_DATABASES = 2;
    /**
     * Differences between the migration's tables: missing in the new one, missing in the old one, a different name, a
     * different workspace.
     */
    static final int NOT_MIGRATED = 20;

    static final int LEFT_OVER = 10;
    static final int OTHER_NAME = 20;
    static final int OTHER_WORKSPACE = 10;

    /** The number of rows found by each check that finds any. */
    static final String PLANTED =
            "{lost-executions=" + LOST + ", orphan-apps=" + ORPHANS + ", quota=" + WRONG_QUOTA + ", references="
                    + REFERENCES + ", usage-statistics=" + WRONG_USAGE + ", zombie-executions=" + ZOMBIES + "}";

    private GeneratedData() {}

    /** Fills an empty database, and leaves any other unchanged. Long-running executions belong to the live worker. */
    static boolean fillIfEmpty(Jdbi jdbi, UUID living) {
        return jdbi.inTransaction(handle -> {
            boolean empty = count(handle, "workspace") == 0 && count(handle, "app") == 0;
            if (empty) {
                PlatformDatabase.runScript(handle, "data.sql");
                handle.execute(
                        "INSERT INTO worker (id, pid, seen_at) SELECT ?, 0, CURRENT_TIMESTAMP"
                                + " WHERE NOT EXISTS (SELECT 1 FROM worker WHERE id = ?)",
                        living,
                        living);
                handle.execute("UPDATE execution SET worker = ? WHERE worker IS NULL", living);
                int unused = SearchIndex.rebuild(handle);
                countUsageWrongly(handle);
            }
            return empty;
        });
    }

    private static long count(Handle handle, String table) {
        return handle.select("SELECT count(*) FROM " + table).mapTo(Long.class).one();
    }

    /** The last workspaces have no executions at all. */
    private static void countUsageWrongly(Handle handle) {
        UsageStatistics.countAll(handle);
        handle.execute("UPDATE usage_window SET executions = executions + 7 WHERE workspace_id IN (20, 21)");
        handle.execute("INSERT INTO usage_window (workspace_id, window_start, executions)"
                + " SELECT id, 0, 7 FROM workspace WHERE id IN (199, 200)");
    }
}
