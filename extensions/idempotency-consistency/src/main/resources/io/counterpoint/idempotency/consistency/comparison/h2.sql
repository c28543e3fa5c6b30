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
    evidence   varbinary(32) NOT NULL, -- SHA-256 of both rows as they were confirmed
    PRIMARY KEY (comparison, number)
);
