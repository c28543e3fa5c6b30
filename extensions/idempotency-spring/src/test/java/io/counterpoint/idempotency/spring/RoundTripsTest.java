package io.counterpoint.idempotency.spring;

import static org.assertj.core.api.Assertions.assertThat;

import io.counterpoint.idempotency.Attempt;
import io.counterpoint.idempotency.Idempotency;
import io.counterpoint.idempotency.Operation;
import io.counterpoint.idempotency.Operation.Protocol;
import io.counterpoint.idempotency.ResultCodec;
import io.counterpoint.idempotency.testing.CuttingProxy;
import java.sql.Connection;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** What a call over Spring's manager sends to PostgreSQL. The manager's COMMIT is sent alone, that of a claim too. */
@Tag("thorough")
class RoundTripsTest {

    private static final int CALLS = 20;

    /** The first with the one of its work, which writes a row. */
    @ParameterizedTest
    @CsvSource({
        "JDBC, CLAIM_FIRST, 5", "JDBC, SINGLE_TRANSACTION, 4", "JDBC, RECORD_LAST, 3",
        "JPA, CLAIM_FIRST, 5", "JPA, SINGLE_TRANSACTION, 4", "JPA, RECORD_LAST, 3"
    })
    void firstCallAndReplayTakeSoManyRoundTrips(Application.Way way, Protocol protocol, int first) throws Exception {
        try (Database database = Database.open(Database.Kind.POSTGRESQL);
                CuttingProxy proxy = CuttingProxy.inFrontOf(database.url());
                Application application = Application.over(Database.at(proxy.jdbcUrl()), way)) {
            Operation<Connection, String> operation = Idempotency.on(application.store())
                    .operation("write", ResultCodec.string())
                    .protocol(protocol)
                    .build();
            call(operation, application, "warm");
            call(operation, application, "warm");

            proxy.resetCounts();
            call(operation, application, "key");
            assertThat(proxy.roundTrips()).as(proxy.toString()).isEqualTo(first * CALLS);

            proxy.resetCounts();
            call(operation, application, "key");
            assertThat(proxy.roundTrips()).as(proxy.toString()).isEqualTo(CALLS);
        }
    }

    private static void call(Operation<Connection, String> operation, Application application, String prefix) {
        for (int call = 0; call < CALLS; call++) {
            String key = prefix + call;
            String unused = operation
                    .execute(Attempt.inScope("user:1").key(key).request("request"), connection -> {
                        application.bean(Effects.class).write(key);
                        return "done";
                    })
                    .orElseThrow();
        }
    }
}
