INSERT INTO idempotency_record (scope, operation, key_value, protocol, state, token, fingerprint, payload, failure_code, failure_message, created_at, updated_at, expires_at)
    VALUES ('user:1', 'operate', 'claim-failed', 'C', 'F', 'ada1590f-c19b-08a1-1428-199d633e75e5',
        '\x52e68e8c97d3ebb4fb57e2142432a8f078ccf7061717643c4041ea470e7debaa', NULL, 'IllegalArgumentException', '',
        TIMESTAMP WITH TIME ZONE '2020-01-01 00:00:00+00', TIMESTAMP WITH TIME ZONE '2020-01-01 00:00:01+00', TIMESTAMP WITH TIME ZONE '2120-01-01 00:00:00+00');
INSERT INTO idempotency_record (scope, operation, key_value, protocol, state, token, fingerprint, payload, failure_code, failure_message, created_at, updated_at, expires_at)
    VALUES ('user:1', 'operate', 'claim-pending', 'C', 'P', '2cbf7e80-777d-04d1-4798-6342cc487b81',
        '\x52e68e8c97d3ebb4fb57e2142432a8f078ccf7061717643c4041ea470e7debaa', NULL, NULL, NULL,
        TIMESTAMP WITH TIME ZONE '2020-01-01 00:00:00+00', TIMESTAMP WITH TIME ZONE '2020-01-01 00:00:01+00', TIMESTAMP WITH TIME ZONE '2120-01-01 00:00:00+00');
INSERT INTO idempotency_record (scope, operation, key_value, protocol, state, token, fingerprint, payload, failure_code, failure_message, created_at, updated_at, expires_at)
    VALUES ('user:1', 'operate', 'claim-pending-plan', 'C', 'P', '1bf10d4b-5a79-1a04-44e9-dec8fb2a8e39',
        '\x52e68e8c97d3ebb4fb57e2142432a8f078ccf7061717643c4041ea470e7debaa', '\x726573756c74', NULL, NULL,
        TIMESTAMP WITH TIME ZONE '2020-01-01 00:00:00+00', TIMESTAMP WITH TIME ZONE '2020-01-01 00:00:01+00', TIMESTAMP WITH TIME ZONE '2120-01-01 00:00:00+00');
INSERT INTO idempotency_record (scope, operation, key_value, protocol, state, token, fingerprint, payload, failure_code, failure_message, created_at, updated_at, expires_at)
    VALUES ('user:1', 'operate', 'claim-planned', 'C', 'S', '0f6974fb-e9ef-3064-001a-fca37fb6a3a3',
        '\x52e68e8c97d3ebb4fb57e2142432a8f078ccf7061717643c4041ea470e7debaa', '\x726573756c74', NULL, NULL,
        TIMESTAMP WITH TIME ZONE '2020-01-01 00:00:00+00', TIMESTAMP WITH TIME ZONE '2020-01-01 00:00:01+00', TIMESTAMP WITH TIME ZONE '2120-01-01 00:00:00+00');
INSERT INTO idempotency_record (scope, operation, key_value, protocol, state, token, fingerprint, payload, failure_code, failure_message, created_at, updated_at, expires_at)
    VALUES ('user:1', 'operate', 'claim-succeeded', 'C', 'S', '69c32fbd-60f8-e00f-c112-b5ade3346913',
        '\x52e68e8c97d3ebb4fb57e2142432a8f078ccf7061717643c4041ea470e7debaa', '\x726573756c74', NULL, NULL,
        TIMESTAMP WITH TIME ZONE '2020-01-01 00:00:00+00', TIMESTAMP WITH TIME ZONE '2020-01-01 00:00:01+00', TIMESTAMP WITH TIME ZONE '2120-01-01 00:00:00+00');
INSERT INTO idempotency_record (scope, operation, key_value, protocol, state, token, fingerprint, payload, failure_code, failure_message, created_at, updated_at, expires_at)
    VALUES ('user:1', 'operate', 'single-failed', 'S', 'F', '51e8e679-6488-0af8-bc55-29042296c346',
        '\x52e68e8c97d3ebb4fb57e2142432a8f078ccf7061717643c4041ea470e7debaa', NULL, 'IllegalArgumentException', '',
        TIMESTAMP WITH TIME ZONE '2020-01-01 00:00:00+00', TIMESTAMP WITH TIME ZONE '2020-01-01 00:00:01+00', TIMESTAMP WITH TIME ZONE '2120-01-01 00:00:00+00');
INSERT INTO idempotency_record (scope, operation, key_value, protocol, state, token, fingerprint, payload, failure_code, failure_message, created_at, updated_at, expires_at)
    VALUES ('user:1', 'operate', 'single-succeeded', 'S', 'S', 'dedfe44a-e0d1-2872-047d-a4c51452b9f8',
        '\x52e68e8c97d3ebb4fb57e2142432a8f078ccf7061717643c4041ea470e7debaa', '\x726573756c74', NULL, NULL,
        TIMESTAMP WITH TIME ZONE '2020-01-01 00:00:00+00', TIMESTAMP WITH TIME ZONE '2020-01-01 00:00:01+00', TIMESTAMP WITH TIME ZONE '2120-01-01 00:00:00+00');
INSERT INTO idempotency_record (scope, operation, key_value, protocol, state, token, fingerprint, payload, failure_code, failure_message, created_at, updated_at, expires_at)
    VALUES ('user:1', 'pay', 'external-failed', 'E', 'F', 'd0e24241-6d77-4b51-3746-cb5a36358fdb',
        '\x52e68e8c97d3ebb4fb57e2142432a8f078ccf7061717643c4041ea470e7debaa', NULL, 'IllegalArgumentException', '',
        TIMESTAMP WITH TIME ZONE '2020-01-01 00:00:00+00', TIMESTAMP WITH TIME ZONE '2020-01-01 00:00:01+00', TIMESTAMP WITH TIME ZONE '2120-01-01 00:00:00+00');
INSERT INTO idempotency_record (scope, operation, key_value, protocol, state, token, fingerprint, payload, failure_code, failure_message, created_at, updated_at, expires_at)
    VALUES ('user:1', 'pay', 'external-pending', 'E', 'P', '32f44b62-fb30-02ad-3b7b-4e2f3dd861ba',
        '\x52e68e8c97d3ebb4fb57e2142432a8f078ccf7061717643c4041ea470e7debaa', NULL, NULL, NULL,
        TIMESTAMP WITH TIME ZONE '2020-01-01 00:00:00+00', TIMESTAMP WITH TIME ZONE '2020-01-01 00:00:01+00', TIMESTAMP WITH TIME ZONE '2120-01-01 00:00:00+00');
INSERT INTO idempotency_record (scope, operation, key_value, protocol, state, token, fingerprint, payload, failure_code, failure_message, created_at, updated_at, expires_at)
    VALUES ('user:1', 'pay', 'external-pending-plan', 'E', 'P', 'e595858f-8460-b114-9154-5ce353bdfe99',
        '\x52e68e8c97d3ebb4fb57e2142432a8f078ccf7061717643c4041ea470e7debaa', '\x726573756c74', NULL, NULL,
        TIMESTAMP WITH TIME ZONE '2020-01-01 00:00:00+00', TIMESTAMP WITH TIME ZONE '2020-01-01 00:00:01+00', TIMESTAMP WITH TIME ZONE '2120-01-01 00:00:00+00');
INSERT INTO idempotency_record (scope, operation, key_value, protocol, state, token, fingerprint, payload, failure_code, failure_message, created_at, updated_at, expires_at)
    VALUES ('user:1', 'pay', 'external-succeeded', 'E', 'S', '457e20c9-b71d-3f28-f360-a16133688b65',
        '\x52e68e8c97d3ebb4fb57e2142432a8f078ccf7061717643c4041ea470e7debaa', '\x726573756c74', NULL, NULL,
        TIMESTAMP WITH TIME ZONE '2020-01-01 00:00:00+00', TIMESTAMP WITH TIME ZONE '2020-01-01 00:00:01+00', TIMESTAMP WITH TIME ZONE '2120-01-01 00:00:00+00');
