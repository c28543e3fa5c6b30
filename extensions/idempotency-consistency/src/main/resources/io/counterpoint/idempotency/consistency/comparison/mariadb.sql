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
    old_value  mediumtext,            -- the rows as JSON, as they were confirmed; null if there is none
    new_value  mediumtext,
    evidence   varbinary(32) NOT NULL, -- SHA-256 of the key and both rows as they were confirmed
    settled    boolean       NOT NULL, -- a repair has found both rows to be equal
    PRIMARY KEY (comparison, number),
    KEY comparison_finding_key (comparison, row_key(64))
) ENGINE = InnoDB DEFAULT CHARACTER SET utf8mb4 COLLATE utf8mb4_nopad_bin;

CREATE TABLE IF NOT EXISTS comparison_decision (
    comparison varchar(100) NOT NULL,
    evidence   varbinary(32) NOT NULL, -- of the finding
    decision   varchar(5) NOT NULL, -- OLD: the old side is right, NEW: the new one, LEAVE: both stay
    decided_at datetime(6) NOT NULL,
    PRIMARY KEY (comparison, evidence)
) ENGINE = InnoDB DEFAULT CHARACTER SET utf8mb4 COLLATE utf8mb4_nopad_bin;
