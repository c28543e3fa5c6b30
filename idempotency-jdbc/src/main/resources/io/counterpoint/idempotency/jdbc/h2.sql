-- The records of idempotent operations, for H2 2.2 and later.
-- Copy it into your migrations. The table's name may be changed, the columns' names may not.
-- A file database needs ;WRITE_DELAY=0 in its URL, or it loses acknowledged commits when the process is killed.

CREATE TABLE IF NOT EXISTS idempotency_record (
    scope           varchar(255)                NOT NULL,
    operation       varchar(255)                NOT NULL,
    key_value       varchar(255)                NOT NULL,
    protocol        char(1)                     NOT NULL, -- C: claim first, S: single transaction, E, T, K, B: external
    state           char(1)                     NOT NULL, -- P: pending, S: succeeded, F: failed
    token           uuid                        NOT NULL, -- the next write has to state it
    fingerprint     binary(32)                  NOT NULL, -- SHA-256 of the request
    payload         varbinary(16777216),                  -- the plan while pending, the result once succeeded
    failure_code    varchar(100),
    failure_message varchar(1000),
    created_at      timestamp(6) with time zone NOT NULL,
    updated_at      timestamp(6) with time zone NOT NULL,
    expires_at      timestamp(6) with time zone NOT NULL,
    PRIMARY KEY (key_value, scope, operation) -- the newest keys share pages, if they sort by time
);

CREATE INDEX IF NOT EXISTS idempotency_record_expires_at ON idempotency_record (expires_at);
