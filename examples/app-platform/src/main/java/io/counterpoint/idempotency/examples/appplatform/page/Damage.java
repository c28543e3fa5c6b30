package io.counterpoint.idempotency.examples.appplatform.page;

/** Damage that people and other programs do to the tables without using the service. At least one check finds each. */
enum Damage {
    /** An app whose workspace does not exist. It is not in the search index either. */
    ORPHAN_APP("orphan-apps", """
            WITH orphan AS (
                INSERT INTO app (id, workspace_id, name)
                SELECT gen_random_uuid(), max(id) + 9000, 'planted ' || gen_random_uuid() FROM workspace RETURNING id)
            INSERT INTO app_version (id, app_id, number) SELECT gen_random_uuid(), id, 1 FROM orphan
            """),

    /** A quota that does not match its charges. */
    WRONG_QUOTA("quota", """
            UPDATE workspace SET quota_left = quota_left - 5
            WHERE id = (SELECT id FROM workspace ORDER BY random() LIMIT 1)
            """),

    /** A version of an app that never existed. */
    DANGLING_VERSION(
            "references",
            "INSERT INTO app_version (id, app_id, number) VALUES (gen_random_uuid(), gen_random_uuid(), 1)"),

    /** A second policy for an app. */
    DOUBLED_POLICY("doubled-policies", """
            INSERT INTO app_policy (id, app_id, access)
            SELECT gen_random_uuid(), one.id, 'everybody'
            FROM (SELECT a.id, (SELECT count(*) FROM app_policy p WHERE p.app_id = a.id) AS policies
                FROM app a JOIN workspace w ON w.id = a.workspace_id
                WHERE a.deleted_at IS NULL ORDER BY random() LIMIT 1) one
            CROSS JOIN LATERAL generate_series(1, CASE WHEN one.policies = 0 THEN 2 ELSE 1 END)
            """),

    /** An app whose database is ready according to the table, but missing on the server. */
    READY_WITHOUT_SCHEMA("ready-without-schema", """
            UPDATE app SET database_status = 'ready'
            WHERE id = (SELECT a.id FROM app a JOIN workspace w ON w.id = a.workspace_id
                WHERE a.database_status = 'none' AND a.deleted_at IS NULL ORDER BY random() LIMIT 1)
            """);

    /** The check that finds this damage. */
    final String check;

    /** Does the damage once. Changes no row if there is nothing to damage. */
    final String sql;

    Damage(String check, String sql) {
        this.check = check;
        this.sql = sql;
    }
}
