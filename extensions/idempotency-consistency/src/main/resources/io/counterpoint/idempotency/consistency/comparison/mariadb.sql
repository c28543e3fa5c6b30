-- How far comparisons are and what they have found, for MariaDB 10.6 and later. Copy it into your migrations.
-- All times are UTC. The collation compares texts exactly.

CREATE TABLE IF NOT EXISTS comparison_run (
    comparison     varchar(100) NOT NULL PRIMARY KEY,
    token          char(36)     CHARACTER SET ascii COLLATE ascii_bin NOT NULL, -- the next writer has to know it
    mark           mediumtext,            -- the last key up to which everything is done
    old_rows       bigint       NOT NULL,
    new_rows       bigint       NOT NULL,
    missing_in_old bigint       NOT NULL,
    missing_in_new bigint       NOT NULL,
    different      bigint       NOT NULL,
    dismissed      bigint       NOT NULL,
    unsettled      bigint       NOT NULL,
    finished       boolean      NOT NULL,
    started_at     datetime(6)  NOT NULL,
    updated_at     datetime(6)  NOT NULL
) ENGINE = InnoDB DEFAULT CHARACTER SET utf8mb4 COLLATE utf8mb4_nopad_bin;

CREATE TABLE IF NOT EXISTS comparison_finding (
    comparison varchar(100)  NOT NULL,
    number     bigint        NOT NULL, -- from 1, in the order of the keys
    kind       char(1)       NOT NULL, -- O: missing in old, N: missing in new, D: different
    row_key    mediumtext    NOT NULL,
    fields     mediumtext    NOT NULL, -- the fields that differ, one a line
    evidence   varbinary(32) NOT NULL, -- SHA-256 of both rows as they were confirmed
    PRIMARY KEY (comparison, number)
) ENGINE = InnoDB DEFAULT CHARACTER SET utf8mb4 COLLATE utf8mb4_nopad_bin;
