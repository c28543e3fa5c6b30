package io.counterpoint.idempotency.jdbc;

import static org.assertj.core.api.Assertions.assertThat;

import io.counterpoint.idempotency.Attempt;
import io.counterpoint.idempotency.Idempotency;
import io.counterpoint.idempotency.Lookup;
import io.counterpoint.idempotency.Operation;
import io.counterpoint.idempotency.ResultCodec;
import org.jdbi.v3.core.Handle;
import org.junit.jupiter.api.Test;

/** What a role has to be allowed. */
class LeastPrivilegeTest {

    @Test
    void fourRightsOnTheTableSuffice() {
        try (TestDatabase database = TestDatabase.postgresql()) {
            database.jdbi().useHandle(handle -> {
                handle.execute("DROP ROLE IF EXISTS least");
                handle.execute("CREATE ROLE least");
                handle.execute("GRANT USAGE ON SCHEMA public TO least");
                handle.execute("GRANT SELECT, INSERT, UPDATE, DELETE ON idempotency_record TO least");
            });
            try (TestDatabase least = database.with(config -> config.setConnectionInitSql("SET ROLE least"))) {
                Idempotency<Handle> idempotency = Idempotency.on(least.store());
                Attempt attempt = Attempt.inScope("user:1").key("key").request("request");
                for (int times = 0; times < 2; times++) {
                    assertThat(idempotency
                                    .operation("claim-first", ResultCodec.string())
                                    .build()
                                    .execute(attempt, handle -> "a")
                                    .orElseThrow())
                            .isEqualTo("a");
                    assertThat(idempotency
                                    .operation("single", ResultCodec.string())
                                    .protocol(Operation.Protocol.SINGLE_TRANSACTION)
                                    .build()
                                    .execute(attempt, handle -> "b")
                                    .orElseThrow())
                            .isEqualTo("b");
                    assertThat(idempotency
                                    .external("external", ResultCodec.string(), unresolved -> Lookup.notYet())
                                    .build()
                                    .execute(attempt, key -> "c")
                                    .orElseThrow())
                            .isEqualTo("c");
                }
                assertThat(idempotency.purgeExpired(10)).isZero();
            } finally {
                database.jdbi().useHandle(handle -> {
                    handle.execute("DROP OWNED BY least");
                    handle.execute("DROP ROLE least");
                });
            }
        }
    }
}
