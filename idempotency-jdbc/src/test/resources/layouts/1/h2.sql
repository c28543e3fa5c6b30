CREATE TABLE IF NOT EXISTS idempotency_record (
    scope           varchar(255)                NOT NULL,
    operation       varchar(255)                NOT NULL,
    key_value       varchar(255)                NOT NULL,
    protocol        char(1)                     NOT NULL,
    state           char(1)                     NOT NULL,
    token           uuid                        NOT NULL,
    fingerprint     binary(32)                  NOT NULL,
    payload         varbinary(16777216),
    failure_code    varchar(100),
    failure_message varchar(1000),
    created_at      timestamp(6) with time zone NOT NULL,
    updated_at      timestamp(6) with time zone NOT NULL,
    expires_at      timestamp(6) with time zone NOT NULL,
    PRIMARY KEY (scope, operation, key_value),
    CHECK (protocol IN ('C', 'S', 'E')),
    CHECK (state IN ('P', 'S', 'F')),
    CHECK ((state = 'F') = (failure_code IS NOT NULL)),
    CHECK ((state = 'F') = (failure_message IS NOT NULL)),
    CHECK (state <> 'F' OR payload IS NULL),
    CHECK (expires_at >= created_at)
);

CREATE INDEX IF NOT EXISTS idempotency_record_expires_at ON idempotency_record (expires_at);
