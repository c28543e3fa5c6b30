-- The records of idempotent operations, for PostgreSQL 13 and later.
-- Copy it into your migrations. The table's name may be changed, the columns' names may not.

CREATE TABLE IF NOT EXISTS idempotency_record (
    scope           varchar(255) COLLATE "C" NOT NULL,
    operation       varchar(255) COLLATE "C" NOT NULL,
    key_value       varchar(255) COLLATE "C" NOT NULL,
    protocol        char(1)      NOT NULL, -- C: claim first, S: single transaction, E, T, K, B: external
    state           char(1)      NOT NULL, -- P: pending, S: succeeded, F: failed
    token           uuid         NOT NULL, -- the next write has to state it
    fingerprint     bytea        NOT NULL, -- SHA-256 of the request
    payload         bytea,                 -- the plan while pending, the result once succeeded
    failure_code    varchar(100),
    failure_message varchar(1000),
    created_at      timestamptz  NOT NULL,
    updated_at      timestamptz  NOT NULL,
    expires_at      timestamptz  NOT NULL, -- never changes, so a mark touches no index
    PRIMARY KEY (key_value, scope, operation) -- the newest keys share pages, if they sort by time
) WITH (fillfactor = 80); -- room on the page for the one update that most records see

CREATE INDEX IF NOT EXISTS idempotency_record_expires_at ON idempotency_record (expires_at);
