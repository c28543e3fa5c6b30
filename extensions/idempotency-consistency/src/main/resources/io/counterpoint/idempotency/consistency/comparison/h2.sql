-- How far comparisons are and what they have found, for H2 2.2 and later. Copy it into your migrations.

CREATE TABLE IF NOT EXISTS comparison_run (
    comparison     varchar(100) PRIMARY KEY,
    token          uuid         NOT NULL, -- the next writer has to know it
    mark           varchar(10000),             -- the last key up to which everything is done
    old_rows       bigint       NOT NULL,
    new_rows       bigint       NOT NULL,
    missing_in_old bigint       NOT NULL,
    missing_in_new bigint       NOT NULL,
    different      bigint       NOT NULL,
    dismissed      bigint       NOT NULL,
    unsettled      bigint       NOT NULL,
    finished       boolean      NOT NULL,
    started_at     timestamp with time zone NOT NULL,
    updated_at     timestamp with time zone NOT NULL
);

CREATE TABLE IF NOT EXISTS comparison_finding (
    comparison varchar(100) NOT NULL,
    number     bigint       NOT NULL, -- from 1, in the order of the keys
    kind       char(1)      NOT NULL, -- O: missing in old, N: missing in new, D: different
    row_key    varchar(10000) NOT NULL,
    fields     varchar(10000) NOT NULL, -- the fields that differ, one a line
    old_value  varchar,               -- the rows as JSON, as they were confirmed; null if there is none
    new_value  varchar,
    evidence   varbinary(32) NOT NULL, -- SHA-256 of the key and both rows as they were confirmed
    settled    boolean       NOT NULL, -- a repair has found both rows to be equal
    PRIMARY KEY (comparison, number)
);
CREATE INDEX IF NOT EXISTS comparison_finding_key ON comparison_finding (comparison, row_key);

CREATE TABLE IF NOT EXISTS comparison_decision (
    comparison varchar(100) NOT NULL,
    evidence   varbinary(32) NOT NULL, -- of the finding
    decision   varchar(5) NOT NULL, -- OLD: the old side is right, NEW: the new one, LEAVE: both stay
    decided_at timestamp with time zone NOT NULL,
    PRIMARY KEY (comparison, evidence)
);
