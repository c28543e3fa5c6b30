package io.counterpoint.idempotency.jdbc;

import static org.assertj.core.api.Assertions.assertThat;

import io.counterpoint.idempotency.jdbc.spi.Dialect;
import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import java.time.OffsetDateTime;
import java.time.ZoneOffset;
import java.util.UUID;
import java.util.concurrent.atomic.AtomicLong;
import java.util.stream.Collectors;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** What a purge reads beside pending records, which it may not take. The same for every database. */
abstract class PurgeTest {

    static final int BATCH = 20;

    private static final int BATCHES = 10;

    private TestDatabase database;
    // One connection, so that its counters can be asked for.
    TestDatabase one;

    abstract TestDatabase open();

    abstract Dialect dialect();

    /** How many pending records lie in the way. */
    abstract int pending();

    /** A table of the numbers 1 to {@code :count}, in a column n. */
    abstract String numbers();

    /** Purges a batch, and returns how much of the table and its indexes the purge read. */
    abstract long readsOf(PurgeSweep sweep, int expected) throws SQLException;

    /** In what it is counted. */
    abstract String unit();

    @BeforeEach
    void openDatabase() {
        database = open();
        one = database.with(config -> config.setMaximumPoolSize(1));
    }

    @AfterEach
    void close() {
        one.close();
        database.close();
    }

    /** Records that are kept for an hour, and were made that long ago, one a millisecond. */
    void plant(String state, int count, Duration age) {
        one.jdbi()
                .useHandle(handle -> handle.createUpdate("""
                                INSERT INTO idempotency_record (scope, operation, key_value, protocol, state, token,
                                    fingerprint, created_at, updated_at, expires_at)
                                SELECT 'user:1', 'purge', CONCAT(:name, n), 'E', :state, :token, :fingerprint,
                                    at, at, at + INTERVAL '1' HOUR
                                FROM (SELECT n, CAST(:at AS timestamp with time zone) + n * INTERVAL '0.001' SECOND AS at
                                    FROM %s) AS times
                                """.formatted(numbers()))
                        .bind("name", state + age)
                        .bind("state", state)
                        .bind("token", UUID.randomUUID())
                        .bind("fingerprint", new byte[32])
                        .bind("at", OffsetDateTime.now(ZoneOffset.UTC).minus(age))
                        .bind("count", count)
                        .execute());
    }

    void purge(PurgeSweep sweep, Connection connection, int expected) throws SQLException {
        assertThat(sweep.purge(dialect(), connection, BATCH)).isEqualTo(expected);
    }

    /** What all batches but the first look at. */
    private long readsAfterTheFirstBatch(PurgeSweep sweep) throws SQLException {
        plant("S", BATCH * BATCHES + 1, Duration.ofHours(2));
        one.jdbi().useHandle(handle -> handle.execute("ANALYZE"));
        readsOf(sweep, BATCH);
        long others = 0;
        for (int i = 1; i < BATCHES; i++) {
            others += readsOf(sweep, BATCH);
        }
        readsOf(sweep, 1);
        readsOf(sweep, 0);
        return others;
    }

    @Test
    void sweepReadsPendingRecordsOnceAndNotOncePerBatch() throws SQLException {
        PurgeSweep sweep = new PurgeSweep(() -> 0);
        plant("S", pending(), Duration.ofHours(-3));
        long without = readsAfterTheFirstBatch(sweep);
        plant("P", pending(), Duration.ofHours(3));
        long with = readsAfterTheFirstBatch(sweep);

        System.out.println((BATCHES - 1) + " batches of " + BATCH + " after the first looked at " + with + " " + unit()
                + " beside " + pending() + " pending records, at " + without + " without");
        assertThat(with).isBetween(1L, without * 3 / 2);
        assertThat(one.one("SELECT count(*) FROM idempotency_record WHERE state = 'P'", Integer.class))
                .isEqualTo(pending());
    }

    @Test
    void sweepStartsOverAfterAMinute() throws SQLException {
        AtomicLong nanoTime = new AtomicLong();
        PurgeSweep sweep = new PurgeSweep(nanoTime::get);
        plant("S", 3, Duration.ofHours(2));
        purgeOne(sweep);
        plant("S", 1, Duration.ofHours(3));

        nanoTime.set(PurgeSweep.LONGEST.toNanos() - 1);
        purgeOne(sweep);
        assertThat(left()).isEqualTo("SPT2H3, SPT3H1");

        nanoTime.set(PurgeSweep.LONGEST.toNanos());
        purgeOne(sweep);
        assertThat(left()).isEqualTo("SPT2H3");
    }

    private void purgeOne(PurgeSweep sweep) throws SQLException {
        try (Connection connection = one.pool().getConnection()) {
            assertThat(sweep.purge(dialect(), connection, 1)).isEqualTo(1);
        }
    }

    private String left() {
        return one.jdbi()
                .withHandle(handle -> handle
                        .createQuery("SELECT key_value FROM idempotency_record ORDER BY key_value")
                        .mapTo(String.class)
                        .list()
                        .stream()
                        .collect(Collectors.joining(", ")));
    }

    @Test
    void nextSweepTakesWhatWasBehindTheLast() {
        plant("S", BATCH, Duration.ofHours(2));
        assertThat(one.store().purgeExpired(BATCH)).isEqualTo(BATCH);
        plant("S", 7, Duration.ofHours(3));

        assertThat(one.store().purgeExpired(BATCH)).isZero();
        assertThat(one.store().purgeExpired(BATCH)).isEqualTo(7);
    }
}
