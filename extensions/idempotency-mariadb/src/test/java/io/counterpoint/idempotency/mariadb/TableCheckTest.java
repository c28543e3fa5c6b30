package io.counterpoint.idempotency.mariadb;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.zaxxer.hikari.HikariConfig;
import com.zaxxer.hikari.HikariDataSource;
import io.counterpoint.idempotency.Attempt;
import io.counterpoint.idempotency.Idempotency;
import io.counterpoint.idempotency.IdempotencyException.Reason;
import io.counterpoint.idempotency.NotStartedException;
import io.counterpoint.idempotency.ResultCodec;
import io.counterpoint.idempotency.jdbc.JdbiIdempotencyStore;
import io.counterpoint.idempotency.jdbc.spi.Dialect;
import io.counterpoint.idempotency.testing.MariaDbServer;
import java.util.Properties;
import java.util.Set;
import java.util.function.UnaryOperator;
import org.jdbi.v3.core.Jdbi;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Tables, servers and settings on which the promises cannot rest are refused, with the reason. */
@Tag("thorough")
class TableCheckTest {

    private static final Set<String> MODES_OF_MARIADB =
            Set.of("EMPTY_STRING_IS_NULL", "SIMULTANEOUS_ASSIGNMENT", "ORACLE");

    private static TestPool database;

    @BeforeAll
    static void open() {
        database = TestPool.with("");
    }

    @AfterAll
    static void close() {
        database.close();
    }

    @BeforeEach
    void dropTable() {
        execute("DROP VIEW IF EXISTS idempotency_record");
        execute("DROP TABLE IF EXISTS idempotency_record");
        execute("DROP TABLE IF EXISTS other");
    }

    private static void execute(String sql) {
        Jdbi.create(database.pool()).useHandle(handle -> handle.execute(sql));
    }

    private static JdbiIdempotencyStore store() {
        return JdbiIdempotencyStore.builder(database.pool())
                .dialect(TestPool.dialect())
                .build();
    }

    private static void create(UnaryOperator<String> change) {
        String sql = TestPool.dialect().schema();
        String changed = change.apply(sql);
        assertThat(changed).isNotEqualTo(sql);
        Jdbi.create(database.pool())
                .useHandle(handle -> handle.createScript(changed).execute());
    }

    private static void refuses(String... parts) {
        assertThatThrownBy(() -> store().checkTable())
                .isInstanceOf(IllegalStateException.class)
                .hasMessageContainingAll(parts);
    }

    /** A check whose sessions begin with these settings. */
    private static void refusesSessions(String settings, String... parts) {
        store().createTableIfMissing();
        Jdbi jdbi = Jdbi.create(database.url() + "&jdbcCompliantTruncation=false&sessionVariables=" + settings);
        assertThatThrownBy(() -> JdbiIdempotencyStore.builder(jdbi)
                        .dialect(TestPool.dialect())
                        .build()
                        .checkTable())
                .isInstanceOf(IllegalStateException.class)
                .hasMessageContainingAll(parts);
    }

    @Test
    void tableOfTheFileIsAccepted() {
        assertThat(store().createTableIfMissing().checkTable()).isNotNull();
    }

    @Test
    void tableWithItsDatabaseNamedIsAccepted() {
        String name = Jdbi.create(database.pool())
                .withHandle(handle -> handle.createQuery("SELECT DATABASE()")
                        .mapTo(String.class)
                        .one());
        Dialect dialect = TestPool.dialect();
        assertThat(JdbiIdempotencyStore.builder(database.pool())
                        .dialect(dialect)
                        .table(name + ".other")
                        .build()
                        .createTableIfMissing())
                .isNotNull();
    }

    @ParameterizedTest
    @ValueSource(strings = {"MyISAM", "MEMORY", "Aria"})
    void engineWithoutTransactionsIsRefused(String engine) {
        if (engine.equals("Aria") && MariaDbServer.shared().isMySql()) {
            return;
        }
        create(sql -> sql.replace("InnoDB ROW_FORMAT = DYNAMIC", engine)
                .replace("longblob", "varbinary(100)")
                .replace("varchar(255)", "varchar(60)"));
        refuses("its engine is " + engine, "ENGINE = InnoDB");
    }

    /** They take letters for equal, or ignore spaces at the end. */
    @ParameterizedTest
    @ValueSource(strings = {"utf8mb4_general_ci", "utf8mb4_unicode_ci", "utf8mb4_bin"})
    void collationThatTakesDifferentKeysForEqualIsRefused(String collation) {
        create(sql -> sql.replaceAll("COLLATE utf8mb4_\\w+", "COLLATE " + collation));
        refuses("[scope]", "[operation]", "[key_value]", collation);
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "SELECT, INSERT, DELETE | UPDATE",
                "SELECT, UPDATE, DELETE | INSERT",
                "INSERT, UPDATE, DELETE | SELECT",
                "SELECT, INSERT, UPDATE | DELETE"
            })
    void userThatMayNotWriteRecordsIsRefused(String granted, String missing) {
        JdbiIdempotencyStore unused = store().createTableIfMissing();
        execute("CREATE USER IF NOT EXISTS few@localhost, few@'%'");
        try {
            execute("GRANT " + granted + " ON idempotency_record TO few@localhost, few@'%'");
            Jdbi few = Jdbi.create(database.url().replace("user=root", "user=few"));
            assertThatThrownBy(() -> JdbiIdempotencyStore.builder(few)
                            .dialect(TestPool.dialect())
                            .build()
                            .checkTable())
                    .isInstanceOf(IllegalStateException.class)
                    .message()
                    .containsOnlyOnce("the user lacks ")
                    .contains("the user lacks " + missing + ": GRANT");
        } finally {
            execute("DROP USER few@localhost, few@'%'");
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {"ADD tenant int NOT NULL", "MODIFY key_value varchar(3) NOT NULL"})
    void claimThatTheTableRejectsNamesItAndTheRemedy(String change) {
        JdbiIdempotencyStore store = store().createTableIfMissing();
        execute("ALTER TABLE idempotency_record " + change);

        assertThatThrownBy(() -> Idempotency.on(store)
                        .operation("operation", ResultCodec.string())
                        .build()
                        .execute(Attempt.inScope("user:1").key("long-key").withoutRequest(), handle -> "done"))
                .isInstanceOfSatisfying(
                        NotStartedException.class,
                        refused -> assertThat(refused.reason()).isSameAs(Reason.STORE_UNFIT))
                .hasMessageContaining("the table idempotency_record cannot be used");
    }

    @Test
    void keyOfAFixedLengthIsRefused() {
        create(sql -> sql.replace("key_value       varchar(255)", "key_value char(255)"));
        refuses("[key_value]");
    }

    @Test
    void columnThatDependsOnTheZoneOfTheSessionIsRefused() {
        create(sql -> sql.replace("updated_at      datetime(6) ", "updated_at timestamp(6)"));
        refuses("updated_at", "datetime(6)");
    }

    @Test
    void columnWithoutMicrosecondsIsRefused() {
        create(sql -> sql.replace("updated_at      datetime(6) ", "updated_at datetime"));
        refuses("updated_at", "datetime(6)");
    }

    @Test
    void columnOfTypeUuidIsRefusedSinceItRefusesSomeTokens() {
        if (!MariaDbServer.shared().isMySql()) {
            create(sql -> sql.replace("binary(16)", "uuid"));
            refuses("token", "binary(16)");
        }
    }

    @Test
    void smallPayloadIsRefused() {
        create(sql -> sql.replace("longblob", "mediumblob"));
        refuses("payload", "16777216");
    }

    @Test
    void keyOfPrefixesIsRefused() {
        create(sql -> sql.replace("PRIMARY KEY (key_value,", "PRIMARY KEY (key_value(100),"));
        refuses("primary key", "key_value(100)");
    }

    /** Of encodings without a place for most characters, or of a length to which texts are filled or cut. */
    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "failure_message varchar(1000) | failure_message varchar(1000) CHARACTER SET latin1",
                "failure_message varchar(1000) | failure_message varchar(1000) CHARACTER SET utf8mb3",
                "failure_code    varchar(100)  | failure_code varchar(100) CHARACTER SET ascii",
                "failure_code    varchar(100)  | failure_code char(100)",
            })
    void columnThatDoesNotKeepItsTextIsRefused(String column, String changed) {
        create(sql -> sql.replace(column, changed));
        refuses("a test record cannot be stored unchanged", "utf8mb4");
    }

    /** MariaDB's driver itself refuses those that are not of UTF-8. MySQL's puts its own encoding in their place. */
    @ParameterizedTest
    @Tag("mariadb")
    @ValueSource(strings = {"character_set_client=utf8mb3", "character_set_results=utf8mb3"})
    void sessionOfAnotherEncodingThanTheDriversIsRefused(String settings) {
        refusesSessions(settings, "a test record cannot be stored unchanged", "utf8mb4");
    }

    /** MySQL's driver encodes texts as its URL says, and takes what has no place there for a question mark. */
    @Test
    void driverWithAnotherEncodingIsRefused() {
        store().createTableIfMissing();
        String url = Driver.MYSQL.url(database.url());
        assertThatThrownBy(() -> JdbiIdempotencyStore.builder(Jdbi.create(url + "&characterEncoding=ISO-8859-1"))
                        .dialect(TestPool.dialect())
                        .build()
                        .checkTable())
                .isInstanceOf(IllegalStateException.class)
                .hasMessageContaining("a test record cannot be stored unchanged");
    }

    /** The answer would be of a transaction that is gone. A pool gives properties beside the URL. */
    @Test
    void driverThatSendsStatementsAgainIsRefused() {
        store().createTableIfMissing();
        Properties properties = new Properties();
        properties.setProperty("transactionReplay", "true");
        Jdbi jdbi = Jdbi.create(Driver.MARIADB.url(database.url()), properties);
        assertThatThrownBy(() -> JdbiIdempotencyStore.builder(jdbi)
                        .dialect(TestPool.dialect())
                        .build()
                        .checkTable())
                .isInstanceOf(IllegalStateException.class)
                .hasMessageContainingAll("transactionReplay", "set it to false");
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "NO_BACKSLASH_ESCAPES",
                "ANSI_QUOTES",
                "PAD_CHAR_TO_FULL_LENGTH",
                "EMPTY_STRING_IS_NULL",
                "ANSI",
                "TRADITIONAL",
                "SIMULTANEOUS_ASSIGNMENT",
                "ORACLE"
            })
    void strictSessionOfAnyOtherModeIsAccepted(String mode) {
        if (MariaDbServer.shared().isMySql() && MODES_OF_MARIADB.contains(mode)) {
            return;
        }
        store().createTableIfMissing();
        for (String options : new String[] {"", "&useServerPrepStmts=true"}) {
            Jdbi jdbi = Jdbi.create(
                    database.url() + "&sessionVariables=sql_mode='STRICT_TRANS_TABLES," + mode + "'" + options);
            assertThat(JdbiIdempotencyStore.builder(jdbi)
                            .dialect(TestPool.dialect())
                            .build()
                            .checkTable())
                    .isNotNull();
        }
    }

    @Test
    void keyInTheOtherOrderIsAccepted() {
        create(sql -> sql.replace("(key_value, scope, operation)", "(scope, operation, key_value)"));
        assertThat(store().checkTable()).isNotNull();
    }

    @Test
    void triggerIsRefused() {
        store().createTableIfMissing();
        execute("CREATE TRIGGER meddles BEFORE INSERT ON idempotency_record FOR EACH ROW SET NEW.state = 'F'");
        refuses("trigger meddles", "DROP TRIGGER");
    }

    @Test
    void viewIsRefused() {
        store().toBuilder().table("other").build().createTableIfMissing();
        execute("CREATE VIEW idempotency_record AS SELECT * FROM other");
        refuses("it is a VIEW");
    }

    @ParameterizedTest
    @CsvSource({
        "sql_mode='NO_ENGINE_SUBSTITUTION', STRICT_TRANS_TABLES",
        "sql_mode='ANSI', STRICT_TRANS_TABLES",
        "sql_mode='', STRICT_TRANS_TABLES",
        "transaction_isolation='READ-UNCOMMITTED', READ-COMMITTED",
        "transaction_isolation='SERIALIZABLE', REPEATABLE-READ",
        "completion_type=CHAIN, NO_CHAIN",
        "'unique_checks=0,foreign_key_checks=0', unique_checks",
        "sql_select_limit=1, sql_select_limit",
        "transaction_read_only=ON, sessions that may write",
    })
    void sessionThatCannotKeepThePromisesIsRefused(String settings, String remedy) {
        refusesSessions(settings, remedy);
    }

    /** The setting is the whole server's: other tests must not see it. */
    @ParameterizedTest
    @CsvSource({
        "innodb_flush_log_at_trx_commit, 2, 1, set it to 1",
        "read_only, ON, OFF, connect to the primary",
        "super_read_only, ON, OFF, connect to the primary"
    })
    void serverThatLosesCommitsOrTakesNoneIsRefused(String setting, String bad, String good, String remedy) {
        if (setting.equals("super_read_only") && !MariaDbServer.shared().isMySql()) {
            return;
        }
        try (MariaDbServer server = MariaDbServer.isExternal() ? MariaDbServer.shared() : MariaDbServer.start();
                TestPool own = TestPool.on(server, "")) {
            JdbiIdempotencyStore store = JdbiIdempotencyStore.builder(own.pool())
                    .dialect(TestPool.dialect())
                    .build()
                    .createTableIfMissing();
            server.execute("SET GLOBAL " + setting + " = " + bad);
            try {
                assertThatThrownBy(store::checkTable)
                        .isInstanceOf(IllegalStateException.class)
                        .hasMessageContainingAll(setting.replace("super_", "") + " is " + bad, remedy);
            } finally {
                server.execute("SET GLOBAL read_only = OFF");
                server.execute("SET GLOBAL " + setting + " = " + good);
            }
        }
    }

    @Test
    void poolOfReadOnlyConnectionsIsRefused() {
        store().createTableIfMissing();
        HikariConfig config = new HikariConfig();
        config.setJdbcUrl(database.url());
        config.setReadOnly(true);
        try (HikariDataSource pool = new HikariDataSource(config)) {
            assertThatThrownBy(() -> JdbiIdempotencyStore.on(pool).checkTable())
                    .isInstanceOf(IllegalStateException.class)
                    .hasMessageContaining("the connection is read-only");
        }
    }

    @Test
    void dialectOfTheOtherServerIsRefused() {
        store().createTableIfMissing();
        MariaDbDialect other = MariaDbServer.shared().isMySql() ? MariaDbDialect.mariaDb() : MariaDbDialect.mySql();
        assertThatThrownBy(() -> JdbiIdempotencyStore.builder(database.pool())
                        .dialect(other)
                        .build()
                        .checkTable())
                .isInstanceOf(IllegalStateException.class)
                .hasMessageContaining("use MariaDbDialect.");
    }
}
