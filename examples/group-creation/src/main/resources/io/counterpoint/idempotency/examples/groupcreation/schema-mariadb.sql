-- The domain, as in schema.sql, for MariaDB. The collation compares texts exactly.

create table if not exists chat_group (
    id char(36) character set ascii collate ascii_bin not null primary key,
    name varchar(80) not null
) engine = InnoDB default character set utf8mb4 collate utf8mb4_nopad_bin;

create table if not exists membership (
    group_id char(36) character set ascii collate ascii_bin not null,
    user_id varchar(80) not null,
    role varchar(10) not null check (role in ('owner', 'member')),
    primary key (group_id, user_id),
    foreign key (group_id) references chat_group (id),
    index membership_of_user (user_id)
) engine = InnoDB default character set utf8mb4 collate utf8mb4_nopad_bin;

create table if not exists conversation (
    id char(36) character set ascii collate ascii_bin not null primary key,
    group_id char(36) character set ascii collate ascii_bin not null,
    foreign key (group_id) references chat_group (id)
) engine = InnoDB default character set utf8mb4 collate utf8mb4_nopad_bin;
