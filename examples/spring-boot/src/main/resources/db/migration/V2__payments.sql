CREATE TABLE payment (
    charge varchar(100) PRIMARY KEY,
    cents  bigint NOT NULL
);
