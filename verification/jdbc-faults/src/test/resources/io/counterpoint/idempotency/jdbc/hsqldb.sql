-- The records of idempotent operations, for HSQLDB 2.7.
-- The database needs SET DATABASE TRANSACTION CONTROL MVCC and SET DATABASE COLLATION SQL_TEXT NO PAD.

CREATE TABLE IF NOT EXISTS idempotency_record (
    scope           varchar(255)                NOT NULL,
    operation       varchar(255)                NOT NULL,
    key_value       varchar(255)                NOT NULL,
    protocol        char(1)                     NOT NULL, -- C: claim first, S: single transaction, E, T, K, B: external
    state           char(1)                     NOT NULL, -- P: pending, S: succeeded, F: failed
    token           uuid                        NOT NULL, -- the next write has to state it
    fingerprint     varbinary(32)               NOT NULL, -- SHA-256 of the request
    payload         varbinary(16777216),                  -- the plan while pending, the result once succeeded
    failure_code    varchar(100),
    failure_message varchar(1000),
    created_at      timestamp(6) with time zone NOT NULL,
    updated_at      timestamp(6) with time zone NOT NULL,
    expires_at      timestamp(6) with time zone NOT NULL,
    PRIMARY KEY (key_value, scope, operation)
);

CREATE INDEX IF NOT EXISTS idempotency_record_expires_at ON idempotency_record (expires_at);
