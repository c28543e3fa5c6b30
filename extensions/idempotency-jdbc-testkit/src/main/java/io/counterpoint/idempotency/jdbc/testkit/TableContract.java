package io.counterpoint.idempotency.jdbc.testkit;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.counterpoint.idempotency.Attempt;
import io.counterpoint.idempotency.Fingerprint;
import io.counterpoint.idempotency.Idempotency;
import io.counterpoint.idempotency.IdempotencyKey;
import io.counterpoint.idempotency.NotStartedException;
import io.counterpoint.idempotency.Operation;
import io.counterpoint.idempotency.ResultCodec;
import io.counterpoint.idempotency.jdbc.JdbiIdempotencyStore;
import io.counterpoint.idempotency.jdbc.spi.Dialect;
import io.counterpoint.idempotency.jdbc.spi.RecordTable;
import io.counterpoint.idempotency.spi.Durability;
import io.counterpoint.idempotency.spi.IdempotencyRecord;
import io.counterpoint.idempotency.spi.IdempotencyRecord.Pending;
import io.counterpoint.idempotency.spi.IdempotencyRecord.Protocol;
import io.counterpoint.idempotency.spi.Session;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.UUID;
import java.util.function.Supplier;
import java.util.regex.Pattern;
import javax.sql.DataSource;
import org.jdbi.v3.core.Handle;
import org.jdbi.v3.core.Jdbi;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** The table of a dialect: its creation, its check and its exact values. */
abstract class TableContract {

    private static final RecordTable OTHER = new RecordTable("", "other_record");
    private static final Pattern PRIMARY_KEY = Pattern.compile("PRIMARY KEY *\\([^)]*\\)");
    private static final Duration WAIT = Duration.ofSeconds(1);
    private static final Duration DAY = Duration.ofDays(1);

    private final Supplier<Dialect> dialect;
    private final Supplier<DataSource> dataSource;

    TableContract(Supplier<Dialect> dialect, Supplier<DataSource> dataSource) {
        this.dialect = dialect;
        this.dataSource = dataSource;
    }

    private JdbiIdempotencyStore other() {
        return JdbiIdempotencyStore.builder(dataSource.get())
                .dialect(dialect.get())
                .table(OTHER.toString())
                .build();
    }

    @AfterEach
    void dropTheOtherTable() {
        Jdbi.create(dataSource.get()).useTransaction(handle -> handle.execute("DROP TABLE IF EXISTS " + OTHER));
    }

    private static Optional<IdempotencyRecord> claim(JdbiIdempotencyStore store, String value) {
        IdempotencyKey key =
                IdempotencyKey.inScope("user:1").operation("operation").value(value);
        Pending record = new Pending(
                key,
                Protocol.CLAIM_FIRST,
                UUID.randomUUID(),
                Fingerprint.ofParts(value),
                Optional.empty(),
                Duration.ZERO);
        try (Session<Handle> session = store.openForClaim(key, WAIT)) {
            return session.autoCommit(steps -> steps.claim(record, DAY, WAIT, Durability.DURABLE));
        }
    }

    @Test
    void dialectNamesItsTable() {
        assertThat(dialect.get().table()).isEqualTo(RecordTable.DEFAULT);
        assertThat(dialect.get().withTable(OTHER).table()).isEqualTo(OTHER);
        assertThat(dialect.get().schemaFile()).isNotBlank();
    }

    @Test
    void missingTableIsRefusedByName() {
        assertThatThrownBy(() -> other().checkTable())
                .isInstanceOf(IllegalStateException.class)
                .hasMessageContaining(OTHER.toString())
                .hasMessageContaining(dialect.get().schemaFile());
    }

    @Test
    void callWithoutTheTableSaysWhatIsToBeDone() {
        assertCallSaysWhatIsToBeDoneAfter("DROP TABLE " + OTHER);
    }

    @Test
    void callWithoutAColumnSaysWhatIsToBeDone() {
        assertCallSaysWhatIsToBeDoneAfter("ALTER TABLE " + OTHER + " DROP COLUMN payload");
    }

    /** Retrying does not help, because something must be fixed. */
    private void assertCallSaysWhatIsToBeDoneAfter(String change) {
        JdbiIdempotencyStore store = other().createTableIfMissing();
        Jdbi.create(dataSource.get()).useTransaction(handle -> handle.execute(change));
        Operation.Builder<Handle, String> operation =
                Idempotency.on(store).operation("operation", ResultCodec.string());
        Attempt attempt = Attempt.inScope("user:1").key("key").request("request");
        for (Operation<Handle, String> each : List.of(
                operation.build(),
                operation.protocol(Operation.Protocol.SINGLE_TRANSACTION).build())) {
            assertThatThrownBy(() -> each.execute(attempt, handle -> "never"))
                    .isInstanceOfSatisfying(
                            NotStartedException.class,
                            refused -> assertThat(refused.isRetryable()).isFalse())
                    .hasMessageContainingAll(OTHER.toString(), "checkTable()", "This call had no effect");
        }
    }

    @Test
    void tableIsCreatedOnceAndAccepted() {
        JdbiIdempotencyStore store = other().createTableIfMissing();
        assertThat(claim(store, "key")).isEmpty();
        assertThat(claim(store.createTableIfMissing().checkTable(), "key")).isPresent();
    }

    /** Uses its own script, because no SQL for copying a table works on every database. */
    @Test
    void tableWithoutItsKeyIsRefused() {
        String schema = dialect.get().withTable(OTHER).schema();
        String keyless = PRIMARY_KEY.matcher(schema).replaceAll("CHECK (state <> 'X')");
        assertThat(keyless).as("a script that names its primary key").isNotEqualTo(schema);
        Jdbi.create(dataSource.get())
                .useTransaction(handle -> handle.createScript(keyless).execute());
        assertThatThrownBy(() -> other().checkTable())
                .isInstanceOf(IllegalStateException.class)
                .hasMessageContaining("primary key");
    }

    /** Databases may treat many of these as equal: by case, by accent, by composition. */
    @Test
    void keysAreComparedExactly() {
        JdbiIdempotencyStore store = other().createTableIfMissing();
        List<String> values = List.of("a", "A", "\u00e1", "a\u0301", "\u00df", "ss", "\u0131", "i", "I");
        for (String value : values) {
            assertThat(claim(store, value)).as(value).isEmpty();
        }
        for (String value : values) {
            assertThat(claim(store, value).orElseThrow().fingerprint())
                    .as(value)
                    .isEqualTo(Fingerprint.ofParts(value));
        }
    }

    @Test
    void longestKeyOfAnyCharactersFits() {
        JdbiIdempotencyStore store = other().createTableIfMissing();
        String value = "\u20ac".repeat(IdempotencyKey.MAX_LENGTH);
        assertThat(claim(store, value)).isEmpty();
        assertThat(claim(store, value)).isPresent();
    }
}
