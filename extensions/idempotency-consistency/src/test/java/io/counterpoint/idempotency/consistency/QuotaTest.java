package io.counterpoint.idempotency.consistency;

import static io.counterpoint.idempotency.jdbc.Isolation.SERIALIZABLE;
import static org.assertj.core.api.Assertions.assertThat;

import io.counterpoint.idempotency.Attempt;
import io.counterpoint.idempotency.Idempotency;
import io.counterpoint.idempotency.Operation;
import io.counterpoint.idempotency.Outcome;
import io.counterpoint.idempotency.ResultCodec;
import io.counterpoint.idempotency.consistency.testing.TestDatabase;
import io.counterpoint.idempotency.consistency.testing.TestDatabase.Kind;
import io.counterpoint.idempotency.testing.Race;
import java.time.Duration;
import java.util.List;
import org.jdbi.v3.core.Handle;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.Parameter;
import org.junit.jupiter.params.ParameterizedClass;
import org.junit.jupiter.params.provider.EnumSource;

/** A quota and its events under many chargers at once, SERIALIZABLE: never below zero, and the sum of its events. */
@ParameterizedClass
@EnumSource
class QuotaTest {

    private static final int CHARGERS = 64;

    @Parameter
    Kind kind;

    private TestDatabase database;

    @BeforeEach
    void open() {
        database = TestDatabase.create(kind);
        // No constraint keeps it above zero, and no key keeps an event single: only the transactions do.
        database.execute(
                "CREATE TABLE workspace (id integer PRIMARY KEY, quota integer NOT NULL)",
                "CREATE TABLE charge (workspace integer NOT NULL, request varchar(100) NOT NULL, amount integer NOT NULL)",
                "INSERT INTO workspace VALUES (1, 100)");
    }

    @AfterEach
    void close() {
        database.close();
    }

    @Test
    @Tag("thorough")
    void chargersWithoutKeysNeverOverdraw() {
        Transactions transactions = Transactions.on(database.store()).withRetries(500);
        List<Race.Result<Boolean>> results = Race.of(
                CHARGERS,
                number -> transactions.inTransaction(SERIALIZABLE, handle -> charge(handle, "request " + number, 3)));
        assertThat(results).allMatch(Race.Result::succeeded);
        // 100 are 33 charges of 3, and 1 is left.
        assertThat(results.stream().filter(result -> result.orFail())).hasSize(33);
        assertQuotaIsTheSumOfEvents(1);
    }

    /** Every charge is sent three times at once, under its transaction's id. */
    @Test
    void retriedChargeIsMadeOnce() {
        Operation<Handle, Boolean> charge = Idempotency.on(
                        database.store().toBuilder().isolation(SERIALIZABLE).build())
                .operation("charge", ResultCodec.text(String::valueOf, Boolean::valueOf))
                .protocol(Operation.Protocol.SINGLE_TRANSACTION)
                .waitAtMost(Duration.ofSeconds(30))
                .maxRetries(100)
                .build();
        List<Race.Result<Outcome<Boolean>>> results = Race.of(CHARGERS, number -> {
            String transaction = "transaction-" + number / 3;
            Outcome<Boolean> outcome;
            do {
                outcome = charge.execute(
                        Attempt.inScope("workspace:1").key(transaction).request(3),
                        handle -> charge(handle, transaction, 3));
            } while (outcome instanceof Outcome.InProgress);
            return outcome;
        });
        assertThat(results).allMatch(Race.Result::succeeded);
        assertThat(results.stream().map(Race.Result::orFail)).allMatch(outcome -> outcome.orElseThrow());
        assertThat(database.list("SELECT request FROM charge", String.class))
                .hasSize(22)
                .doesNotHaveDuplicates();
        assertQuotaIsTheSumOfEvents(100 - 22 * 3);
    }

    private void assertQuotaIsTheSumOfEvents(int left) {
        assertThat(database.one("SELECT quota FROM workspace", Integer.class)).isEqualTo(left);
        assertThat(database.one("SELECT sum(amount) FROM charge", Integer.class))
                .isEqualTo(100 - left);
    }

    /** Reads, decides and writes: wrong at any level that lets two do so at once. */
    private static boolean charge(Handle handle, String request, int amount) {
        int quota = handle.createQuery("SELECT quota FROM workspace WHERE id = 1")
                .mapTo(Integer.class)
                .one();
        if (quota < amount) {
            return false;
        }
        handle.execute("UPDATE workspace SET quota = ? WHERE id = 1", quota - amount);
        handle.execute("INSERT INTO charge VALUES (1, ?, ?)", request, amount);
        return true;
    }
}
