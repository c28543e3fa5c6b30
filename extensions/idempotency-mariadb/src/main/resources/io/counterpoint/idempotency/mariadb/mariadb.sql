-- The records of idempotent operations, for MariaDB 10.6 and later.
-- Copy it into your migrations. The table's name may be changed, the columns' names may not.
-- The collation compares exactly: another one would take two keys for one.

CREATE TABLE IF NOT EXISTS idempotency_record (
    key_value       varchar(255)  NOT NULL,
    scope           varchar(255)  NOT NULL,
    operation       varchar(255)  NOT NULL,
    protocol        char(1)       NOT NULL, -- C: claim first, S: single transaction, E, T, K, B: external
    state           char(1)       NOT NULL, -- P: pending, S: succeeded, F: failed
    token           binary(16)    NOT NULL, -- the next write has to state it
    fingerprint     binary(32)    NOT NULL, -- SHA-256 of the request
    payload         longblob,               -- the plan while pending, the result once succeeded
    failure_code    varchar(100),
    failure_message varchar(1000),
    created_at      datetime(6)   NOT NULL, -- times are in UTC
    updated_at      datetime(6)   NOT NULL,
    expires_at      datetime(6)   NOT NULL,
    PRIMARY KEY (key_value, scope, operation),
    KEY idempotency_record_expires_at (expires_at)
) ENGINE = InnoDB ROW_FORMAT = DYNAMIC DEFAULT CHARACTER SET utf8mb4 COLLATE utf8mb4_nopad_bin;
