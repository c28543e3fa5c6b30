-- Messages that an inbox has given up, for PostgreSQL and H2. A person decides what becomes of a row, and deletes it.
CREATE TABLE IF NOT EXISTS inbox_dead_letter (
    -- The same however often the message arrives.
    id CHAR(64) NOT NULL PRIMARY KEY,
    inbox VARCHAR(255) NOT NULL,
    -- POISON, NO_IDENTITY, INVALID_IDENTITY, IDENTITY_REUSED or UNREADABLE.
    reason VARCHAR(30) NOT NULL,
    error VARCHAR(1000) NOT NULL,
    -- Where the message came from.
    origin VARCHAR(1000) NOT NULL,
    message_identity VARCHAR(1000),
    content BYTEA NOT NULL,
    stored_at TIMESTAMP WITH TIME ZONE DEFAULT CURRENT_TIMESTAMP NOT NULL
)
