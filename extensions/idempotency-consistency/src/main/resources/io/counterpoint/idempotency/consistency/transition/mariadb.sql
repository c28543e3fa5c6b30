-- The history of status transitions, for MariaDB 10.6 and later: one row for each move.
-- Copy it into your migrations. The table's name may be changed, the columns' names may not.
-- All times are UTC. The collation compares texts exactly.

CREATE TABLE IF NOT EXISTS transition_history (
    seq         bigint       NOT NULL AUTO_INCREMENT PRIMARY KEY,
    machine     varchar(100) NOT NULL, -- the graph's name
    entity_id   varchar(255) NOT NULL,
    from_state  varchar(100) NOT NULL,
    to_state    varchar(100) NOT NULL,
    owner       char(36)     CHARACTER SET ascii COLLATE ascii_bin, -- of the state moved to, where it has one
    moved_at    datetime(6)  NOT NULL,
    INDEX transition_history_entity (machine, entity_id, seq)
) ENGINE = InnoDB DEFAULT CHARACTER SET utf8mb4 COLLATE utf8mb4_nopad_bin;
