package io.counterpoint.idempotency.jdbc;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import io.counterpoint.idempotency.Attempt;
import io.counterpoint.idempotency.Idempotency;
import io.counterpoint.idempotency.IdempotencyException.Reason;
import io.counterpoint.idempotency.NotStartedException;
import io.counterpoint.idempotency.Operation;
import io.counterpoint.idempotency.ResultCodec;
import io.counterpoint.idempotency.jdbc.BothDatabases.Kind;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Tables that reject every claim, called by an application that has not checked its table. */
@Timeout(60)
class UnfitTableTest extends OneDatabase {

    private static final String ALTER = "ALTER TABLE idempotency_record ";

    @ParameterizedTest
    @CsvSource({
        "H2, ALTER COLUMN key_value SET DATA TYPE varchar(10), 22001",
        "H2, ADD COLUMN tenant int DEFAULT NULL NOT NULL, 23502",
        "POSTGRESQL, ALTER key_value TYPE varchar(10), 22001",
        "POSTGRESQL, ADD tenant int NOT NULL, 23502",
        "POSTGRESQL, RENAME TO real_record; CREATE MATERIALIZED VIEW idempotency_record AS TABLE real_record, 42809",
        "POSTGRESQL, RENAME TO real_record; CREATE VIEW idempotency_record AS SELECT DISTINCT * FROM real_record, 55000",
    })
    void claimNamesTheTableAndTheRemedy(Kind kind, String change, String state) {
        on(kind);
        database.jdbi().useHandle(handle -> handle.execute(ALTER + change));
        for (Operation.Protocol protocol :
                new Operation.Protocol[] {Operation.Protocol.CLAIM_FIRST, Operation.Protocol.SINGLE_TRANSACTION}) {
            NotStartedException thrown = catchThrowableOfType(
                    NotStartedException.class,
                    () -> Idempotency.on(database.store())
                            .operation("operation", ResultCodec.string())
                            .protocol(protocol)
                            .build()
                            .execute(
                                    Attempt.inScope("user:1")
                                            .key("a-longer-key")
                                            .request("request"),
                                    handle -> {
                                        throw new AssertionError("The work ran.");
                                    }));

            assertThat(thrown.reason()).as("%s", thrown).isSameAs(Reason.STORE_UNFIT);
            assertThat(thrown).hasMessageContainingAll("SQLSTATE " + state, "create it with");
        }
    }
}
