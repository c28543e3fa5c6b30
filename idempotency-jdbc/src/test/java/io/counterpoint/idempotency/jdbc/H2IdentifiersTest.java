package io.counterpoint.idempotency.jdbc;

import static org.assertj.core.api.Assertions.assertThat;

import io.counterpoint.idempotency.Attempt;
import io.counterpoint.idempotency.Idempotency;
import io.counterpoint.idempotency.Operation;
import io.counterpoint.idempotency.Outcome;
import io.counterpoint.idempotency.ResultCodec;
import java.util.UUID;
import org.jdbi.v3.core.Handle;
import org.jdbi.v3.core.Jdbi;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** H2 under each of its rules for the case of names. */
class H2IdentifiersTest {

    @ParameterizedTest
    @ValueSource(
            strings = {
                "MODE=PostgreSQL;DATABASE_TO_LOWER=TRUE;DEFAULT_NULL_ORDERING=HIGH",
                "DATABASE_TO_UPPER=FALSE",
                "DATABASE_TO_UPPER=FALSE;CASE_INSENSITIVE_IDENTIFIERS=TRUE",
                "CASE_INSENSITIVE_IDENTIFIERS=TRUE",
                "MODE=MySQL;DATABASE_TO_LOWER=TRUE",
                "MODE=Oracle;DATABASE_TO_LOWER=TRUE"
            })
    void storeWorks(String rules) {
        String url = "jdbc:h2:mem:" + UUID.randomUUID() + ";DB_CLOSE_DELAY=-1;" + rules;
        for (String table : new String[] {"idempotency_record", "records", "public.others"}) {
            String name = table.replace("public", rules.contains("LOWER=TRUE") ? "public" : "PUBLIC");
            JdbiIdempotencyStore store = JdbiIdempotencyStore.builder(Jdbi.create(url))
                    .table(name)
                    .build()
                    .createTableIfMissing();
            Operation<Handle, String> operation = Idempotency.on(store)
                    .operation("operation", ResultCodec.string())
                    .build();
            Attempt attempt = Attempt.inScope("user:1").key("key-1").request("request");
            assertThat(operation.execute(attempt, handle -> "result")).isInstanceOf(Outcome.Executed.class);
            assertThat(operation.execute(attempt, handle -> "again").orElseThrow())
                    .isEqualTo("result");
            assertThat(store.checkTable().purgeExpired(10)).isZero();
        }
    }
}
