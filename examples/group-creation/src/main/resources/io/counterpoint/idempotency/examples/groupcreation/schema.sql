-- The domain. It knows nothing of idempotency: no key, no token, no extra column. Runs on PostgreSQL and on H2.
-- Beside it stands the outbox's own table, outbox_event.

create table if not exists chat_group (
    id uuid primary key,
    name varchar(80) not null
);

create table if not exists membership (
    group_id uuid not null references chat_group (id),
    user_id varchar(80) not null,
    role varchar(10) not null check (role in ('owner', 'member')),
    primary key (group_id, user_id)
);

create index if not exists membership_of_user on membership (user_id);

create table if not exists conversation (
    id uuid primary key,
    group_id uuid not null references chat_group (id)
);
