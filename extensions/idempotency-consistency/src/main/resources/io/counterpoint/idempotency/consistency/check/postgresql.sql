-- What repairs have changed, for PostgreSQL 13 and later: one row for each row that a repair has changed.
-- Copy it into your migrations. The table's name may be changed, the columns' names may not.

CREATE TABLE IF NOT EXISTS repair_audit (
    seq           bigint                      GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    run           uuid                        NOT NULL,
    repair        varchar(100)                NOT NULL,
    table_name    varchar(100)                NOT NULL,
    row_key       varchar(255)                NOT NULL,
    values_before varchar(65536)              NOT NULL, -- JSON of the recorded columns
    values_after  varchar(65536),                       -- null if the row was deleted
    changed_at    timestamp(6) with time zone NOT NULL
);

CREATE INDEX IF NOT EXISTS repair_audit_run ON repair_audit (run, seq);
