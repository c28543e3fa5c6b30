package io.counterpoint.idempotency.mariadb;

import io.counterpoint.idempotency.jdbc.JdbiIdempotencyStore;
import io.counterpoint.idempotency.testing.MariaDbServer;
import org.jdbi.v3.core.Jdbi;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;

/** One server: each timeout takes it a second. */
@Tag("thorough")
class IdleTimeoutTest extends IdleTimeoutCalls {

    private static TestPool pool;

    @BeforeAll
    static void open() {
        pool = TestPool.with("");
        StormEffects.createTable(Jdbi.create(pool.pool()));
    }

    @AfterAll
    static void close() {
        pool.close();
    }

    @Override
    JdbiIdempotencyStore store() {
        return JdbiIdempotencyStore.builder(watch())
                .dialect(TestPool.dialect())
                .table(pool.table())
                .build()
                .createTableIfMissing();
    }

    @Override
    Jdbi watch() {
        return Jdbi.create(pool.pool());
    }

    @Override
    boolean sendsStepWithCommit() {
        return !MariaDbServer.shared().isMySql();
    }

    @Override
    String timeout() {
        return MariaDbServer.shared().isMySql() ? "wait_timeout" : "idle_transaction_timeout";
    }
}
