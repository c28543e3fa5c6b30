package io.counterpoint.idempotency.examples.appplatform.page;

import java.util.UUID;
import org.jdbi.v3.core.Handle;

/** What people and other programs do to tables behind the service's back; each is found by one check at least. */
enum Damage {
    /** An app of a workspace that is not there. The search index does not know it either. */
    ORPHAN_APP("orphan-apps") {
        @Override
        int plant(Handle handle) {
            UUID app = UUID.randomUUID();
            return handle.execute(
                            "INSERT INTO app (id, workspace_id, name) SELECT ?, max(id) + 9000, ? FROM workspace",
                            app,
                            "planted " + app)
                    + handle.execute(
                            "INSERT INTO app_version (id, app_id, number) VALUES (?, ?, 1)", UUID.randomUUID(), app);
        }
    },
    /** A quota that is not what its charges say. */
    WRONG_QUOTA("quota") {
        @Override
        int plant(Handle handle) {
            return handle.execute("""
                    UPDATE workspace SET quota_left = quota_left - 5
                    WHERE id = (SELECT id FROM workspace ORDER BY random() LIMIT 1)
                    """);
        }
    },
    /** A version of an app that never was. */
    DANGLING_VERSION("references") {
        @Override
        int plant(Handle handle) {
            return handle.execute(
                    "INSERT INTO app_version (id, app_id, number) VALUES (?, ?, 1)",
                    UUID.randomUUID(),
                    UUID.randomUUID());
        }
    },
    /** A second policy of an app. */
    DOUBLED_POLICY("doubled-policies") {
        @Override
        int plant(Handle handle) {
            return handle.execute("""
                    INSERT INTO app_policy (id, app_id, access)
                    SELECT gen_random_uuid(), one.id, 'everybody'
                    FROM (SELECT a.id, (SELECT count(*) FROM app_policy p WHERE p.app_id = a.id) AS policies
                        FROM app a JOIN workspace w ON w.id = a.workspace_id
                        WHERE a.deleted_at IS NULL ORDER BY random() LIMIT 1) one
                    CROSS JOIN LATERAL generate_series(1, CASE WHEN one.policies = 0 THEN 2 ELSE 1 END)
                    """);
        }
    },
    /** An app whose database is said to be ready, and is not on the server. */
    READY_WITHOUT_SCHEMA("ready-without-schema") {
        @Override
        int plant(Handle handle) {
            return handle.execute("""
                    UPDATE app SET database_status = 'ready'
                    WHERE id = (SELECT a.id FROM app a JOIN workspace w ON w.id = a.workspace_id
                        WHERE a.database_status = 'none' AND a.deleted_at IS NULL ORDER BY random() LIMIT 1)
                    """);
        }
    };

    private final String check;

    Damage(String check) {
        this.check = check;
    }

    /** The check that finds it. */
    String check() {
        return check;
    }

    /** Does it once, and returns how many rows that took: none where there is nothing to damage. */
    abstract int plant(Handle handle);
}
