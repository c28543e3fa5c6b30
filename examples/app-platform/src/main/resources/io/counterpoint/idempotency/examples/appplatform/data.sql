-- A data set, always the same, that has been in use for years and shows it: every kind of damage is in it. Both PostgreSQL
-- and H2. The numbers of what is damaged stand in GeneratedData as well. An id is a number with leading zeros.

-- In order: 200 workspaces, with ten apps and twenty charges each. 180 of them have executions.
INSERT INTO workspace (id, name, quota_granted, quota_left)
    SELECT i, 'workspace ' || i, 1000, 1000 FROM generate_series(1, 200) AS n(i);
INSERT INTO app (id, workspace_id, name, status)
    SELECT CAST(LPAD(CAST(i AS varchar), 32, '0') AS uuid), 1 + MOD(i, 200), 'app ' || i,
        CASE MOD(i, 3) WHEN 0 THEN 'published' ELSE 'draft' END
    FROM generate_series(0, 1999) AS n(i);
INSERT INTO app_policy (id, app_id, access) SELECT id, id, 'workspace' FROM app WHERE status = 'published';
INSERT INTO execution (id, workspace_id, app_id, worker, status, triggered_at, started_at, completed_at)
    SELECT CAST(LPAD(CAST(i AS varchar), 32, '0') AS uuid), 1 + MOD(i, 180),
        CAST(LPAD(CAST(MOD(i, 180) AS varchar), 32, '0') AS uuid), CAST(LPAD('1', 32, '0') AS uuid), 'succeeded',
        CURRENT_TIMESTAMP - INTERVAL '5' HOUR, CURRENT_TIMESTAMP - INTERVAL '5' HOUR, CURRENT_TIMESTAMP - INTERVAL '4' HOUR
    FROM generate_series(0, 5999) AS n(i);
INSERT INTO charge (id, workspace_id, transaction_id, amount, charged_at)
    SELECT CAST(LPAD(CAST(i AS varchar), 32, '0') AS uuid), 1 + MOD(i, 200), 'generated-' || i, 1 + MOD(i, 3),
        CURRENT_TIMESTAMP
    FROM generate_series(0, 3999) AS n(i);
UPDATE workspace SET quota_left = quota_granted
    - (SELECT COALESCE(sum(amount), 0) FROM charge c WHERE c.workspace_id = workspace.id);

-- Damaged: 12 orphans, 9 lost executions of a worker that is dead, 5 that run long, whose worker the program names, and 2
-- of apps that are not there.
INSERT INTO app (id, workspace_id, name)
    SELECT CAST(LPAD(CAST(100000 + i AS varchar), 32, '0') AS uuid), 9001 + i, 'orphan ' || i
    FROM generate_series(0, 11) AS n(i);
INSERT INTO worker (id, pid, seen_at)
    SELECT CAST(LPAD('2', 32, '0') AS uuid), 0, CURRENT_TIMESTAMP - INTERVAL '3' HOUR;
INSERT INTO execution (id, workspace_id, app_id, worker, status, triggered_at, started_at, completed_at)
    SELECT CAST(LPAD(CAST(100000 + i AS varchar), 32, '0') AS uuid), 1,
        CAST(LPAD(CASE WHEN i < 14 THEN '0' ELSE '200000' END, 32, '0') AS uuid),
        CASE WHEN i < 9 OR i >= 14 THEN CAST(LPAD('2', 32, '0') AS uuid) END,
        CASE WHEN i < 9 THEN 'queued' WHEN i < 14 THEN 'running' ELSE 'succeeded' END,
        CURRENT_TIMESTAMP - INTERVAL '5' HOUR, CURRENT_TIMESTAMP - INTERVAL '5' HOUR,
        CASE WHEN i >= 14 THEN CURRENT_TIMESTAMP - INTERVAL '4' HOUR END
    FROM generate_series(0, 15) AS n(i);
INSERT INTO execution_log (id, execution_id, line, text) SELECT id, id, 0, 'triggered' FROM execution;

-- 3 wrong quotas; 4 versions, 3 policies and 5 log lines of what never was.
UPDATE workspace SET quota_left = quota_left - 5 WHERE id IN (30, 31, 32);
INSERT INTO app_version (id, app_id, number)
    SELECT CAST(LPAD(CAST(200000 + i AS varchar), 32, '0') AS uuid), CAST(LPAD('200000', 32, '0') AS uuid), 1
    FROM generate_series(1, 4) AS n(i);
INSERT INTO app_policy (id, app_id, access)
    SELECT CAST(LPAD(CAST(200000 + i AS varchar), 32, '0') AS uuid), CAST(LPAD(CAST(200000 + i AS varchar), 32, '0') AS uuid),
        'workspace'
    FROM generate_series(1, 3) AS n(i);
INSERT INTO execution_log (id, execution_id, line, text)
    SELECT CAST(LPAD(CAST(200000 + i AS varchar), 32, '0') AS uuid), CAST(LPAD('200000', 32, '0') AS uuid), 1, 'lost'
    FROM generate_series(1, 5) AS n(i);

-- Two hours ago the owners of 3 publications and 2 databases died. One app was deleted since.
INSERT INTO app (id, workspace_id, name, status, publisher, publishing_since, deleted_at)
    SELECT CAST(LPAD(CAST(110000 + i AS varchar), 32, '0') AS uuid), 40 + i, 'half published ' || i, 'publishing',
        CAST(LPAD('3', 32, '0') AS uuid), CURRENT_TIMESTAMP - INTERVAL '2' HOUR, CASE i WHEN 0 THEN CURRENT_TIMESTAMP END
    FROM generate_series(0, 2) AS n(i);
INSERT INTO app (id, workspace_id, name, database_status, provisioner, provisioning_since)
    SELECT CAST(LPAD(CAST(120000 + i AS varchar), 32, '0') AS uuid), 50 + i, 'half provisioned ' || i,
        CASE i WHEN 0 THEN 'creating' ELSE 'migrating' END, CAST(LPAD('3', 32, '0') AS uuid),
        CURRENT_TIMESTAMP - INTERVAL '2' HOUR
    FROM generate_series(0, 1) AS n(i);
INSERT INTO app_version (id, app_id, number) SELECT id, id, 1 FROM app;

-- The migration. Users have their workspaces' numbers, plus a thousand. The first rows are the apps, others are older. Of
-- every 333rd row 20 are missing in the new table, 10 in the old one, 10 are in another workspace, 20 have another name.
INSERT INTO workspace_of_user (user_id, workspace_id) SELECT 1000 + id, id FROM workspace;
INSERT INTO app_by_user (id, user_id, name, version)
    SELECT CAST(LPAD(CAST(i AS varchar), 32, '0') AS uuid), 1001 + MOD(i, 200), 'app ' || i, 1
    FROM generate_series(0, 19999) AS n(i);
INSERT INTO app_by_workspace (id, workspace_id, name, version) SELECT id, user_id - 1000, name, 1 FROM app_by_user;
DELETE FROM app_by_workspace
    WHERE name IN (SELECT 'app ' || (333 * i) FROM generate_series(0, 19) AS n(i));
DELETE FROM app_by_user
    WHERE name IN (SELECT 'app ' || (333 * i) FROM generate_series(20, 29) AS n(i));
UPDATE app_by_workspace SET workspace_id = 1 + MOD(workspace_id, 200)
    WHERE name IN (SELECT 'app ' || (333 * i) FROM generate_series(30, 39) AS n(i));
UPDATE app_by_workspace SET name = 'once ' || name
    WHERE name IN (SELECT 'app ' || (333 * i) FROM generate_series(40, 59) AS n(i));
