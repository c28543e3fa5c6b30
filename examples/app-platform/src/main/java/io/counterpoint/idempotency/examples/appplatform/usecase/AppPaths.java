package io.counterpoint.idempotency.examples.appplatform.usecase;

import java.util.Locale;
import java.util.UUID;
import org.jdbi.v3.core.Handle;

/**
 * Writes the owner of an app along the old path (by user), the new path (by workspace), or both. A row contains the
 * mode for all nodes. Each write reads it under a lock in its transaction, so a switch waits for writes in flight, and
 * no write uses the earlier mode once a switch has committed. Requires READ COMMITTED, because a snapshot taken before
 * the lock would show the earlier mode.
 */
public final class AppPaths {

    /** The identifier of the row with the mode. */
    public static final String APPS = "apps";

    /** The apps that readers see, in one snapshot of the mode and the path that it selects. */
    public static final String SHOWN = """
            (SELECT u.id, m.workspace_id, u.name FROM app_by_user u JOIN workspace_of_user m ON m.user_id = u.user_id
                WHERE (SELECT status FROM app_path WHERE id = 'apps') <> 'new'
            UNION ALL SELECT w.id, w.workspace_id, w.name FROM app_by_workspace w
                WHERE (SELECT status FROM app_path WHERE id = 'apps') = 'new')""";

    private static final String MODE = "SELECT status FROM app_path WHERE id = '" + APPS + "'";

    private AppPaths() {}

    /** The current mode, which may change at any moment. */
    public static PathMode mode(Handle handle) {
        return PathMode.valueOf(
                handle.createQuery(MODE).mapTo(String.class).one().toUpperCase(Locale.ROOT));
    }

    /**
     * The mode, which cannot change before this transaction ends. The table is locked in SHARE mode: writes run
     * concurrently, and queue behind a waiting switch. Row locks FOR SHARE would overtake the switch, so it could wait
     * forever.
     */
    private static PathMode lockedMode(Handle handle) {
        handle.execute("LOCK TABLE app_path IN SHARE MODE");
        return mode(handle);
    }

    /** Writes the owner of a new app, in the transaction that creates the app. */
    static void insert(Handle handle, UUID app, long workspace, String name) throws Refusal {
        PathMode mode = lockedMode(handle);
        if (mode != PathMode.NEW) {
            int inserted = handle.execute("""
                    INSERT INTO app_by_user (id, user_id, name, version)
                    SELECT ?, min(user_id), ?, 1 FROM workspace_of_user WHERE workspace_id = ? HAVING count(*) > 0
                    """, app, name, workspace);
            if (inserted == 0) {
                throw Refusal.missing("user");
            }
        }
        if (mode != PathMode.OLD) {
            handle.execute(
                    "INSERT INTO app_by_workspace (id, workspace_id, name, version) VALUES (?, ?, ?, 1)",
                    app,
                    workspace,
                    name);
        }
    }
}
