-- The history of status transitions, for H2 2.3 and later: one row for each move.
-- Copy it into your migrations. The table's name may be changed, the columns' names may not.

CREATE TABLE IF NOT EXISTS transition_history (
    seq         bigint                      GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    machine     varchar(100)                NOT NULL, -- the graph's name
    entity_id   varchar(255)                NOT NULL,
    from_state  varchar(100)                NOT NULL,
    to_state    varchar(100)                NOT NULL,
    owner       uuid,                                 -- of the state moved to, where it has one
    moved_at    timestamp(6) with time zone NOT NULL
);

CREATE INDEX IF NOT EXISTS transition_history_entity ON transition_history (machine, entity_id, seq);
