package io.counterpoint.idempotency.jdbc;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.catchThrowable;

import io.counterpoint.idempotency.Attempt;
import io.counterpoint.idempotency.Idempotency;
import io.counterpoint.idempotency.IdempotencyException.Reason;
import io.counterpoint.idempotency.Lookup;
import io.counterpoint.idempotency.NotStartedException;
import io.counterpoint.idempotency.Operation;
import io.counterpoint.idempotency.Operation.Protocol;
import io.counterpoint.idempotency.Outcome;
import io.counterpoint.idempotency.ResultCodec;
import io.counterpoint.idempotency.testing.PostgresServer;
import org.jdbi.v3.core.Handle;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** Connections of a pool that lead to a server which only reads by now, and tables that have changed under a prepared statement. */
@Tag("thorough")
@Timeout(60)
class DemotedPrimaryTest {

    private static final Attempt ATTEMPT = Attempt.inScope("user:1").key("k").withoutRequest();

    private String url;
    private TestDatabase database;
    private int runs;

    @BeforeEach
    void open() {
        url = PostgresServer.shared().createDatabase();
        database = TestDatabase.postgresql(url, config -> config.setMaximumPoolSize(1));
    }

    @AfterEach
    void close() {
        database.close();
        PostgresServer.shared().giveBack(url);
    }

    private Operation<Handle, String> operation(Protocol protocol) {
        return operation(database, protocol);
    }

    private static Operation<Handle, String> operation(TestDatabase database, Protocol protocol) {
        return Idempotency.on(database.store().toBuilder()
                        .table(TestDatabase.TABLE)
                        .build()
                        .checkTable())
                .operation("operate", ResultCodec.string())
                .protocol(protocol)
                .build();
    }

    /** The pool's connection: a new one writes. */
    private void demote(Handle handle) {
        handle.execute("SET default_transaction_read_only = on");
    }

    @ParameterizedTest
    @EnumSource
    void connectionThatOnlyReadsIsClosedAndTheNextOneWrites(Protocol protocol) {
        Operation<Handle, String> operation = operation(protocol);
        database.jdbi().useHandle(this::demote);

        assertThat(operation.execute(ATTEMPT, handle -> {
                    TestDatabase.write(handle, "effect");
                    return "result";
                }))
                .isInstanceOf(Outcome.Executed.class);
        assertThat(database.effects()).hasSize(1);
    }

    @Test
    void stepOfItsOwnClosesAConnectionThatOnlyReads() {
        database.jdbi().useHandle(this::demote);

        assertThat(Idempotency.on(database.store())
                        .external("pay", ResultCodec.string(), unresolved -> Lookup.notYet())
                        .build()
                        .execute(ATTEMPT, key -> "paid"))
                .isInstanceOf(Outcome.Executed.class);
    }

    @ParameterizedTest
    @EnumSource
    void workThatMeetsAServerThatOnlyReadsRunsAgainOnAnother(Protocol protocol) {
        Operation<Handle, String> operation = operation(protocol);

        assertThat(operation.execute(ATTEMPT, handle -> {
                    if (++runs == 1) {
                        handle.execute("SET TRANSACTION READ ONLY");
                    }
                    TestDatabase.write(handle, "effect");
                    return "result";
                }))
                .isInstanceOf(Outcome.Executed.class);
        assertThat(runs).isEqualTo(2);
        assertThat(database.effects()).hasSize(1);
    }

    @Test
    void poolThatOnlyReadsIsNamedAsTheCause() {
        Throwable thrown;
        try (TestDatabase reading = database.with(config -> {
            config.setMaximumPoolSize(1);
            config.setConnectionInitSql("SET default_transaction_read_only = on");
        })) {
            Operation<Handle, String> operation = Idempotency.on(reading.store())
                    .operation("operate", ResultCodec.string())
                    .build();
            thrown = catchThrowable(() -> operation.execute(ATTEMPT, handle -> "result"));
        }

        assertThat(thrown)
                .isInstanceOfSatisfying(
                        NotStartedException.class,
                        told -> assertThat(told.reason()).isEqualTo(Reason.STORE_UNREACHABLE))
                .hasRootCauseMessage("ERROR: cannot execute INSERT in a read-only transaction");
        assertThat(thrown.getCause()).hasMessageContaining("25006, the server is read-only");
    }

    /** The driver has prepared it, and the server refuses its plan once. */
    @ParameterizedTest
    @EnumSource
    void statementWhoseTableHasChangedRunsAgain(Protocol protocol) {
        TestDatabase prepared = database.with(url + "&prepareThreshold=-1", config -> config.setMaximumPoolSize(1));
        try (prepared) {
            Operation<Handle, String> operation = operation(prepared, protocol);
            for (String key : new String[] {"before", "after"}) {
                Outcome<String> outcome =
                        operation.execute(Attempt.inScope("user:1").key(key).withoutRequest(), handle -> {
                            TestDatabase.write(handle, key);
                            return handle.createQuery("SELECT * FROM effect WHERE id = :id")
                                    .bind("id", key)
                                    .mapToMap()
                                    .one()
                                    .toString();
                        });
                assertThat(outcome).as(key).isInstanceOf(Outcome.Executed.class);
                database.jdbi()
                        .useHandle(handle ->
                                handle.execute("ALTER TABLE effect ADD COLUMN IF NOT EXISTS c_" + key + " int"));
            }
        }
    }

    @Test
    void resetOfAllSettingsIsRefusedBeforeItHasAnEffect() {
        assertThatThrownBy(() -> operation(Protocol.SINGLE_TRANSACTION).execute(ATTEMPT, handle -> {
                    handle.execute("RESET ALL");
                    return "result";
                }))
                .hasMessageContaining("Use SET LOCAL");
    }
}
