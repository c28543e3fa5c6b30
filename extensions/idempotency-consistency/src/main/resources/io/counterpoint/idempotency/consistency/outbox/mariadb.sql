-- The transactional outbox, for MariaDB 10.6 and later: one row for each event.
-- Copy it into your migrations. The table's name may be changed, the columns' names may not.
-- All times are UTC. The collation compares texts exactly.

CREATE TABLE IF NOT EXISTS outbox_event (
    seq           bigint        NOT NULL AUTO_INCREMENT PRIMARY KEY,
    id            char(36)      CHARACTER SET ascii COLLATE ascii_bin NOT NULL UNIQUE, -- what consumers tell duplicates by
    topic         varchar(100)  NOT NULL,
    order_key     varchar(255),                -- events with the same one go out in order
    payload       mediumtext    NOT NULL,
    appended_at   datetime(6)   NOT NULL,
    due_at        datetime(6),                 -- not claimed before: its append, a claim's end, a pause after a failure.
                                               -- Null where it is published, parked, or behind another of its key
    attempts      integer       NOT NULL,      -- claims so far
    claim         char(36)      CHARACTER SET ascii COLLATE ascii_bin, -- of the publisher that has it
    last_error    varchar(1000),
    parked_at     datetime(6),                 -- given up, until an operator decides
    published_at  datetime(6),
    INDEX outbox_event_due (topic, due_at, seq),
    INDEX outbox_event_ordered (topic, order_key, published_at, seq),
    INDEX outbox_event_published (published_at)
) ENGINE = InnoDB DEFAULT CHARACTER SET utf8mb4 COLLATE utf8mb4_nopad_bin;
