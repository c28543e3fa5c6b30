INSERT INTO idempotency_record (scope, operation, key_value, protocol, state, token, fingerprint, payload, failure_code, failure_message, created_at, updated_at, expires_at)
    VALUES ('user:1', 'operate', 'claim-failed', 'C', 'F', '6fe39a82-d073-2e6a-c811-6bb14c61de13',
        '\x52e68e8c97d3ebb4fb57e2142432a8f078ccf7061717643c4041ea470e7debaa', NULL, 'IllegalArgumentException', '',
        TIMESTAMP WITH TIME ZONE '2020-01-01 00:00:00+00', TIMESTAMP WITH TIME ZONE '2020-01-01 00:00:01+00', TIMESTAMP WITH TIME ZONE '2120-01-01 00:00:00+00');
INSERT INTO idempotency_record (scope, operation, key_value, protocol, state, token, fingerprint, payload, failure_code, failure_message, created_at, updated_at, expires_at)
    VALUES ('user:1', 'operate', 'claim-pending', 'C', 'P', '49b29482-aa03-6a73-6fe5-2f291a1c738b',
        '\x52e68e8c97d3ebb4fb57e2142432a8f078ccf7061717643c4041ea470e7debaa', NULL, NULL, NULL,
        TIMESTAMP WITH TIME ZONE '2020-01-01 00:00:00+00', TIMESTAMP WITH TIME ZONE '2020-01-01 00:00:01+00', TIMESTAMP WITH TIME ZONE '2120-01-01 00:00:00+00');
INSERT INTO idempotency_record (scope, operation, key_value, protocol, state, token, fingerprint, payload, failure_code, failure_message, created_at, updated_at, expires_at)
    VALUES ('user:1', 'operate', 'claim-pending-plan', 'C', 'P', '2c20c3e4-6826-352d-937a-f6ef356e20f5',
        '\x52e68e8c97d3ebb4fb57e2142432a8f078ccf7061717643c4041ea470e7debaa', '\x726573756c74', NULL, NULL,
        TIMESTAMP WITH TIME ZONE '2020-01-01 00:00:00+00', TIMESTAMP WITH TIME ZONE '2020-01-01 00:00:01+00', TIMESTAMP WITH TIME ZONE '2120-01-01 00:00:00+00');
INSERT INTO idempotency_record (scope, operation, key_value, protocol, state, token, fingerprint, payload, failure_code, failure_message, created_at, updated_at, expires_at)
    VALUES ('user:1', 'operate', 'claim-planned', 'C', 'S', '708fc3a5-d9ca-0805-099f-396d1fb615cc',
        '\x52e68e8c97d3ebb4fb57e2142432a8f078ccf7061717643c4041ea470e7debaa', '\x726573756c74', NULL, NULL,
        TIMESTAMP WITH TIME ZONE '2020-01-01 00:00:00+00', TIMESTAMP WITH TIME ZONE '2020-01-01 00:00:01+00', TIMESTAMP WITH TIME ZONE '2120-01-01 00:00:00+00');
INSERT INTO idempotency_record (scope, operation, key_value, protocol, state, token, fingerprint, payload, failure_code, failure_message, created_at, updated_at, expires_at)
    VALUES ('user:1', 'operate', 'claim-succeeded', 'C', 'S', '5c71441a-79d2-6e40-a8b3-2f65fd47da12',
        '\x52e68e8c97d3ebb4fb57e2142432a8f078ccf7061717643c4041ea470e7debaa', '\x726573756c74', NULL, NULL,
        TIMESTAMP WITH TIME ZONE '2020-01-01 00:00:00+00', TIMESTAMP WITH TIME ZONE '2020-01-01 00:00:01+00', TIMESTAMP WITH TIME ZONE '2120-01-01 00:00:00+00');
INSERT INTO idempotency_record (scope, operation, key_value, protocol, state, token, fingerprint, payload, failure_code, failure_message, created_at, updated_at, expires_at)
    VALUES ('user:1', 'operate', 'single-failed', 'S', 'F', '41dd9dd5-2ebc-9e14-8df7-9b68e0c1a533',
        '\x52e68e8c97d3ebb4fb57e2142432a8f078ccf7061717643c4041ea470e7debaa', NULL, 'IllegalArgumentException', '',
        TIMESTAMP WITH TIME ZONE '2020-01-01 00:00:00+00', TIMESTAMP WITH TIME ZONE '2020-01-01 00:00:01+00', TIMESTAMP WITH TIME ZONE '2120-01-01 00:00:00+00');
INSERT INTO idempotency_record (scope, operation, key_value, protocol, state, token, fingerprint, payload, failure_code, failure_message, created_at, updated_at, expires_at)
    VALUES ('user:1', 'operate', 'single-succeeded', 'S', 'S', '4edf36e6-ea5d-5da8-831d-2f604b3c1d46',
        '\x52e68e8c97d3ebb4fb57e2142432a8f078ccf7061717643c4041ea470e7debaa', '\x726573756c74', NULL, NULL,
        TIMESTAMP WITH TIME ZONE '2020-01-01 00:00:00+00', TIMESTAMP WITH TIME ZONE '2020-01-01 00:00:01+00', TIMESTAMP WITH TIME ZONE '2120-01-01 00:00:00+00');
INSERT INTO idempotency_record (scope, operation, key_value, protocol, state, token, fingerprint, payload, failure_code, failure_message, created_at, updated_at, expires_at)
    VALUES ('user:1', 'pay', 'external-failed', 'E', 'F', '871264ec-7728-3d2f-54fe-ab0ab9b649c9',
        '\x52e68e8c97d3ebb4fb57e2142432a8f078ccf7061717643c4041ea470e7debaa', NULL, 'IllegalArgumentException', '',
        TIMESTAMP WITH TIME ZONE '2020-01-01 00:00:00+00', TIMESTAMP WITH TIME ZONE '2020-01-01 00:00:01+00', TIMESTAMP WITH TIME ZONE '2120-01-01 00:00:00+00');
INSERT INTO idempotency_record (scope, operation, key_value, protocol, state, token, fingerprint, payload, failure_code, failure_message, created_at, updated_at, expires_at)
    VALUES ('user:1', 'pay', 'external-pending', 'E', 'P', '9a26dadd-053a-3ac7-1b9b-68bd6a78cc6c',
        '\x52e68e8c97d3ebb4fb57e2142432a8f078ccf7061717643c4041ea470e7debaa', NULL, NULL, NULL,
        TIMESTAMP WITH TIME ZONE '2020-01-01 00:00:00+00', TIMESTAMP WITH TIME ZONE '2020-01-01 00:00:01+00', TIMESTAMP WITH TIME ZONE '2120-01-01 00:00:00+00');
INSERT INTO idempotency_record (scope, operation, key_value, protocol, state, token, fingerprint, payload, failure_code, failure_message, created_at, updated_at, expires_at)
    VALUES ('user:1', 'pay', 'external-pending-plan', 'E', 'P', 'ac5306f4-bf66-6bce-d1d3-af07a3b56258',
        '\x52e68e8c97d3ebb4fb57e2142432a8f078ccf7061717643c4041ea470e7debaa', '\x726573756c74', NULL, NULL,
        TIMESTAMP WITH TIME ZONE '2020-01-01 00:00:00+00', TIMESTAMP WITH TIME ZONE '2020-01-01 00:00:01+00', TIMESTAMP WITH TIME ZONE '2120-01-01 00:00:00+00');
INSERT INTO idempotency_record (scope, operation, key_value, protocol, state, token, fingerprint, payload, failure_code, failure_message, created_at, updated_at, expires_at)
    VALUES ('user:1', 'pay', 'external-succeeded', 'E', 'S', '6871da06-febf-fa0d-638d-b9e2840f4fdc',
        '\x52e68e8c97d3ebb4fb57e2142432a8f078ccf7061717643c4041ea470e7debaa', '\x726573756c74', NULL, NULL,
        TIMESTAMP WITH TIME ZONE '2020-01-01 00:00:00+00', TIMESTAMP WITH TIME ZONE '2020-01-01 00:00:01+00', TIMESTAMP WITH TIME ZONE '2120-01-01 00:00:00+00');
