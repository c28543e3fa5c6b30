package io.counterpoint.idempotency.examples.appplatform.page;

/** What people and other programs do to tables behind the service's back; each is found by one check at least. */
enum Damage {
    /** An app of a workspace that is not there. The search index does not know it either. */
    ORPHAN_APP("orphan-apps", """
            WITH orphan AS (
                INSERT INTO app (id, workspace_id, name)
                SELECT gen_random_uuid(), max(id) + 9000, 'planted ' || gen_random_uuid() FROM workspace RETURNING id)
            INSERT INTO app_version (id, app_id, number) SELECT gen_random_uuid(), id, 1 FROM orphan
            """),

    /** A quota that is not what its charges say. */
    WRONG_QUOTA("quota", """
            UPDATE workspace SET quota_left = quota_left - 5
            WHERE id = (SELECT id FROM workspace ORDER BY random() LIMIT 1)
            """),

    /** A version of an app that never was. */
    DANGLING_VERSION(
            "references",
            "INSERT INTO app_version (id, app_id, number) VALUES (gen_random_uuid(), gen_random_uuid(), 1)"),

    /** A second policy of an app. */
    DOUBLED_POLICY("doubled-policies", """
            INSERT INTO app_policy (id, app_id, access)
            SELECT gen_random_uuid(), one.id, 'everybody'
            FROM (SELECT a.id, (SELECT count(*) FROM app_policy p WHERE p.app_id = a.id) AS policies
                FROM app a JOIN workspace w ON w.id = a.workspace_id
                WHERE a.deleted_at IS NULL ORDER BY random() LIMIT 1) one
            CROSS JOIN LATERAL generate_series(1, CASE WHEN one.policies = 0 THEN 2 ELSE 1 END)
            """),

    /** An app whose database is said to be ready, and is not on the server. */
    READY_WITHOUT_SCHEMA("ready-without-schema", """
            UPDATE app SET database_status = 'ready'
            WHERE id = (SELECT a.id FROM app a JOIN workspace w ON w.id = a.workspace_id
                WHERE a.database_status = 'none' AND a.deleted_at IS NULL ORDER BY random() LIMIT 1)
            """);

    /** The check that finds it. */
    final String check;

    /** Does it once. It changes no row where there is nothing to damage. */
    final String sql;

    Damage(String check, String sql) {
        this.check = check;
        this.sql = sql;
    }
}
