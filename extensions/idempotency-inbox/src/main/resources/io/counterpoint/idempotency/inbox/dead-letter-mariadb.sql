-- Messages that an inbox has given up, for MariaDB and MySQL. A person decides what becomes of a row, and deletes it.
CREATE TABLE IF NOT EXISTS inbox_dead_letter (
    -- The same however often the message arrives.
    id CHAR(64) CHARACTER SET ascii COLLATE ascii_bin NOT NULL PRIMARY KEY,
    inbox VARCHAR(255) NOT NULL,
    -- POISON, NO_IDENTITY, INVALID_IDENTITY, IDENTITY_REUSED or UNREADABLE.
    reason VARCHAR(30) NOT NULL,
    error VARCHAR(1000) NOT NULL,
    -- Where the message came from.
    origin VARCHAR(1000) NOT NULL,
    message_identity VARCHAR(1000),
    content LONGBLOB NOT NULL,
    -- In UTC.
    stored_at DATETIME(6) DEFAULT (UTC_TIMESTAMP(6)) NOT NULL
) ENGINE = InnoDB DEFAULT CHARACTER SET utf8mb4 COLLATE utf8mb4_bin
