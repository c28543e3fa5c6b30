package io.counterpoint.idempotency.mariadb;

import io.counterpoint.idempotency.testing.MariaDbServer;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;

/** A server that ends a transaction at a lock timeout. */
@Tag("matrix")
class RollbackOnTimeoutContractTest extends MariaDbContract {

    private static @Nullable MariaDbServer server;

    @BeforeAll
    static void open() {
        server = MariaDbServer.isExternal() ? null : MariaDbServer.start("--innodb-rollback-on-timeout=ON");
        database = server == null ? TestPool.with("") : TestPool.on(server, "");
    }

    /** Before the database is closed once more with that of every subclass. */
    @AfterAll
    static void stop() {
        database.close();
        if (server != null) {
            server.close();
        }
    }
}
