CREATE TABLE IF NOT EXISTS idempotency_record (
    scope           varchar(255) COLLATE "C" NOT NULL,
    operation       varchar(255) COLLATE "C" NOT NULL,
    key_value       varchar(255) COLLATE "C" NOT NULL,
    protocol        char(1)      NOT NULL,
    state           char(1)      NOT NULL,
    token           uuid         NOT NULL,
    fingerprint     bytea        NOT NULL,
    payload         bytea,
    failure_code    varchar(100),
    failure_message varchar(1000),
    created_at      timestamptz  NOT NULL,
    updated_at      timestamptz  NOT NULL,
    expires_at      timestamptz  NOT NULL,
    PRIMARY KEY (scope, operation, key_value),
    CHECK (protocol IN ('C', 'S', 'E')),
    CHECK (state IN ('P', 'S', 'F')),
    CHECK (octet_length(fingerprint) = 32),
    CHECK ((state = 'F') = (failure_code IS NOT NULL)),
    CHECK ((state = 'F') = (failure_message IS NOT NULL)),
    CHECK (state <> 'F' OR payload IS NULL),
    CHECK (expires_at >= created_at)
) WITH (fillfactor = 80);

CREATE INDEX IF NOT EXISTS idempotency_record_expires_at ON idempotency_record (expires_at);
