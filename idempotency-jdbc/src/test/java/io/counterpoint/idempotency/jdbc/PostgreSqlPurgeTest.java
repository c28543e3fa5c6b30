package io.counterpoint.idempotency.jdbc;

import static org.assertj.core.api.Assertions.assertThat;

import io.counterpoint.idempotency.jdbc.postgresql.PostgreSqlDialect;
import io.counterpoint.idempotency.jdbc.spi.RecordTable;
import java.sql.Connection;
import java.sql.SQLException;
import org.jdbi.v3.core.HandleConsumer;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

@Tag("thorough")
class PostgreSqlPurgeTest extends PurgeTest {
    @Override
    TestDatabase open() {
        return TestDatabase.postgresql();
    }

    @Override
    PostgreSqlDialect dialect() {
        return new PostgreSqlDialect(RecordTable.DEFAULT);
    }

    @Override
    int pending() {
        return 400_000;
    }

    @Override
    String numbers() {
        return "generate_series(1, :count) AS numbers(n)";
    }

    @Override
    long readsOf(PurgeSweep sweep, int expected) throws SQLException {
        long before = blocks();
        try (Connection connection = one.pool().getConnection()) {
            purge(sweep, connection, expected);
        }
        return blocks() - before;
    }

    @Override
    String unit() {
        return "blocks";
    }

    /** Partitions number their places alike: at each place one has a live, one a pending and two an expired record. */
    @Test
    void purgeOfPartitionsTakesExpiredTerminalRecordsAlone() throws SQLException {
        int places = 60;
        one.jdbi().useHandle(handle -> handle.createScript("""
                        ALTER TABLE idempotency_record RENAME TO plain_record;
                        CREATE TABLE idempotency_record (LIKE plain_record, PRIMARY KEY (key_value, scope, operation))
                            PARTITION BY HASH (key_value);
                        CREATE INDEX ON idempotency_record (expires_at);
                        """).execute());
        for (int partition = 0; partition < 4; partition++) {
            one.jdbi().useHandle(partitionOf(partition, places));
        }
        assertThat(one.one("SELECT count(DISTINCT ctid) FROM idempotency_record", Integer.class))
                .isEqualTo(places);

        PurgeSweep sweep = new PurgeSweep(() -> 0);
        try (Connection connection = one.pool().getConnection()) {
            for (int batch = 0; batch < 2 * places / BATCH; batch++) {
                purge(sweep, connection, BATCH);
            }
            purge(sweep, connection, 0);
        }
        assertThat(one.one(
                        "SELECT string_agg(kept, ', ' ORDER BY kept) FROM (SELECT count(*) || operation AS kept"
                                + " FROM idempotency_record GROUP BY operation) AS counts",
                        String.class))
                .isEqualTo(places + "live, " + places + "pending");
    }

    private static HandleConsumer<RuntimeException> partitionOf(int partition, int places) {
        return handle -> {
            handle.execute("CREATE TABLE part_" + partition + " PARTITION OF idempotency_record FOR VALUES WITH"
                    + " (MODULUS 4, REMAINDER " + partition + ")");
            handle.createUpdate("""
                            INSERT INTO idempotency_record (scope, operation, key_value, protocol, state, token,
                                fingerprint, created_at, updated_at, expires_at)
                            SELECT 'user:1', kind, key_value, 'C', CASE kind WHEN 'pending' THEN 'P' ELSE 'S' END,
                                gen_random_uuid(), :fingerprint, at, at, at + interval '1 hour'
                            FROM (SELECT key_value, (ARRAY['live', 'pending', 'expired', 'expired'])
                                    [(row_number() OVER () + :partition) % 4 + 1] AS kind
                                FROM (SELECT 'key-' || n AS key_value FROM generate_series(1, 1000) AS n) AS keys
                                WHERE satisfies_hash_partition(
                                    'idempotency_record'::regclass, 4, :partition, key_value::varchar) LIMIT :places) AS kinds,
                                LATERAL (SELECT now() - CASE kind WHEN 'live' THEN interval '0' ELSE interval '2 hours' END
                                    AS at) AS times
                            """)
                    .bind("fingerprint", new byte[32])
                    .bind("partition", partition)
                    .bind("places", places)
                    .execute();
        };
    }

    private long blocks() {
        return one.jdbi().withHandle(handle -> {
            handle.execute("SELECT pg_stat_force_next_flush()");
            return handle.createQuery("""
                            SELECT heap_blks_hit + heap_blks_read + idx_blks_hit + idx_blks_read
                            FROM pg_statio_user_tables WHERE relname = 'idempotency_record'
                            """).mapTo(Long.class).one();
        });
    }
}
