package io.counterpoint.idempotency.jdbc;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.fail;

import io.counterpoint.idempotency.Attempt;
import io.counterpoint.idempotency.Idempotency;
import io.counterpoint.idempotency.IdempotencyException.Reason;
import io.counterpoint.idempotency.IdempotencyKey;
import io.counterpoint.idempotency.Operation;
import io.counterpoint.idempotency.Outcome;
import io.counterpoint.idempotency.OutcomeUnknownException;
import io.counterpoint.idempotency.ResultCodec;
import java.util.ArrayList;
import java.util.List;
import java.util.UUID;
import java.util.stream.Stream;
import org.jdbi.v3.core.Handle;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

/** Rows that the library did not write. The table takes them, since it has no check; every call refuses them. */
@Timeout(60)
class IllegalRecordTest {

    private static final TestDatabase H2 = TestDatabase.h2();
    private static final TestDatabase POSTGRESQL = TestDatabase.postgresql();

    @AfterAll
    static void close() {
        H2.close();
        POSTGRESQL.close();
    }

    /** A state, and whether the row has a result, a failure's code and a failure's message. */
    private record Row(String state, boolean payload, boolean code, boolean message) {

        static Stream<Row> all() {
            List<Row> rows = new ArrayList<>();
            for (String state : List.of("P", "S", "F")) {
                for (int bits = 0; bits < 8; bits++) {
                    rows.add(new Row(state, (bits & 1) != 0, (bits & 2) != 0, (bits & 4) != 0));
                }
            }
            return rows.stream();
        }

        boolean isLegal() {
            return state.equals("F") ? !payload : !code && !message;
        }

        String assignment() {
            return "state = '" + state + "', payload = " + (payload ? "payload" : "NULL") + ", failure_code = "
                    + (code ? "'code'" : "NULL") + ", failure_message = " + (message ? "'message'" : "NULL");
        }
    }

    private static Stream<Arguments> onEachDatabase(List<String> rows) {
        return Stream.of(H2, POSTGRESQL).flatMap(database -> rows.stream().map(row -> Arguments.of(database, row)));
    }

    static Stream<Arguments> illegal() {
        List<String> rows = new ArrayList<>(
                Row.all().filter(row -> !row.isLegal()).map(Row::assignment).toList());
        rows.addAll(List.of("state = 'X'", "protocol = 'X'"));
        // H2's type has 32 bytes, whatever it is given.
        Stream<Arguments> ofPostgreSql = Stream.of(31, 0)
                .map(length -> Arguments.of(
                        POSTGRESQL, "fingerprint = substring(fingerprint FROM 1 FOR %d)".formatted(length)));
        return Stream.concat(onEachDatabase(rows), ofPostgreSql);
    }

    static Stream<Arguments> legal() {
        return onEachDatabase(
                Row.all().filter(Row::isLegal).map(Row::assignment).toList());
    }

    /** Executes once, changes the record, and returns its key. */
    private static String changed(TestDatabase database, String assignment) {
        String key = UUID.randomUUID().toString();
        assertThat(operation(database).execute(attempt(key), handle -> "done")).isInstanceOf(Outcome.Executed.class);
        int rows = database.jdbi()
                .withHandle(handle ->
                        handle.execute("UPDATE idempotency_record SET " + assignment + " WHERE key_value = ?", key));
        assertThat(rows).isEqualTo(1);
        return key;
    }

    private static Attempt attempt(String key) {
        return Attempt.inScope("user:1").key(key).withoutRequest();
    }

    private static Operation<Handle, String> operation(TestDatabase database) {
        return Idempotency.on(database.store())
                .operation("operate", ResultCodec.string())
                .build();
    }

    @ParameterizedTest(autoCloseArguments = false)
    @MethodSource("illegal")
    void recordThatNoCallCanHaveWrittenIsRefusedAndNothingRuns(TestDatabase database, String assignment) {
        Attempt attempt = attempt(changed(database, assignment));
        assertThatThrownBy(() -> assertThat(operation(database).execute(attempt, handle -> fail("ran again")))
                        .isNotNull())
                .isInstanceOfSatisfying(
                        OutcomeUnknownException.class,
                        thrown -> assertThat(thrown.reason()).isEqualTo(Reason.RECORD_UNREADABLE))
                .hasStackTraceContaining("found")
                .hasStackTraceContaining("record");
    }

    @ParameterizedTest(autoCloseArguments = false)
    @MethodSource("legal")
    void everyOtherCombinationIsRead(TestDatabase database, String assignment) {
        String key = changed(database, assignment);
        assertThat(database.store()
                        .read(IdempotencyKey.inScope("user:1")
                                .operation("operate")
                                .value(key)))
                .isPresent();
    }
}
