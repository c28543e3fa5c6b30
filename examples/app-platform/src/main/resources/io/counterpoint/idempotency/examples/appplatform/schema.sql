-- No foreign keys and no other constraint that would keep away what the library keeps away, but
-- for money: tables like these have grown for years, and if the library failed it would show.

CREATE TABLE IF NOT EXISTS workspace (
    id            bigint       PRIMARY KEY,
    name          varchar(100) NOT NULL,
    quota_granted bigint       NOT NULL, -- for each month
    quota_left    bigint       NOT NULL, -- granted less the sum of the month's charges
    quota_month   integer      NOT NULL DEFAULT 0 -- the month of quota_left, such as 202611
);

CREATE TABLE IF NOT EXISTS app (
    id                 uuid         PRIMARY KEY,
    workspace_id       bigint       NOT NULL,
    name               varchar(100) NOT NULL,
    status             varchar(100) NOT NULL DEFAULT 'draft',
    publisher          uuid,
    publishing_since   timestamp(6) with time zone,
    database_status    varchar(100) NOT NULL DEFAULT 'none',
    provisioner        uuid,
    provisioning_since timestamp(6) with time zone,
    provisionings      integer      NOT NULL DEFAULT 0, -- how often a database was begun
    version            bigint       NOT NULL DEFAULT 1, -- every change adds one
    deleted_at         timestamp(6) with time zone,
    updated_at         timestamp(6) with time zone, -- when its publication moved last
    artifact           varchar(64),               -- the digest of what is published
    publication_error  varchar(200)               -- why the latest publication failed; null if it did not
);
CREATE INDEX IF NOT EXISTS app_by_publishing ON app (status, publishing_since);
CREATE INDEX IF NOT EXISTS app_by_provisioning ON app (database_status, provisioning_since);

CREATE TABLE IF NOT EXISTS app_version (
    id     uuid    PRIMARY KEY,
    app_id uuid    NOT NULL,
    number integer NOT NULL
);
CREATE INDEX IF NOT EXISTS app_version_of_app ON app_version (app_id);

CREATE TABLE IF NOT EXISTS app_policy (
    id     uuid         PRIMARY KEY,
    app_id uuid         NOT NULL,
    access varchar(100) NOT NULL
);
CREATE INDEX IF NOT EXISTS app_policy_of_app ON app_policy (app_id);

-- The workers that run executions, and when each was last seen alive.
CREATE TABLE IF NOT EXISTS worker (
    id           uuid                        PRIMARY KEY,
    pid          bigint                      NOT NULL,
    seen_at      timestamp(6) with time zone NOT NULL,
    lines        bigint                      NOT NULL DEFAULT 0, -- of logs that it has written
    longest_wait bigint                      NOT NULL DEFAULT 0  -- of one of them, in milliseconds
);

CREATE TABLE IF NOT EXISTS execution (
    id            uuid                        PRIMARY KEY,
    workspace_id  bigint                      NOT NULL,
    app_id        uuid,                                 -- null if the app is gone
    status        varchar(100)                NOT NULL, -- queued, running, succeeded, failed
    worker        uuid,                                 -- that has it; null while it is queued
    triggered_at  timestamp(6) with time zone NOT NULL,
    started_at    timestamp(6) with time zone,
    completed_at  timestamp(6) with time zone,
    error_message varchar(200)
);
CREATE INDEX IF NOT EXISTS execution_of_workspace ON execution (workspace_id);
CREATE INDEX IF NOT EXISTS execution_by_status ON execution (status);
CREATE INDEX IF NOT EXISTS execution_by_trigger ON execution (triggered_at);

-- What executions have made: one row each, with no constraint that says so.
CREATE TABLE IF NOT EXISTS execution_result (
    id           uuid PRIMARY KEY,
    execution_id uuid NOT NULL,
    worker       uuid NOT NULL
);
CREATE INDEX IF NOT EXISTS execution_result_of_execution ON execution_result (execution_id);

CREATE TABLE IF NOT EXISTS execution_log (
    id           uuid         PRIMARY KEY,
    execution_id uuid         NOT NULL,
    line         integer      NOT NULL,
    text         varchar(200) NOT NULL
);
CREATE INDEX IF NOT EXISTS execution_log_of_execution ON execution_log (execution_id);

CREATE TABLE IF NOT EXISTS charge (
    id             uuid                        PRIMARY KEY,
    workspace_id   bigint                      NOT NULL,
    transaction_id varchar(255)                NOT NULL,
    amount         bigint                      NOT NULL,
    charged_at     timestamp(6) with time zone NOT NULL,
    quota_month    integer                     NOT NULL DEFAULT 0,     -- whose quota it was taken from
    status         varchar(20)                 NOT NULL DEFAULT 'paid' -- reserved, then paid or refused
);
CREATE UNIQUE INDEX IF NOT EXISTS charge_once ON charge (workspace_id, transaction_id);

-- What follows the tables above with a delay.
-- Apps as search knows them.
CREATE TABLE IF NOT EXISTS search_entry (
    app_id       uuid         PRIMARY KEY,
    workspace_id bigint       NOT NULL,
    name         varchar(100) NOT NULL,
    version      bigint       NOT NULL, -- of the app; an earlier one is not written
    gone         boolean      NOT NULL  -- deleted, and not found
);
CREATE INDEX IF NOT EXISTS search_entry_of_workspace ON search_entry (workspace_id);
-- Executions by windows of ten seconds. Windows before sealed_until are counted for good, the others again in each round.
CREATE TABLE IF NOT EXISTS usage_window (
    workspace_id bigint NOT NULL,
    window_start bigint NOT NULL, -- seconds since 1970
    executions   bigint NOT NULL,
    PRIMARY KEY (workspace_id, window_start)
);
CREATE INDEX IF NOT EXISTS usage_window_by_start ON usage_window (window_start);
CREATE TABLE IF NOT EXISTS usage_progress (
    id           integer                     PRIMARY KEY,
    sealed_until bigint                      NOT NULL,
    counted_at   timestamp(6) with time zone NOT NULL,
    executions   bigint                      NOT NULL DEFAULT 0, -- counted by rounds
    longest_wait bigint                      NOT NULL DEFAULT 0  -- until a round counted one, in milliseconds
);
INSERT INTO usage_progress (id, sealed_until, counted_at)
    SELECT 1, 0, CURRENT_TIMESTAMP WHERE NOT EXISTS (SELECT 1 FROM usage_progress WHERE id = 1);

-- Since when lags are measured.
CREATE TABLE IF NOT EXISTS lag_measurement (
    since timestamp(6) with time zone NOT NULL
);
INSERT INTO lag_measurement (since) SELECT CURRENT_TIMESTAMP WHERE NOT EXISTS (SELECT 1 FROM lag_measurement);

-- The migration: apps as they were, by user, and as they are to be, by workspace. One row says which are written.
CREATE TABLE IF NOT EXISTS app_path (
    id     varchar(36)  PRIMARY KEY, -- apps
    status varchar(100) NOT NULL     -- old, both, new
);
INSERT INTO app_path (id, status) SELECT 'apps', 'old' WHERE NOT EXISTS (SELECT 1 FROM app_path);
CREATE TABLE IF NOT EXISTS workspace_of_user (
    user_id      bigint PRIMARY KEY,
    workspace_id bigint NOT NULL
);
CREATE TABLE IF NOT EXISTS app_by_user (
    id      uuid         PRIMARY KEY,
    user_id bigint       NOT NULL,
    name    varchar(100) NOT NULL,
    version bigint       NOT NULL DEFAULT 1
);
CREATE TABLE IF NOT EXISTS app_by_workspace (
    id           uuid         PRIMARY KEY,
    workspace_id bigint       NOT NULL,
    name         varchar(100) NOT NULL,
    version      bigint       NOT NULL DEFAULT 1
);
