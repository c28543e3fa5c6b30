package io.counterpoint.idempotency.jdbc;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.counterpoint.idempotency.Attempt;
import io.counterpoint.idempotency.Idempotency;
import io.counterpoint.idempotency.Outcome;
import io.counterpoint.idempotency.ResultCodec;
import io.counterpoint.idempotency.testing.Race;
import java.util.Arrays;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

@Timeout(60)
class SchemaTest {

    private static final List<TestDatabase> DATABASES = Arrays.asList(TestDatabase.h2(), TestDatabase.postgresql());

    static Stream<TestDatabase> databases() {
        return DATABASES.stream();
    }

    @AfterAll
    static void close() {
        DATABASES.forEach(TestDatabase::close);
    }

    @ParameterizedTest(autoCloseArguments = false)
    @MethodSource("databases")
    void createdTablePassesItsCheckAndIsCreatedOnce(TestDatabase database) {
        assertThat(database.store()
                        .createTableIfMissing()
                        .createTableIfMissing()
                        .checkTable())
                .isNotNull();
    }

    @ParameterizedTest(autoCloseArguments = false)
    @MethodSource("databases")
    void missingTableIsRefusedWithTheFileToUse(TestDatabase database) {
        assertThatThrownBy(() ->
                        database.store().toBuilder().table("nowhere").build().checkTable())
                .isInstanceOf(IllegalStateException.class)
                .hasMessageContaining("nowhere")
                .hasMessageContaining("the table does not exist")
                .hasMessageContaining(".sql");
    }

    @ParameterizedTest(autoCloseArguments = false)
    @MethodSource("databases")
    void missingColumnIsNamed(TestDatabase database) {
        database.jdbi().useHandle(handle -> {
            handle.execute(
                    "CREATE TABLE old_record (scope varchar(255), operation varchar(255), key_value varchar(255),"
                            + " PRIMARY KEY (scope, operation, key_value))");
        });
        assertThatThrownBy(() ->
                        database.store().toBuilder().table("old_record").build().checkTable())
                .isInstanceOf(IllegalStateException.class)
                .hasMessageContaining("fingerprint");
        assertThatThrownBy(() ->
                        database.store().toBuilder().table("old_record").build().createTableIfMissing())
                .isInstanceOf(IllegalStateException.class)
                .hasMessageContaining("fingerprint");
    }

    @ParameterizedTest(autoCloseArguments = false)
    @MethodSource("databases")
    void tableWithoutThePrimaryKeyIsRefused(TestDatabase database) {
        database.jdbi()
                .useHandle(handle ->
                        handle.execute("CREATE TABLE keyless_record AS SELECT * FROM idempotency_record WHERE 1 = 0"));
        assertThatThrownBy(() -> database.store().toBuilder()
                        .table("keyless_record")
                        .build()
                        .checkTable())
                .isInstanceOf(IllegalStateException.class)
                .hasMessageContaining("primary key");
    }

    @ParameterizedTest(autoCloseArguments = false)
    @MethodSource("databases")
    void tableMayHaveAnotherNameAndSchema(TestDatabase database) {
        database.jdbi().useHandle(handle -> handle.execute("CREATE SCHEMA books"));
        JdbiIdempotencyStore other = database.store().toBuilder()
                .table("books.charge_record")
                .build()
                .createTableIfMissing();
        Attempt attempt = Attempt.inScope("user:1").key("key-1").withoutRequest();
        assertThat(Idempotency.on(other)
                        .operation("charge", ResultCodec.string())
                        .build()
                        .execute(attempt, handle -> "charged"))
                .isInstanceOf(Outcome.Executed.class);
        assertThat(database.<Integer>one("SELECT count(*) FROM books.charge_record", Integer.class))
                .isEqualTo(1);
    }

    @ParameterizedTest(autoCloseArguments = false)
    @MethodSource("databases")
    void namesThatAreNotPlainIdentifiersAreRefused(TestDatabase database) {
        for (String name : List.of("", "a b", "a;DROP TABLE b", "a.b.c", "\"a\"", "1a", "a".repeat(49), "tä")) {
            assertThatThrownBy(() -> database.store().toBuilder().table(name).build())
                    .as(name)
                    .isInstanceOf(IllegalArgumentException.class)
                    .hasMessageContaining("table name");
        }
    }

    @ParameterizedTest(autoCloseArguments = false)
    @MethodSource("databases")
    void manyMayCreateAtOnce(TestDatabase database) {
        JdbiIdempotencyStore store =
                database.store().toBuilder().table("raced_record").build();
        assertThat(Race.of(8, runner -> store.createTableIfMissing() == store))
                .allSatisfy(result -> assertThat(result.orFail()).isTrue());
    }
}
