-- Both PostgreSQL and H2. No foreign keys and no other constraint that would keep away what the library keeps away, but
-- for money: tables like these have grown for years, and if the library failed it would show.

CREATE TABLE IF NOT EXISTS workspace (
    id            bigint       PRIMARY KEY,
    name          varchar(100) NOT NULL,
    quota_granted bigint       NOT NULL, -- for each month
    quota_left    bigint       NOT NULL, -- granted less the sum of the month's charges
    used_requests bigint       NOT NULL, -- the number of its executions
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
    version            bigint       NOT NULL DEFAULT 1, -- every change adds one
    deleted_at         timestamp(6) with time zone,
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

-- Stands in for the server that apps' databases are made on: what it has is committed by itself.
CREATE TABLE IF NOT EXISTS server_schema (
    app_id uuid    PRIMARY KEY,
    tables integer NOT NULL
);

-- The runners of executions, and when each was last seen alive.
CREATE TABLE IF NOT EXISTS runner (
    id      uuid                        PRIMARY KEY,
    seen_at timestamp(6) with time zone NOT NULL
);

CREATE TABLE IF NOT EXISTS execution (
    id            uuid                        PRIMARY KEY,
    workspace_id  bigint                      NOT NULL,
    app_id        uuid,                                 -- null if the app is gone
    runner        uuid                        NOT NULL,
    status        varchar(100)                NOT NULL, -- running, succeeded, failed
    started_at    timestamp(6) with time zone NOT NULL,
    completed_at  timestamp(6) with time zone,
    error_message varchar(200)
);
CREATE INDEX IF NOT EXISTS execution_of_workspace ON execution (workspace_id);
CREATE INDEX IF NOT EXISTS execution_by_status ON execution (status);

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
-- The nodes that have a search index, each with a topic of its own, and when each was last seen.
CREATE TABLE IF NOT EXISTS search_node (
    id      uuid                        PRIMARY KEY,
    seen_at timestamp(6) with time zone NOT NULL
);
-- What nodes have found: their indexes and the tables differ.
CREATE TABLE IF NOT EXISTS search_difference (
    id       uuid         PRIMARY KEY,
    node_id  uuid         NOT NULL,
    app_id   uuid         NOT NULL,
    in_table varchar(200),                -- null if the table does not have it
    in_index varchar(200),                -- null if the index does not have it
    asked_at timestamp(6) with time zone  -- when the node got an event to read it again
);
CREATE TABLE IF NOT EXISTS usage_statistics (
    workspace_id bigint PRIMARY KEY,
    executions   bigint NOT NULL
);

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
    version bigint       NOT NULL
);
CREATE TABLE IF NOT EXISTS app_by_workspace (
    id           uuid         PRIMARY KEY,
    workspace_id bigint       NOT NULL,
    name         varchar(100) NOT NULL,
    version      bigint       NOT NULL DEFAULT 1
);
-- What differed at the latest comparison, with what both tables say.
CREATE TABLE IF NOT EXISTS migration_finding (
    app_id     uuid         PRIMARY KEY,
    old_value  varchar(300),            -- null if the old table has no such row
    new_value  varchar(300),            -- null if the new one has none
    right_side varchar(3)               -- old or new; null until it is chosen
);
