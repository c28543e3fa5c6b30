package io.counterpoint.idempotency.jdbc;

import static org.assertj.core.api.Assertions.assertThat;

import java.sql.Connection;
import java.time.OffsetDateTime;
import org.jdbi.v3.core.Handle;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** What a purge reads beside pending records, which it may not take. */
class PostgreSqlPurgeTest {

    private static final int PENDING = 40_000;
    private static final int BATCH = 20;
    private static final int BATCHES = 10;

    private final TestDatabase database = TestDatabase.postgresql();
    // One connection, so that its counters can be asked for.
    private final TestDatabase one = database.with(config -> config.setMaximumPoolSize(1));

    @AfterEach
    void close() {
        one.close();
        database.close();
    }

    private static void plant(Handle handle, String state, int count, String age) {
        handle.createUpdate("""
                        INSERT INTO idempotency_record (scope, operation, key_value, protocol, state, token, fingerprint,
                            created_at, updated_at, expires_at)
                        SELECT 'user:1', 'purge', :state || :age || n, 'E', :state, gen_random_uuid(), '\\x00',
                            at, at, at + interval '1 hour'
                        FROM generate_series(1, :count) AS n,
                        LATERAL (SELECT now() - CAST(:age AS interval) + n * interval '1 millisecond' AS at) AS times
                        """)
                .bind("state", state)
                .bind("count", count)
                .bind("age", age)
                .execute();
    }

    /** Blocks of the table and its indexes that were looked at so far. */
    private long blocks() {
        return one.jdbi().withHandle(handle -> {
            handle.execute("SELECT pg_stat_force_next_flush()");
            return handle.createQuery("""
                            SELECT heap_blks_hit + heap_blks_read + idx_blks_hit + idx_blks_read
                            FROM pg_statio_user_tables WHERE relname = 'idempotency_record'
                            """).mapTo(Long.class).one();
        });
    }

    private long blocksOf(int expected) {
        long before = blocks();
        assertThat(one.store().purgeExpired(BATCH)).isEqualTo(expected);
        return blocks() - before;
    }

    /** What all batches but the first look at. */
    private long blocksAfterTheFirstBatch() {
        one.jdbi().useHandle(handle -> {
            plant(handle, "S", BATCH * BATCHES + 1, "2 hours");
            handle.execute("VACUUM ANALYZE idempotency_record");
        });
        blocksOf(BATCH);
        long others = 0;
        for (int i = 1; i < BATCHES; i++) {
            others += blocksOf(BATCH);
        }
        blocksOf(1);
        blocksOf(0);
        return others;
    }

    @Test
    void sweepReadsPendingRecordsOnceAndNotOncePerBatch() {
        one.jdbi().useHandle(handle -> plant(handle, "S", PENDING, "-3 hours"));
        long without = blocksAfterTheFirstBatch();
        one.jdbi().useHandle(handle -> plant(handle, "P", PENDING, "3 hours"));
        long with = blocksAfterTheFirstBatch();

        System.out.println((BATCHES - 1) + " batches of " + BATCH + " after the first looked at " + with
                + " blocks beside " + PENDING + " pending records, at " + without + " without");
        assertThat(with).isLessThan(without * 3 / 2);
        assertThat(one.one("SELECT count(*) FROM idempotency_record WHERE state = 'P'", Integer.class))
                .isEqualTo(PENDING);
    }

    @Test
    void sweepStartsOverAfterAMinuteOfTheDatabase() throws Exception {
        one.jdbi().useHandle(handle -> plant(handle, "S", 3, "3 hours"));
        PostgreSql dialect = new PostgreSql(Table.DEFAULT);
        OffsetDateTime now = one.one("SELECT now()", OffsetDateTime.class);
        PurgeSweep sweep = new PurgeSweep();
        try (Connection connection = one.pool().getConnection()) {
            sweep.reached(sweep.position(), now, now);
            assertThat(sweep.position()).isEqualTo(new PurgeSweep.Position(now, now));
            assertThat(dialect.purge(connection, 1, sweep)).isZero();

            sweep.reached(sweep.position(), now, now.minusSeconds(61));
            assertThat(dialect.purge(connection, 2, sweep)).isEqualTo(2);
            assertThat(sweep.position().began()).isAfterOrEqualTo(now);
            assertThat(dialect.purge(connection, 2, sweep)).isEqualTo(1);
        }
    }

    @Test
    void nextSweepTakesWhatWasBehindTheLast() {
        one.jdbi().useHandle(handle -> plant(handle, "S", BATCH, "2 hours"));
        assertThat(one.store().purgeExpired(BATCH)).isEqualTo(BATCH);
        one.jdbi().useHandle(handle -> plant(handle, "S", 7, "3 hours"));

        assertThat(one.store().purgeExpired(BATCH) + one.store().purgeExpired(BATCH))
                .isEqualTo(7);
    }
}
