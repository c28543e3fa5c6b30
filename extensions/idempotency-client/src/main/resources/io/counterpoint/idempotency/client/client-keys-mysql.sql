-- The keys of a client's calls, for MySQL 8.0.17 and later: one row for each call.
-- Copy it into your migrations. The names may not be changed.
-- The collation compares exactly: another one would take two calls for one.

CREATE TABLE IF NOT EXISTS idempotency_client_key (
    call_id     varchar(255) NOT NULL PRIMARY KEY, -- the caller's name for the call
    call_key    varchar(255) NOT NULL,             -- what all tries send
    fingerprint varchar(64)  NOT NULL,             -- of method, path, query, media type and body
    begun_at    datetime(6)  NOT NULL,             -- times are in UTC
    state       varchar(10)  NOT NULL,             -- UNFINISHED or DONE
    done_at     datetime(6),
    KEY idempotency_client_key_state (state, begun_at)
) ENGINE = InnoDB ROW_FORMAT = DYNAMIC DEFAULT CHARACTER SET utf8mb4 COLLATE utf8mb4_0900_bin;
