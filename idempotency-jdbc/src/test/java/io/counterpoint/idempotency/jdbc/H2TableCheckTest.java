package io.counterpoint.idempotency.jdbc;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.counterpoint.idempotency.jdbc.h2.H2Dialect;
import io.counterpoint.idempotency.jdbc.spi.RecordTable;
import java.sql.Connection;
import java.util.UUID;
import org.h2.api.Trigger;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** What H2 lets a table be, and what of it would break a promise. */
@Timeout(60)
class H2TableCheckTest {

    private final TestDatabase database = TestDatabase.h2();

    @AfterEach
    void close() {
        database.close();
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "scope SET DATA TYPE VARCHAR_IGNORECASE(255)       | [scope]         | varchar(255)",
                "key_value SET DATA TYPE char(255)                 | [key_value]     | varchar(255)",
                "operation SET DATA TYPE varchar(100)              | operation       | 255",
                "token SET DATA TYPE varchar(36)                   | token           | uuid",
                "failure_code SET DATA TYPE varchar(99)            | failure_code    | 100",
                "failure_code SET DATA TYPE char(100)              | cannot be stored unchanged | variable length",
                "failure_message SET DATA TYPE varchar(255)        | failure_message | 1000",
                "payload SET DATA TYPE varbinary(1000)             | payload         | 16777216",
                "updated_at SET DATA TYPE timestamp                | updated_at      | timestamp with time zone",
                "payload SET NOT NULL                              | payload         | DROP NOT NULL",
            })
    void alteredColumnIsRefusedWithTheRemedy(String change, String what, String remedy) {
        accepted();
        run("ALTER TABLE idempotency_record ALTER COLUMN " + change);
        refused(what, remedy);
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "ALTER COLUMN payload SET DATA TYPE blob",
                "ALTER COLUMN failure_message SET DATA TYPE varchar(2000)",
                "ADD COLUMN note int",
                "ADD COLUMN note int DEFAULT 7 NOT NULL"
            })
    void alteredTableThatKeepsThePromisesIsAccepted(String change) {
        run("ALTER TABLE idempotency_record " + change);
        accepted();
    }

    @Test
    void columnThatNothingFillsIsRefused() {
        run("ALTER TABLE idempotency_record ADD COLUMN tenant int NOT NULL");
        refused("tenant", "default");
    }

    @ParameterizedTest
    @ValueSource(strings = {"GLOBAL", "LOCAL"})
    void temporaryTableIsRefused(String kind) {
        run("DROP TABLE idempotency_record");
        try (TestDatabase one = database.with(config -> config.setMaximumPoolSize(1))) {
            String script = new H2Dialect(RecordTable.DEFAULT).schema();
            String create = script.substring(0, script.indexOf(";\n\nCREATE INDEX"))
                    .replace("CREATE TABLE IF NOT EXISTS", "CREATE " + kind + " TEMPORARY TABLE");
            one.jdbi().useHandle(handle -> handle.execute(create));
            assertThatThrownBy(() -> one.store().checkTable())
                    .isInstanceOf(IllegalStateException.class)
                    .hasMessageContaining("TEMPORARY");
        }
    }

    @Test
    void triggerIsRefused() {
        run("CREATE TRIGGER vanish BEFORE INSERT ON idempotency_record FOR EACH ROW CALL '" + Nothing.class.getName()
                + "'");
        refused("trigger", "VANISH", "DROP TRIGGER");
    }

    @Test
    void collationOfTheDatabaseIsRefused() {
        try (TestDatabase caseless = database.with(
                "jdbc:h2:mem:" + UUID.randomUUID() + ";DB_CLOSE_DELAY=-1",
                config -> config.setConnectionInitSql("SET COLLATION ENGLISH STRENGTH PRIMARY"))) {
            assertThatThrownBy(() -> caseless.store().createTableIfMissing())
                    .isInstanceOf(IllegalStateException.class)
                    .hasMessageContaining("[scope]")
                    .hasMessageContaining("ENGLISH");
        }
    }

    @Test
    void viewIsRefused() {
        run("ALTER TABLE idempotency_record RENAME TO real_record");
        run("CREATE VIEW idempotency_record AS SELECT * FROM real_record");
        refused("VIEW");
    }

    @Test
    void tableOfTheSearchPathIsTheOneThatIsChecked() {
        run("CREATE SCHEMA tenant");
        run("CREATE TABLE tenant.idempotency_record AS SELECT * FROM public.idempotency_record");
        accepted();
        try (TestDatabase tenant = database.with(config -> config.setConnectionInitSql("SET SCHEMA tenant"))) {
            assertThatThrownBy(() -> tenant.storeOnPool().checkTable())
                    .isInstanceOf(IllegalStateException.class)
                    .hasMessageContaining("primary key");
        }
        try (TestDatabase tenant =
                database.with(config -> config.setConnectionInitSql("SET SCHEMA_SEARCH_PATH tenant, public"))) {
            assertThat(tenant.storeOnPool().checkTable()).isNotNull();
        }
    }

    private void accepted() {
        assertThat(database.store().checkTable()).isNotNull();
    }

    private void refused(String... words) {
        assertThatThrownBy(() -> database.store().checkTable())
                .isInstanceOf(IllegalStateException.class)
                .hasMessageContainingAll(words);
    }

    private void run(String sql) {
        database.jdbi().useHandle(handle -> handle.execute(sql));
    }

    /** A trigger. */
    public static final class Nothing implements Trigger {
        @Override
        public void fire(Connection connection, Object[] oldRow, Object[] newRow) {}
    }
}
