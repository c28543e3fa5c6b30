-- The keys of a client's calls, for PostgreSQL 13 and later and H2 2.3 and later: one row for each call.
-- Copy it into your migrations. The names may not be changed.

CREATE TABLE IF NOT EXISTS idempotency_client_key (
    call_id     varchar(255)                NOT NULL PRIMARY KEY, -- the caller's name for the call
    call_key    varchar(255)                NOT NULL,             -- what all tries send
    fingerprint varchar(64)                 NOT NULL,             -- of method, path, query, media type and body
    begun_at    timestamp(6) with time zone NOT NULL,
    state       varchar(10)                 NOT NULL,             -- UNFINISHED or DONE
    done_at     timestamp(6) with time zone
);

CREATE INDEX IF NOT EXISTS idempotency_client_key_state ON idempotency_client_key (state, begun_at);
