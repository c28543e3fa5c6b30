INSERT INTO idempotency_record (scope, operation, key_value, protocol, state, token, fingerprint, payload, failure_code, failure_message, created_at, updated_at, expires_at)
    VALUES ('user:1', 'operate', 'claim-failed', 'C', 'F', '3ee49f0b-19b2-cf69-ebee-b08d480c025e',
        X'52e68e8c97d3ebb4fb57e2142432a8f078ccf7061717643c4041ea470e7debaa', NULL, 'IllegalArgumentException', '',
        TIMESTAMP WITH TIME ZONE '2020-01-01 00:00:00+00', TIMESTAMP WITH TIME ZONE '2020-01-01 00:00:01+00', TIMESTAMP WITH TIME ZONE '2120-01-01 00:00:00+00');
INSERT INTO idempotency_record (scope, operation, key_value, protocol, state, token, fingerprint, payload, failure_code, failure_message, created_at, updated_at, expires_at)
    VALUES ('user:1', 'operate', 'claim-pending', 'C', 'P', '8bc24821-d1e3-2d9a-f671-35353e1e16f7',
        X'52e68e8c97d3ebb4fb57e2142432a8f078ccf7061717643c4041ea470e7debaa', NULL, NULL, NULL,
        TIMESTAMP WITH TIME ZONE '2020-01-01 00:00:00+00', TIMESTAMP WITH TIME ZONE '2020-01-01 00:00:01+00', TIMESTAMP WITH TIME ZONE '2120-01-01 00:00:00+00');
INSERT INTO idempotency_record (scope, operation, key_value, protocol, state, token, fingerprint, payload, failure_code, failure_message, created_at, updated_at, expires_at)
    VALUES ('user:1', 'operate', 'claim-pending-plan', 'C', 'P', 'df04c684-5235-51e0-cc69-b356ff5e1815',
        X'52e68e8c97d3ebb4fb57e2142432a8f078ccf7061717643c4041ea470e7debaa', X'726573756c74', NULL, NULL,
        TIMESTAMP WITH TIME ZONE '2020-01-01 00:00:00+00', TIMESTAMP WITH TIME ZONE '2020-01-01 00:00:01+00', TIMESTAMP WITH TIME ZONE '2120-01-01 00:00:00+00');
INSERT INTO idempotency_record (scope, operation, key_value, protocol, state, token, fingerprint, payload, failure_code, failure_message, created_at, updated_at, expires_at)
    VALUES ('user:1', 'operate', 'claim-planned', 'C', 'S', 'b92772db-ee0a-f645-1f14-7319a9dd7dee',
        X'52e68e8c97d3ebb4fb57e2142432a8f078ccf7061717643c4041ea470e7debaa', X'726573756c74', NULL, NULL,
        TIMESTAMP WITH TIME ZONE '2020-01-01 00:00:00+00', TIMESTAMP WITH TIME ZONE '2020-01-01 00:00:01+00', TIMESTAMP WITH TIME ZONE '2120-01-01 00:00:00+00');
INSERT INTO idempotency_record (scope, operation, key_value, protocol, state, token, fingerprint, payload, failure_code, failure_message, created_at, updated_at, expires_at)
    VALUES ('user:1', 'operate', 'claim-succeeded', 'C', 'S', '4ca6b7c4-827b-8597-de28-153e657427eb',
        X'52e68e8c97d3ebb4fb57e2142432a8f078ccf7061717643c4041ea470e7debaa', X'726573756c74', NULL, NULL,
        TIMESTAMP WITH TIME ZONE '2020-01-01 00:00:00+00', TIMESTAMP WITH TIME ZONE '2020-01-01 00:00:01+00', TIMESTAMP WITH TIME ZONE '2120-01-01 00:00:00+00');
INSERT INTO idempotency_record (scope, operation, key_value, protocol, state, token, fingerprint, payload, failure_code, failure_message, created_at, updated_at, expires_at)
    VALUES ('user:1', 'operate', 'single-failed', 'S', 'F', '6be088d8-c13c-955e-96f2-cebfb9057f87',
        X'52e68e8c97d3ebb4fb57e2142432a8f078ccf7061717643c4041ea470e7debaa', NULL, 'IllegalArgumentException', '',
        TIMESTAMP WITH TIME ZONE '2020-01-01 00:00:00+00', TIMESTAMP WITH TIME ZONE '2020-01-01 00:00:01+00', TIMESTAMP WITH TIME ZONE '2120-01-01 00:00:00+00');
INSERT INTO idempotency_record (scope, operation, key_value, protocol, state, token, fingerprint, payload, failure_code, failure_message, created_at, updated_at, expires_at)
    VALUES ('user:1', 'operate', 'single-succeeded', 'S', 'S', '5e538260-f350-6e2b-4ed9-aa04bff697da',
        X'52e68e8c97d3ebb4fb57e2142432a8f078ccf7061717643c4041ea470e7debaa', X'726573756c74', NULL, NULL,
        TIMESTAMP WITH TIME ZONE '2020-01-01 00:00:00+00', TIMESTAMP WITH TIME ZONE '2020-01-01 00:00:01+00', TIMESTAMP WITH TIME ZONE '2120-01-01 00:00:00+00');
INSERT INTO idempotency_record (scope, operation, key_value, protocol, state, token, fingerprint, payload, failure_code, failure_message, created_at, updated_at, expires_at)
    VALUES ('user:1', 'pay', 'external-failed', 'E', 'F', 'b2b4e889-d147-086b-62cc-afbe7808af3e',
        X'52e68e8c97d3ebb4fb57e2142432a8f078ccf7061717643c4041ea470e7debaa', NULL, 'IllegalArgumentException', '',
        TIMESTAMP WITH TIME ZONE '2020-01-01 00:00:00+00', TIMESTAMP WITH TIME ZONE '2020-01-01 00:00:01+00', TIMESTAMP WITH TIME ZONE '2120-01-01 00:00:00+00');
INSERT INTO idempotency_record (scope, operation, key_value, protocol, state, token, fingerprint, payload, failure_code, failure_message, created_at, updated_at, expires_at)
    VALUES ('user:1', 'pay', 'external-pending', 'E', 'P', '5e1bcba4-0e78-9915-7221-0f2e95b5c6d8',
        X'52e68e8c97d3ebb4fb57e2142432a8f078ccf7061717643c4041ea470e7debaa', NULL, NULL, NULL,
        TIMESTAMP WITH TIME ZONE '2020-01-01 00:00:00+00', TIMESTAMP WITH TIME ZONE '2020-01-01 00:00:01+00', TIMESTAMP WITH TIME ZONE '2120-01-01 00:00:00+00');
INSERT INTO idempotency_record (scope, operation, key_value, protocol, state, token, fingerprint, payload, failure_code, failure_message, created_at, updated_at, expires_at)
    VALUES ('user:1', 'pay', 'external-pending-plan', 'E', 'P', '662a15c4-cb15-332e-afc6-84e9bd6aeb90',
        X'52e68e8c97d3ebb4fb57e2142432a8f078ccf7061717643c4041ea470e7debaa', X'726573756c74', NULL, NULL,
        TIMESTAMP WITH TIME ZONE '2020-01-01 00:00:00+00', TIMESTAMP WITH TIME ZONE '2020-01-01 00:00:01+00', TIMESTAMP WITH TIME ZONE '2120-01-01 00:00:00+00');
INSERT INTO idempotency_record (scope, operation, key_value, protocol, state, token, fingerprint, payload, failure_code, failure_message, created_at, updated_at, expires_at)
    VALUES ('user:1', 'pay', 'external-succeeded', 'E', 'S', '12cf8c26-7c97-cb24-2980-1f1fc3545be9',
        X'52e68e8c97d3ebb4fb57e2142432a8f078ccf7061717643c4041ea470e7debaa', X'726573756c74', NULL, NULL,
        TIMESTAMP WITH TIME ZONE '2020-01-01 00:00:00+00', TIMESTAMP WITH TIME ZONE '2020-01-01 00:00:01+00', TIMESTAMP WITH TIME ZONE '2120-01-01 00:00:00+00');
