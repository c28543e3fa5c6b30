-- The resolutions that operators made, for PostgreSQL 13 and later: one row for each.
-- Copy it into your migrations. The table's name may be changed, the columns' names may not.

CREATE TABLE IF NOT EXISTS idempotency_audit (
    id          varchar(36)   NOT NULL PRIMARY KEY,
    asked_at    timestamptz   NOT NULL,
    operator    varchar(255)  NOT NULL,
    reason      varchar(1000) NOT NULL,
    operation   varchar(255)  NOT NULL,
    key_hash    varchar(64)   NOT NULL, -- of the key, never the key itself
    verdict     varchar(20)   NOT NULL, -- succeeded or failed, as the operator stated; or settle: the lookup decides
    outcome     varchar(20),            -- what retries get from then on; null where the end is not known
    answered_at timestamptz
);
