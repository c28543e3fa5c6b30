package io.counterpoint.idempotency.jdbc;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.counterpoint.idempotency.testing.PostgresServer;
import java.util.List;
import org.jdbi.v3.core.Jdbi;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** What the plain dialect refuses by the standard's catalogue. */
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
                .dialect(PlainPostgreSqlDialect.create())
                .build();
    }

    private void execute(String sql) {
        Jdbi.create(url).useHandle(handle -> handle.execute(sql));
    }

    private static void refuses(JdbiIdempotencyStore store, String... parts) {
        assertThatThrownBy(store::checkTable)
                .isInstanceOf(IllegalStateException.class)
                .hasMessageContainingAll(parts);
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
                "DROP TABLE idempotency_record | no such table",
                "ALTER TABLE idempotency_record SET UNLOGGED | is UNLOGGED",
                "ALTER TABLE idempotency_record DROP CONSTRAINT idempotency_record_pkey | primary key",
                "ALTER TABLE idempotency_record ALTER key_value TYPE varchar(100) | holds 100",
                "ALTER TABLE idempotency_record ALTER key_value TYPE varchar(255) COLLATE \"blind\" | [key_value]",
                "ALTER TABLE idempotency_record ALTER token TYPE text | the column token",
                "ALTER TABLE idempotency_record DROP COLUMN payload | [payload]",
                "CREATE TRIGGER meddles BEFORE INSERT ON idempotency_record FOR EACH ROW"
                        + " EXECUTE FUNCTION suppress_redundant_updates_trigger() | trigger meddles"
            })
    void tableThatCannotKeepThePromisesIsRefused(String change, String reason) {
        execute("CREATE COLLATION blind (provider = icu, locale = 'und-u-ks-level1', deterministic = false)");
        JdbiIdempotencyStore store = store(url).createTableIfMissing();
        execute(change);
        refuses(store, reason);
    }

    @Test
    void viewIsRefused() {
        JdbiIdempotencyStore unused =
                store(url).toBuilder().table("other").build().createTableIfMissing();
        execute("CREATE VIEW idempotency_record AS SELECT * FROM other");
        refuses(store(url), "it is a VIEW");
    }

    @Test
    void sessionThatAsksForNoWarningsIsRefused() {
        JdbiIdempotencyStore unused = store(url).createTableIfMissing();
        refuses(
                store(url + "&options=-c%20client_min_messages=error"),
                "client_min_messages is error",
                "set it to warning");
    }

    @ParameterizedTest
    @CsvSource({"off", "local"})
    void sessionThatLosesCommitsInACrashIsRefused(String durability) {
        JdbiIdempotencyStore unused = store(url).createTableIfMissing();
        refuses(
                store(url + "&options=-c%20synchronous_commit=" + durability),
                "synchronous_commit is " + durability,
                "set it to on");
    }
}
