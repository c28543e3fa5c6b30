-- The transactional outbox, for H2 2.3 and later: one row for each event.
-- Copy it into your migrations. The table's name may be changed, the columns' names may not.

CREATE TABLE IF NOT EXISTS outbox_event (
    seq           bigint                      GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    id            uuid                        NOT NULL UNIQUE, -- what consumers tell duplicates by
    topic         varchar(100)                NOT NULL,
    order_key     varchar(255),                                -- events with the same one go out in order
    payload       varchar(1048576)            NOT NULL,
    appended_at   timestamp(6) with time zone NOT NULL,
    due_at        timestamp(6) with time zone,                 -- not claimed before: its append, a claim's end, a pause after a failure.
                                                               -- Null where it is published, parked, or behind another of its key
    attempts      integer                     NOT NULL,        -- claims so far
    claim         uuid,                                        -- of the publisher that has it
    last_error    varchar(1000),
    parked_at     timestamp(6) with time zone,                 -- given up, until an operator decides
    published_at  timestamp(6) with time zone
);

CREATE INDEX IF NOT EXISTS outbox_event_due ON outbox_event (topic, due_at, seq);
CREATE INDEX IF NOT EXISTS outbox_event_ordered ON outbox_event (topic, order_key, published_at, seq);
CREATE INDEX IF NOT EXISTS outbox_event_published ON outbox_event (published_at);
