package io.counterpoint.idempotency.jdbc;

import io.counterpoint.idempotency.jdbc.spi.RecordTable;
import java.sql.Connection;
import java.sql.SQLException;

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
