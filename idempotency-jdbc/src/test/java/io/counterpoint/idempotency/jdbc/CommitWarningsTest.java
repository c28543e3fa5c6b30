package io.counterpoint.idempotency.jdbc;

import static org.assertj.core.api.Assertions.assertThat;

import io.counterpoint.idempotency.Attempt;
import io.counterpoint.idempotency.Idempotency;
import io.counterpoint.idempotency.IdempotencyEvent;
import io.counterpoint.idempotency.IdempotencyListener;
import io.counterpoint.idempotency.Operation;
import io.counterpoint.idempotency.Operation.Protocol;
import io.counterpoint.idempotency.Outcome;
import io.counterpoint.idempotency.ResultCodec;
import io.counterpoint.idempotency.testing.PostgresServer;
import java.util.ArrayList;
import java.util.List;
import org.jdbi.v3.core.Handle;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * What PostgreSQL says beside its answer to a COMMIT. What a log setting or the domain's own triggers say leaves no doubt;
 * anything else does, and the record then shows what became of the commit.
 */
@Tag("thorough")
@Timeout(60)
class CommitWarningsTest {

    private String url;
    private TestDatabase database;
    private final List<Protocol> doubted = new ArrayList<>();

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

    private void raiseAtCommit(String statements) {
        database.jdbi().useHandle(handle -> {
            handle.execute("CREATE FUNCTION say() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN " + statements
                    + " RETURN NULL; END $$");
            handle.execute("CREATE CONSTRAINT TRIGGER say AFTER INSERT ON effect DEFERRABLE INITIALLY DEFERRED"
                    + " FOR EACH ROW EXECUTE FUNCTION say()");
        });
    }

    private Operation<Handle, String> operation(TestDatabase on, Protocol protocol) {
        return Idempotency.builder(
                        on.store().toBuilder().table(TestDatabase.TABLE).build().checkTable())
                .listener(IdempotencyListener.on(IdempotencyEvent.CommitUnknown.class, event -> doubted.add(protocol)))
                .build()
                .operation("operate", ResultCodec.string())
                .protocol(protocol)
                .build();
    }

    /** One call for each protocol. Each has its effect, and its retry the same result. */
    private void callEach() {
        for (Protocol protocol : Protocol.values()) {
            Operation<Handle, String> operation = operation(database, protocol);
            Attempt attempt = Attempt.inScope("user:1").key(protocol.name()).withoutRequest();

            assertThat(operation.execute(attempt, handle -> {
                        TestDatabase.write(handle, protocol.name());
                        return "result";
                    }))
                    .as(protocol.name())
                    .isInstanceOf(Outcome.Executed.class);

            assertThat(operation.execute(attempt, handle -> "again")).isInstanceOf(Outcome.Replayed.class);
        }
        assertThat(database.effects()).hasSize(Protocol.values().length);
    }

    /** H2's driver has no warnings. */
    @ParameterizedTest
    @ValueSource(
            strings = {"SELECT CAST('too long' AS VARCHAR(3))", "SELECT 1 / 3", "DELETE FROM effect WHERE id = 'none'"})
    void h2SaysNothingBesideItsAnswer(String statement) throws Exception {
        try (TestDatabase h2 = TestDatabase.h2()) {
            for (Protocol protocol : Protocol.values()) {
                Operation<Handle, String> operation = operation(h2, protocol);
                Attempt attempt = Attempt.inScope("user:1").key(protocol.name()).withoutRequest();

                assertThat(operation.execute(attempt, handle -> {
                            TestDatabase.write(handle, protocol.name());
                            handle.execute(statement);
                            assertThat((Object) handle.getConnection().getWarnings())
                                    .isNull();
                            return "result";
                        }))
                        .isInstanceOf(Outcome.Executed.class);
            }
        }
        assertThat(doubted).isEmpty();
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "log_duration = on",
                "log_min_duration_statement = 0",
                "log_statement = 'all'",
                "log_statement_stats = on",
                "debug_print_plan = on",
                "log_lock_waits = on",
                "log_min_error_statement = 'debug5'"
            })
    void logOfTheServerLeavesNoDoubt(String setting) {
        for (String level : List.of("log", "debug1")) {
            database.jdbi().useHandle(handle -> {
                handle.execute("SET client_min_messages = " + level);
                handle.execute("SET " + setting);
            });
            doubted.clear();
            database.jdbi().useHandle(handle -> handle.execute("TRUNCATE effect, idempotency_record"));

            callEach();

            assertThat(doubted).as(level).isEmpty();
        }
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "RAISE DEBUG 'a row';",
                "RAISE LOG 'a row';",
                "RAISE INFO 'a row';",
                "RAISE NOTICE 'a row';",
                "RAISE WARNING 'a row';",
                "RAISE NOTICE 'one'; RAISE WARNING 'two'; RAISE NOTICE 'three';",
                "RAISE NOTICE USING MESSAGE = 'a row', ERRCODE = '01000';"
            })
    void messageOfADeferredTriggerLeavesNoDoubt(String statements) {
        database.jdbi().useHandle(handle -> handle.execute("SET client_min_messages = debug1"));
        raiseAtCommit(statements);

        callEach();

        assertThat(doubted).isEmpty();
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "RAISE WARNING USING MESSAGE = 'a row', ERRCODE = '57P01';",
                "RAISE WARNING USING MESSAGE = 'a row', ERRCODE = '01P01';",
                "RAISE NOTICE USING MESSAGE = 'a row', ERRCODE = 'XX001';",
                "RAISE NOTICE 'one'; RAISE WARNING USING MESSAGE = 'two', ERRCODE = '25P01'; RAISE NOTICE 'three';"
            })
    void whatIsNotKnownToBeHarmlessIsResolvedByTheRecord(String statements) {
        raiseAtCommit(statements);

        callEach();

        assertThat(doubted).contains(Protocol.values());
    }
}
