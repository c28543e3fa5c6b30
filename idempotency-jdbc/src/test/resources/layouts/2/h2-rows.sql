INSERT INTO idempotency_record (scope, operation, key_value, protocol, state, token, fingerprint, payload, failure_code, failure_message, created_at, updated_at, expires_at)
    VALUES ('user:1', 'operate', 'claim-failed', 'C', 'F', 'c20f74da-4bef-ba9f-c552-619aa8060db8',
        X'52e68e8c97d3ebb4fb57e2142432a8f078ccf7061717643c4041ea470e7debaa', NULL, 'IllegalArgumentException', '',
        TIMESTAMP WITH TIME ZONE '2020-01-01 00:00:00+00', TIMESTAMP WITH TIME ZONE '2020-01-01 00:00:01+00', TIMESTAMP WITH TIME ZONE '2120-01-01 00:00:00+00');
INSERT INTO idempotency_record (scope, operation, key_value, protocol, state, token, fingerprint, payload, failure_code, failure_message, created_at, updated_at, expires_at)
    VALUES ('user:1', 'operate', 'claim-pending', 'C', 'P', '1da71134-a85e-5061-8809-cf8a00e2f096',
        X'52e68e8c97d3ebb4fb57e2142432a8f078ccf7061717643c4041ea470e7debaa', NULL, NULL, NULL,
        TIMESTAMP WITH TIME ZONE '2020-01-01 00:00:00+00', TIMESTAMP WITH TIME ZONE '2020-01-01 00:00:01+00', TIMESTAMP WITH TIME ZONE '2120-01-01 00:00:00+00');
INSERT INTO idempotency_record (scope, operation, key_value, protocol, state, token, fingerprint, payload, failure_code, failure_message, created_at, updated_at, expires_at)
    VALUES ('user:1', 'operate', 'claim-pending-plan', 'C', 'P', '739a4264-da5c-b8f6-f240-d5ab8f7e5f21',
        X'52e68e8c97d3ebb4fb57e2142432a8f078ccf7061717643c4041ea470e7debaa', X'726573756c74', NULL, NULL,
        TIMESTAMP WITH TIME ZONE '2020-01-01 00:00:00+00', TIMESTAMP WITH TIME ZONE '2020-01-01 00:00:01+00', TIMESTAMP WITH TIME ZONE '2120-01-01 00:00:00+00');
INSERT INTO idempotency_record (scope, operation, key_value, protocol, state, token, fingerprint, payload, failure_code, failure_message, created_at, updated_at, expires_at)
    VALUES ('user:1', 'operate', 'claim-planned', 'C', 'S', 'd91cf0c5-f105-186a-c3c8-a3b1fe4c087e',
        X'52e68e8c97d3ebb4fb57e2142432a8f078ccf7061717643c4041ea470e7debaa', X'726573756c74', NULL, NULL,
        TIMESTAMP WITH TIME ZONE '2020-01-01 00:00:00+00', TIMESTAMP WITH TIME ZONE '2020-01-01 00:00:01+00', TIMESTAMP WITH TIME ZONE '2120-01-01 00:00:00+00');
INSERT INTO idempotency_record (scope, operation, key_value, protocol, state, token, fingerprint, payload, failure_code, failure_message, created_at, updated_at, expires_at)
    VALUES ('user:1', 'operate', 'claim-succeeded', 'C', 'S', '7d609edf-076e-31c3-5255-8f13da7ca777',
        X'52e68e8c97d3ebb4fb57e2142432a8f078ccf7061717643c4041ea470e7debaa', X'726573756c74', NULL, NULL,
        TIMESTAMP WITH TIME ZONE '2020-01-01 00:00:00+00', TIMESTAMP WITH TIME ZONE '2020-01-01 00:00:01+00', TIMESTAMP WITH TIME ZONE '2120-01-01 00:00:00+00');
INSERT INTO idempotency_record (scope, operation, key_value, protocol, state, token, fingerprint, payload, failure_code, failure_message, created_at, updated_at, expires_at)
    VALUES ('user:1', 'operate', 'single-failed', 'S', 'F', '5a494403-ba9f-d3f2-4f4a-6944883ec22d',
        X'52e68e8c97d3ebb4fb57e2142432a8f078ccf7061717643c4041ea470e7debaa', NULL, 'IllegalArgumentException', '',
        TIMESTAMP WITH TIME ZONE '2020-01-01 00:00:00+00', TIMESTAMP WITH TIME ZONE '2020-01-01 00:00:01+00', TIMESTAMP WITH TIME ZONE '2120-01-01 00:00:00+00');
INSERT INTO idempotency_record (scope, operation, key_value, protocol, state, token, fingerprint, payload, failure_code, failure_message, created_at, updated_at, expires_at)
    VALUES ('user:1', 'operate', 'single-succeeded', 'S', 'S', 'cdbcd468-966c-24aa-2937-f671983136bd',
        X'52e68e8c97d3ebb4fb57e2142432a8f078ccf7061717643c4041ea470e7debaa', X'726573756c74', NULL, NULL,
        TIMESTAMP WITH TIME ZONE '2020-01-01 00:00:00+00', TIMESTAMP WITH TIME ZONE '2020-01-01 00:00:01+00', TIMESTAMP WITH TIME ZONE '2120-01-01 00:00:00+00');
INSERT INTO idempotency_record (scope, operation, key_value, protocol, state, token, fingerprint, payload, failure_code, failure_message, created_at, updated_at, expires_at)
    VALUES ('user:1', 'pay', 'external-failed', 'E', 'F', '7cceb7fb-2bdc-e1c2-68ee-854463f06ad6',
        X'52e68e8c97d3ebb4fb57e2142432a8f078ccf7061717643c4041ea470e7debaa', NULL, 'IllegalArgumentException', '',
        TIMESTAMP WITH TIME ZONE '2020-01-01 00:00:00+00', TIMESTAMP WITH TIME ZONE '2020-01-01 00:00:01+00', TIMESTAMP WITH TIME ZONE '2120-01-01 00:00:00+00');
INSERT INTO idempotency_record (scope, operation, key_value, protocol, state, token, fingerprint, payload, failure_code, failure_message, created_at, updated_at, expires_at)
    VALUES ('user:1', 'pay', 'external-pending', 'E', 'P', '0c084ddb-106a-563d-9207-0535c5576ee6',
        X'52e68e8c97d3ebb4fb57e2142432a8f078ccf7061717643c4041ea470e7debaa', NULL, NULL, NULL,
        TIMESTAMP WITH TIME ZONE '2020-01-01 00:00:00+00', TIMESTAMP WITH TIME ZONE '2020-01-01 00:00:01+00', TIMESTAMP WITH TIME ZONE '2120-01-01 00:00:00+00');
INSERT INTO idempotency_record (scope, operation, key_value, protocol, state, token, fingerprint, payload, failure_code, failure_message, created_at, updated_at, expires_at)
    VALUES ('user:1', 'pay', 'external-pending-plan', 'E', 'P', '4d353594-e730-9472-6c26-eb2703b8e435',
        X'52e68e8c97d3ebb4fb57e2142432a8f078ccf7061717643c4041ea470e7debaa', X'726573756c74', NULL, NULL,
        TIMESTAMP WITH TIME ZONE '2020-01-01 00:00:00+00', TIMESTAMP WITH TIME ZONE '2020-01-01 00:00:01+00', TIMESTAMP WITH TIME ZONE '2120-01-01 00:00:00+00');
INSERT INTO idempotency_record (scope, operation, key_value, protocol, state, token, fingerprint, payload, failure_code, failure_message, created_at, updated_at, expires_at)
    VALUES ('user:1', 'pay', 'external-succeeded', 'E', 'S', 'f9d1f18c-6243-8901-292e-e0449fa36aa9',
        X'52e68e8c97d3ebb4fb57e2142432a8f078ccf7061717643c4041ea470e7debaa', X'726573756c74', NULL, NULL,
        TIMESTAMP WITH TIME ZONE '2020-01-01 00:00:00+00', TIMESTAMP WITH TIME ZONE '2020-01-01 00:00:01+00', TIMESTAMP WITH TIME ZONE '2120-01-01 00:00:00+00');
