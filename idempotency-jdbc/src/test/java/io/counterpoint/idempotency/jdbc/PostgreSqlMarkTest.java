package io.counterpoint.idempotency.jdbc;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowable;

import io.counterpoint.idempotency.Attempt;
import io.counterpoint.idempotency.Idempotency;
import io.counterpoint.idempotency.Operation;
import io.counterpoint.idempotency.Outcome;
import io.counterpoint.idempotency.OutcomeUnknownException;
import io.counterpoint.idempotency.ResultCodec;
import io.counterpoint.idempotency.testing.Gateway;
import java.util.List;
import java.util.function.BiConsumer;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.jdbi.v3.core.Handle;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * A mark that is sent in the same round trip as the commit. The server must not come to the commit when the mark
 * changes nothing. The tests use all ways in which the driver can send statements.
 */
@Tag("thorough")
@Timeout(60)
class PostgreSqlMarkTest {

    private static final Attempt ATTEMPT = attempt("key");

    /** Often enough for the driver to give names to statements. */
    private static final int CALLS = 7;

    private static TestDatabase database;

    @BeforeAll
    static void open() {
        database = TestDatabase.postgresql();
        database.jdbi().useHandle(handle -> {
            handle.execute("CREATE TABLE seat (id int UNIQUE DEFERRABLE INITIALLY DEFERRED)");
            handle.execute("INSERT INTO seat VALUES (1)");
            handle.execute("CREATE TABLE imitated (id int)");
            handle.execute("CREATE FUNCTION imitate() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN RAISE EXCEPTION"
                    + " 'no claim under its token, at 12'; END $$");
            handle.execute("CREATE CONSTRAINT TRIGGER imitate AFTER INSERT ON imitated DEFERRABLE INITIALLY DEFERRED"
                    + " FOR EACH ROW EXECUTE FUNCTION imitate()");
        });
    }

    @BeforeEach
    void empty() {
        assertThat(database.emptied().effects()).isEmpty();
    }

    @AfterAll
    static void close() {
        database.close();
    }

    static Stream<Arguments> modes() {
        List<String> options = List.of(
                "",
                "preferQueryMode=simple",
                "prepareThreshold=1",
                "autosave=always",
                "autosave=conservative",
                "autosave=always&cleanupSavepoints=true");
        return options.stream()
                // A gateway hands a session with named statements on to others.
                .filter(option -> !Gateway.isAskedFor() || !option.startsWith("prepareThreshold"))
                .flatMap(option -> Stream.of(true, false).map(single -> Arguments.of(option, single)));
    }

    @ParameterizedTest
    @MethodSource("modes")
    void workThatRemovesItsOwnRecordIsRolledBackWithAllOfIt(String option, boolean single) {
        isRolledBack(option, single, "DELETE FROM idempotency_record");
    }

    @ParameterizedTest
    @MethodSource("modes")
    void workThatEndsItsOwnRecordIsRolledBackWithAllOfIt(String option, boolean single) {
        isRolledBack(option, single, "UPDATE idempotency_record SET state = 'S'");
    }

    @ParameterizedTest
    @MethodSource("modes")
    void workThatChangesTheTokenOfItsRecordIsRolledBackEntirely(String option, boolean single) {
        isRolledBack(option, single, "UPDATE idempotency_record SET token = '00000000-0000-4000-8000-000000000000'");
    }

    private void isRolledBack(String option, boolean single, String sql) {
        leavesNoEffect(option, single, sql, (operation, thrown) -> {
            assertThat(thrown).isInstanceOf(OutcomeUnknownException.class);
            // Nothing is left of that transaction where the pool's other users would meet it.
            assertThat(operation.execute(attempt("another"), handle -> "result"))
                    .isInstanceOf(Outcome.Executed.class);
        });
    }

    /** Its error is the server's answer to the second of two statements. */
    @ParameterizedTest
    @MethodSource("modes")
    void commitThatIsRefusedAfterItsMarkIsProvenToHaveChangedNothing(String option, boolean single) {
        leavesNoEffect(option, single, "INSERT INTO seat VALUES (1)", (operation, thrown) -> {
            assertThat(thrown).hasStackTraceContaining("seat_id_key").isNotInstanceOf(OutcomeUnknownException.class);
            assertThat(operation.execute(ATTEMPT, handle -> "not run")).isInstanceOf(Outcome.Rejected.class);
        });
    }

    /** The domain's own error, though it reads like the mark's. */
    @ParameterizedTest
    @MethodSource("modes")
    void deferredConstraintWithTheSentenceOfTheMarkIsNotTheMarks(String option, boolean single) {
        leavesNoEffect(option, single, "INSERT INTO imitated VALUES (1)", (operation, thrown) -> {
            assertThat(thrown).isNotInstanceOf(OutcomeUnknownException.class);
            assertThat(operation.execute(ATTEMPT, handle -> "not run")).isInstanceOf(Outcome.Rejected.class);
        });
    }

    private void leavesNoEffect(
            String option, boolean single, String sql, BiConsumer<Operation<Handle, String>, Throwable> then) {
        try (TestDatabase spoken = spoken(option)) {
            Operation<Handle, String> operation = operation(spoken.store(), single);
            prepared(operation);
            List<String> before = spoken.effects();
            Throwable thrown = catchThrowable(() -> operation.execute(ATTEMPT, handle -> {
                TestDatabase.write(handle, "effect");
                assertThat(handle.execute(sql)).isPositive();
                return "result";
            }));
            assertThat(thrown).isNotNull();
            assertThat(spoken.effects()).isEqualTo(before);
            then.accept(operation, thrown);
        }
    }

    private static TestDatabase spoken(String option) {
        return database.with(database.url() + (database.url().contains("?") ? "&" : "?") + option, config -> {
            config.setMaximumPoolSize(1);
            config.setMinimumIdle(0);
        });
    }

    private static void prepared(Operation<Handle, String> operation) {
        IntStream.range(0, CALLS)
                .forEach(i -> assertThat(operation.execute(attempt("key-" + i), handle -> {
                            TestDatabase.write(handle, "effect " + i);
                            return "result";
                        }))
                        .isInstanceOf(Outcome.Executed.class));
    }

    private static Operation<Handle, String> operation(JdbiIdempotencyStore store, boolean single) {
        Operation.Builder<Handle, String> operation =
                Idempotency.on(store).operation("operation", ResultCodec.string());
        return (single ? operation.protocol(Operation.Protocol.SINGLE_TRANSACTION) : operation).build();
    }

    private static Attempt attempt(String key) {
        return Attempt.inScope("user:1").key(key).request("request");
    }
}
