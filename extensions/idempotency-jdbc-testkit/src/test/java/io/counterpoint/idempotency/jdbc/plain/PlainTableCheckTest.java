package io.counterpoint.idempotency.jdbc.plain;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.counterpoint.idempotency.jdbc.JdbiIdempotencyStore;
import io.counterpoint.idempotency.jdbc.spi.RecordTable;
import io.counterpoint.idempotency.testing.PostgresServer;
import java.util.List;
import org.jdbi.v3.core.Jdbi;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** What the template refuses beyond the columns and the key, which the contract looks at. */
@Tag("thorough")
class PlainTableCheckTest {

    private String url;

    @BeforeEach
    void open() {
        url = PostgresServer.shared().createDatabase();
    }

    @AfterEach
    void close() {
        PostgresServer.shared().giveBack(url);
    }

    private static JdbiIdempotencyStore store(String url) {
        return JdbiIdempotencyStore.builder(Jdbi.create(url))
                .dialect(new PlainPostgreSqlDialect(RecordTable.DEFAULT))
                .build();
    }

    private void execute(String sql) {
        Jdbi.create(url).useHandle(handle -> handle.execute(sql));
    }

    @Test
    void tableOfTheFileIsAcceptedUnderAnyName() {
        execute("CREATE SCHEMA other");
        for (String table : List.of("idempotency_record", "records", "other.records")) {
            assertThat(store(url).toBuilder()
                            .table(table)
                            .build()
                            .createTableIfMissing()
                            .checkTable())
                    .isNotNull();
        }
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "ALTER TABLE idempotency_record SET UNLOGGED | is a view, UNLOGGED or TEMPORARY",
                "ALTER TABLE idempotency_record ALTER key_value TYPE varchar(255) COLLATE \"blind\" | [key_value]",
                "CREATE RULE odd AS ON INSERT TO idempotency_record DO ALSO NOTHING | rule odd",
                "CREATE TRIGGER meddles BEFORE INSERT ON idempotency_record FOR EACH ROW"
                        + " EXECUTE FUNCTION suppress_redundant_updates_trigger() | trigger meddles"
            })
    void tableThatCannotKeepThePromisesIsRefused(String change, String reason) {
        execute("CREATE COLLATION blind (provider = icu, locale = 'und-u-ks-level1', deterministic = false)");
        JdbiIdempotencyStore store = store(url).createTableIfMissing();
        execute(change);
        refuses(store, reason);
    }

    @ParameterizedTest
    @CsvSource({
        "client_min_messages=error, set it to warning",
        "synchronous_commit=off, set it to on",
        "synchronous_commit=local, set it to on",
        "default_transaction_read_only=on, connect to the primary"
    })
    void sessionThatCannotKeepThemIsRefused(String setting, String remedy) {
        JdbiIdempotencyStore unused = store(url).createTableIfMissing();
        refuses(store(url + "&options=-c%20" + setting), remedy);
    }

    private static void refuses(JdbiIdempotencyStore store, String reason) {
        assertThatThrownBy(store::checkTable)
                .isInstanceOf(IllegalStateException.class)
                .hasMessageContaining(reason);
    }
}
