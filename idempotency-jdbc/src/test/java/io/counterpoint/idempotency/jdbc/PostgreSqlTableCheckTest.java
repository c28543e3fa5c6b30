package io.counterpoint.idempotency.jdbc;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Statement;
import org.jdbi.v3.core.Jdbi;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** What PostgreSQL lets a table be, and what of it would break a promise. */
@Tag("thorough")
@Timeout(60)
class PostgreSqlTableCheckTest {

    private static final String PARTITIONED = """
            ALTER TABLE idempotency_record RENAME TO old_record;
            CREATE TABLE idempotency_record (LIKE old_record INCLUDING ALL EXCLUDING INDEXES, PRIMARY KEY (%s))
                PARTITION BY %s;
            """;

    private TestDatabase database;

    @BeforeEach
    void open() {
        database = TestDatabase.postgresql();
        run("""
                CREATE FUNCTION nothing() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN RETURN NULL; END $$;
                CREATE COLLATION caseless (provider = icu, locale = 'und-u-ks-level2', deterministic = false);
                CREATE EXTENSION citext;
                """);
    }

    @AfterEach
    void close() {
        database.close();
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "SET UNLOGGED                                                         | UNLOGGED      | SET LOGGED",
                "ALTER scope TYPE varchar(255) COLLATE caseless                       | [scope]       | COLLATE \"C\"",
                "ALTER operation TYPE citext                                          | [operation]   | varchar(255)",
                "ALTER key_value TYPE char(255)                                       | [key_value]   | varchar(255)",
                "ALTER key_value TYPE varchar(100)                                    | key_value     | 255",
                "ALTER token TYPE varchar(36)                                         | token         | uuid",
                "ALTER failure_code TYPE varchar(99)                                  | failure_code  | 100",
                "ALTER failure_code TYPE char(100)                                    | cannot be stored unchanged | variable length",
                "ALTER failure_message TYPE varchar(255)                              | failure_message | 1000",
                "ALTER payload TYPE text USING 'x'                                    | payload       | bytea",
                "ALTER updated_at TYPE timestamp                                      | updated_at    | timestamp with time zone",
                "ALTER payload SET NOT NULL                                           | payload       | DROP NOT NULL",
                "ALTER failure_code SET NOT NULL                                      | failure_code  | DROP NOT NULL",
                "ADD tenant int NOT NULL                                              | tenant        | default",
                "DROP CONSTRAINT idempotency_record_pkey                              | primary key   | claimed twice",
                "DROP CONSTRAINT idempotency_record_pkey, ADD PRIMARY KEY (operation, scope, key_value) | primary key | in this order",
                "DROP CONSTRAINT idempotency_record_pkey, ADD PRIMARY KEY (key_value, scope, operation) DEFERRABLE | primary key | deferrable",
            })
    void alteredTableIsRefusedWithTheRemedy(String change, String what, String remedy) {
        accepted();
        run("ALTER TABLE idempotency_record " + change);
        refused(what, remedy);
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "ALTER scope TYPE text",
                "ALTER key_value TYPE varchar(255) COLLATE \"POSIX\"",
                "ALTER failure_message TYPE text",
                "ALTER failure_code TYPE varchar(200)",
                "ALTER state TYPE text",
                "ADD note int",
                "ADD note int NOT NULL DEFAULT 7",
                "ADD note int NOT NULL GENERATED ALWAYS AS IDENTITY",
                "ADD note int NOT NULL GENERATED ALWAYS AS (length(key_value)) STORED",
                "ENABLE ROW LEVEL SECURITY",
                "SET (fillfactor = 100)"
            })
    void alteredTableThatKeepsThePromisesIsAccepted(String change) {
        run("ALTER TABLE idempotency_record " + change);
        accepted();
    }

    @Test
    void domainOverTextIsAcceptedAndOverCaselessTextIsNot() {
        run(
                "CREATE DOMAIN long_name AS varchar(255); ALTER TABLE idempotency_record ALTER scope TYPE long_name COLLATE \"C\"");
        accepted();
        run("CREATE DOMAIN caseless_name AS citext; ALTER TABLE idempotency_record ALTER scope TYPE caseless_name");
        refused("[scope]", "varchar(255)");
    }

    @Test
    void temporaryTableIsRefused() throws SQLException {
        refusedAfter(
                "CREATE TEMP TABLE idempotency_record (LIKE public.idempotency_record INCLUDING ALL)", "TEMPORARY");
    }

    @Test
    void enabledTriggerIsRefusedAndADisabledOneIsNot() {
        run("CREATE TRIGGER vanish BEFORE INSERT ON idempotency_record FOR EACH ROW EXECUTE FUNCTION nothing()");
        refused("trigger", "vanish", "DROP TRIGGER");
        run("ALTER TABLE idempotency_record DISABLE TRIGGER vanish");
        accepted();
        run("ALTER TABLE idempotency_record ENABLE ALWAYS TRIGGER vanish");
        refused("vanish");
    }

    @Test
    void ruleIsRefused() {
        run("CREATE RULE vanish AS ON INSERT TO idempotency_record DO INSTEAD NOTHING");
        refused("rule", "vanish", "DROP RULE");
    }

    @Test
    void viewIsRefused() {
        run("ALTER TABLE idempotency_record RENAME TO real_record;"
                + " CREATE VIEW idempotency_record AS SELECT * FROM real_record");
        refused("view");
    }

    @Test
    void inheritanceIsRefusedOnBothSides() {
        run("CREATE TABLE child () INHERITS (idempotency_record)");
        refused("inherit", "child");
        run("DROP TABLE child; CREATE TABLE parent (scope varchar(255)); ALTER TABLE parent ALTER scope TYPE"
                + " varchar(255) COLLATE \"C\"; ALTER TABLE parent ALTER scope SET NOT NULL;"
                + " ALTER TABLE idempotency_record INHERIT parent");
        refused("inherit", "parent");
    }

    @Test
    void partitionsByTheKeyAreAccepted() {
        run(PARTITIONED.formatted("key_value, scope, operation", "HASH (key_value)")
                + "CREATE TABLE part_0 PARTITION OF idempotency_record FOR VALUES WITH (MODULUS 2, REMAINDER 0);"
                + "CREATE TABLE part_1 PARTITION OF idempotency_record FOR VALUES WITH (MODULUS 2, REMAINDER 1)");
        accepted();
        run("ALTER TABLE part_1 SET UNLOGGED");
        refused("UNLOGGED", "part_1");
        run("ALTER TABLE part_1 SET LOGGED;"
                + " CREATE TRIGGER vanish BEFORE INSERT ON part_0 FOR EACH ROW EXECUTE FUNCTION nothing()");
        refused("trigger", "vanish", "part_0");
    }

    @ParameterizedTest
    @ValueSource(
            strings = {"LIST (operation)", "RANGE (key_value)", "RANGE (scope, key_value)", "LIST (lower(key_value))"})
    void partitionsBySomeColumnsOfTheKeyAreAcceptedAndByAnExpressionRefused(String by) {
        boolean expression = by.contains("lower");
        run(PARTITIONED
                        .formatted("key_value, scope, operation", by)
                        .replace(expression ? ", PRIMARY KEY (key_value, scope, operation)" : "none", "")
                + "CREATE TABLE part_all PARTITION OF idempotency_record DEFAULT");
        if (expression) {
            refused("partitioned by [an expression]", "partition by scope, operation or key_value");
        } else {
            accepted();
        }
    }

    @Test
    void partitionsByTimeOfArrivalAreRefused() {
        run(PARTITIONED.formatted("scope, operation, key_value, created_at", "RANGE (created_at)")
                + "CREATE TABLE part_all PARTITION OF idempotency_record DEFAULT");
        refused("partitioned by [created_at]", "primary key");
    }

    @Test
    void primaryKeyThatNotAllPartitionsHaveIsRefused() {
        run("""
                ALTER TABLE idempotency_record RENAME TO old_record;
                CREATE TABLE idempotency_record (LIKE old_record INCLUDING ALL EXCLUDING INDEXES)
                    PARTITION BY HASH (key_value);
                CREATE TABLE part_0 PARTITION OF idempotency_record FOR VALUES WITH (MODULUS 1, REMAINDER 0);
                ALTER TABLE ONLY idempotency_record ADD PRIMARY KEY (key_value, scope, operation);
                """);
        refused("primary key", "not valid");
    }

    @Test
    void tableOfTheSearchPathIsTheOneThatIsChecked() throws SQLException {
        run("CREATE SCHEMA tenant; CREATE TABLE tenant.idempotency_record (LIKE public.idempotency_record)");
        accepted();
        refusedAfter("SET LOCAL search_path = tenant, public", "primary key");
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "SELECT, INSERT, DELETE | few lacks UPDATE",
                "INSERT, UPDATE, DELETE | few lacks SELECT: GRANT it",
                "SELECT, INSERT, UPDATE | few lacks DELETE: GRANT it",
                "SELECT                 | few lacks INSERT, UPDATE, DELETE: GRANT it",
            })
    void roleThatMayNotWriteRecordsIsRefusedAtTheStart(String granted, String word) throws SQLException {
        refusedAfter(
                "CREATE ROLE few; GRANT USAGE ON SCHEMA public TO few; GRANT " + granted
                        + " ON idempotency_record TO few; SET LOCAL ROLE few",
                word);
    }

    /** Its store has found out before which database it is. */
    @Test
    void sessionThatHidesWarningsIsRefusedWithTheRemedy() throws SQLException {
        try (Connection connection = database.pool().getConnection();
                Statement statement = connection.createStatement()) {
            connection.setAutoCommit(false);
            JdbiIdempotencyStore store =
                    JdbiIdempotencyStore.on(Jdbi.create(connection)).checkTable();
            statement.execute("SET LOCAL client_min_messages = error");
            assertThatThrownBy(store::checkTable)
                    .isInstanceOf(IllegalStateException.class)
                    .hasMessageContainingAll(
                            "client_min_messages is error",
                            "expected warning",
                            "ALTER ROLE … SET client_min_messages = warning");
        }
    }

    /** In one transaction, so that nothing of it stays in a session that a gateway hands to others. */
    private void refusedAfter(String sql, String word) throws SQLException {
        try (Connection connection = database.pool().getConnection();
                Statement statement = connection.createStatement()) {
            connection.setAutoCommit(false);
            statement.execute(sql);
            assertThatThrownBy(() ->
                            JdbiIdempotencyStore.on(Jdbi.create(connection)).checkTable())
                    .isInstanceOf(IllegalStateException.class)
                    .hasMessageContaining(word);
        }
    }

    @Test
    void everythingThatIsWrongIsSaidAtOnce() {
        run(
                "ALTER TABLE idempotency_record SET UNLOGGED, ALTER failure_code TYPE varchar(9), ALTER payload SET NOT NULL");
        refused("UNLOGGED", "failure_code", "payload");
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
        try (Connection connection = database.pool().getConnection();
                Statement statement = connection.createStatement()) {
            statement.execute(sql);
        } catch (SQLException refused) {
            throw new AssertionError(sql, refused);
        }
    }
}
