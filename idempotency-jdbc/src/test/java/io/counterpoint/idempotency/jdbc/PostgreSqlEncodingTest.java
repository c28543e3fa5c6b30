package io.counterpoint.idempotency.jdbc;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.fail;

import io.counterpoint.idempotency.Attempt;
import io.counterpoint.idempotency.Failure;
import io.counterpoint.idempotency.Idempotency;
import io.counterpoint.idempotency.Operation;
import io.counterpoint.idempotency.Outcome;
import io.counterpoint.idempotency.ResultCodec;
import io.counterpoint.idempotency.jdbc.postgresql.PostgreSqlDialect;
import io.counterpoint.idempotency.jdbc.spi.RecordTable;
import java.util.UUID;
import java.util.function.Consumer;
import java.util.stream.Stream;
import org.jdbi.v3.core.Handle;
import org.jdbi.v3.core.Jdbi;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Databases whose encoding has no place for most characters of keys and failures. */
@Tag("thorough")
@Timeout(60)
class PostgreSqlEncodingTest {

    private static TestDatabase utf8;

    @BeforeAll
    static void open() {
        utf8 = TestDatabase.postgresql();
    }

    @AfterAll
    static void close() {
        utf8.close();
    }

    /** A database of that encoding, with the records' table. */
    private static void in(String encoding, Consumer<Jdbi> body) {
        String name = "encoded_" + UUID.randomUUID().toString().replace("-", "");
        utf8.jdbi()
                .useHandle(handle -> handle.execute("CREATE DATABASE " + name + " ENCODING '" + encoding
                        + "' TEMPLATE template0 LC_COLLATE 'C' LC_CTYPE 'C'"));
        try {
            Jdbi jdbi = Jdbi.create(utf8.url().replaceFirst("/[^/?]*\\?", "/" + name + "?"));
            jdbi.useHandle(handle -> handle.createScript(new PostgreSqlDialect(RecordTable.DEFAULT).schema())
                    .execute());
            body.accept(jdbi);
        } finally {
            utf8.jdbi().useHandle(handle -> handle.execute("DROP DATABASE " + name + " WITH (FORCE)"));
        }
    }

    private static Operation<Handle, String> operation(JdbiIdempotencyStore store, String failure) {
        return Idempotency.on(store)
                .operation("operation", ResultCodec.string())
                .protocol(Operation.Protocol.SINGLE_TRANSACTION)
                .describeFailure(thrown -> new Failure("refused", failure))
                .build();
    }

    private static Attempt attempt() {
        return Attempt.inScope("user:1").key(UUID.randomUUID().toString()).request("request");
    }

    @ParameterizedTest
    @ValueSource(strings = {"LATIN1", "WIN1252", "EUC_JP"})
    void encodingWithoutAPlaceForAllCharactersIsRefusedByTheCheck(String encoding) {
        in(
                encoding,
                jdbi -> assertThatThrownBy(JdbiIdempotencyStore.on(jdbi)::checkTable)
                        .isInstanceOf(IllegalStateException.class)
                        .hasMessageContainingAll(encoding, "ENCODING 'UTF8'"));
    }

    /** Otherwise its failure could not be recorded, and each retry would run the work again. */
    @ParameterizedTest
    @ValueSource(strings = {"LATIN1", "WIN1252"})
    void uncheckedStoreRefusesTheFirstCallBeforeItsWork(String encoding) {
        in(
                encoding,
                jdbi -> assertThatThrownBy(() -> assertThat(operation(JdbiIdempotencyStore.on(jdbi), "\u5931\u6557")
                                        .execute(attempt(), handle -> fail("ran")))
                                .isNotNull())
                        .isInstanceOf(IllegalStateException.class)
                        .hasMessageContainingAll(encoding, "ENCODING 'UTF8'"));
    }

    /** It counts bytes, so columns that hold as many characters elsewhere hold fewer. */
    @Test
    void databaseWithoutAnEncodingIsRefusedWhereItsColumnsAreTooShort() {
        in(
                "SQL_ASCII",
                jdbi -> assertThatThrownBy(JdbiIdempotencyStore.on(jdbi)::checkTable)
                        .isInstanceOf(IllegalStateException.class)
                        .hasMessageContainingAll("a test record cannot be stored unchanged", "text"));
    }

    @Test
    void databaseWithoutAnEncodingIsAcceptedWithColumnsOfTypeText() {
        in("SQL_ASCII", jdbi -> {
            jdbi.useHandle(handle -> Stream.of("scope", "operation", "key_value", "failure_code", "failure_message")
                    .forEach(column -> handle.execute(
                            "ALTER TABLE idempotency_record ALTER " + column + " TYPE text COLLATE \"C\"")));
            JdbiIdempotencyStore checked = JdbiIdempotencyStore.on(jdbi).checkTable();
            Attempt attempt = attempt();
            String message = "\u5931".repeat(Failure.MAX_MESSAGE_LENGTH);
            IllegalStateException refused = new IllegalStateException("refused");
            assertThatThrownBy(() -> operation(checked, message).execute(attempt, handle -> {
                        throw refused;
                    }))
                    .isSameAs(refused);
            assertThat(operation(checked, message).execute(attempt, handle -> fail("ran again")))
                    .isInstanceOfSatisfying(
                            Outcome.Rejected.class,
                            rejected -> assertThat(rejected.failure().message()).isEqualTo(message));
        });
    }
}
