CREATE TABLE chat_group (
    id      bigint ${identity} PRIMARY KEY,
    version bigint NOT NULL,
    name    varchar(100) NOT NULL,
    owner   varchar(100) NOT NULL,
    members integer NOT NULL
);
