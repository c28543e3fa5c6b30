-- What repairs have changed, for MySQL 8.0.17 and later: one row for each row that a repair has changed.
-- Copy it into your migrations. The table's name may be changed, the columns' names may not.
-- All times are UTC. The collation compares texts exactly.

CREATE TABLE IF NOT EXISTS repair_audit (
    seq           bigint       NOT NULL AUTO_INCREMENT PRIMARY KEY,
    run           char(36)     CHARACTER SET ascii COLLATE ascii_bin NOT NULL,
    repair        varchar(100) NOT NULL,
    table_name    varchar(100) NOT NULL,
    row_key       varchar(255) NOT NULL,
    values_before mediumtext   NOT NULL, -- JSON of the recorded columns
    values_after  mediumtext,            -- null if the row was deleted
    changed_at    datetime(6)  NOT NULL,
    INDEX repair_audit_run (run, seq)
) ENGINE = InnoDB DEFAULT CHARACTER SET utf8mb4 COLLATE utf8mb4_0900_bin;
