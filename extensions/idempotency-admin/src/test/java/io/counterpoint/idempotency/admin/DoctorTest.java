package io.counterpoint.idempotency.admin;

import static io.counterpoint.idempotency.admin.Diagnosis.*;
import static org.assertj.core.api.Assertions.assertThat;

import io.counterpoint.idempotency.admin.PlantedDatabase.Kind;
import io.counterpoint.idempotency.testing.PostgresServer;
import java.lang.reflect.Proxy;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.DriverManager;
import java.time.Clock;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.function.BiFunction;
import javax.sql.DataSource;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;
import org.postgresql.ds.PGSimpleDataSource;

/** The examination of databases that are wrong on purpose: all that was planted is found. */
@Tag("thorough")
class DoctorTest {

    /** What the page on operations asks. A server of tests has fsync off. */
    private static final String[] GOOD = {
        "lock_timeout=5s",
        "idle_in_transaction_session_timeout=60s",
        "client_connection_check_interval=5s",
        "tcp_keepalives_idle=30",
        "tcp_keepalives_interval=10",
        "tcp_keepalives_count=3",
        "synchronous_commit=on"
    };

    private static final PostgresServer SERVER = PostgresServer.start("full_page_writes=off", "autovacuum=off");

    @Test
    void wellConfiguredDatabaseHasNoFindingsButThoseOfItsServer() {
        try (PlantedDatabase database = PlantedDatabase.on(SERVER, GOOD)) {
            database.succeeded("1");
            database.unresolved("2");

            assertThat(database.administration().examineDatabase())
                    .extracting(Finding::diagnosis)
                    .containsExactlyInAnyOrder(FSYNC_OFF, FULL_PAGE_WRITES_OFF, AUTOVACUUM_OFF);
        }
    }

    @Test
    void everythingPlantedInABadlyConfiguredDatabaseIsFound() throws Exception {
        try (PlantedDatabase database = PlantedDatabase.on(
                SERVER,
                "synchronous_commit=off",
                "lock_timeout=0",
                "tcp_keepalives_idle=7200",
                "log_statement=all",
                "log_parameter_max_length=-1",
                "log_parameter_max_length_on_error=-1")) {
            database.age(database.succeeded("late"), Duration.ofDays(2));
            database.age(database.unresolved("external"), Duration.ofDays(2));
            database.age(database.unresolved("other"), Duration.ofDays(2));
            database.age(database.unresolved("ended"), Duration.ofDays(2));
            database.age(database.unresolved("owed"), Duration.ofDays(2));
            database.age(database.unresolved("broken"), Duration.ofDays(2));
            database.execute(
                    "UPDATE idempotency_record SET protocol = 'C' WHERE key_value LIKE '%other'",
                    // Its work has ended its transaction.
                    "UPDATE idempotency_record SET protocol = 'S' WHERE key_value LIKE '%ended'",
                    "UPDATE idempotency_record SET protocol = 'K' WHERE key_value LIKE '%owed'",
                    "UPDATE idempotency_record SET protocol = 'B' WHERE key_value LIKE '%broken'",
                    // The earlier layout, and a check.
                    "ALTER TABLE idempotency_record DROP CONSTRAINT idempotency_record_pkey",
                    "ALTER TABLE idempotency_record ADD PRIMARY KEY (scope, operation, key_value)",
                    "ALTER TABLE idempotency_record ADD CHECK (state <> 'X')",
                    "ALTER TABLE idempotency_record RESET (fillfactor)",
                    "DROP INDEX idempotency_record_expires_at",
                    "CREATE INDEX by_state ON idempotency_record (state)",
                    "CREATE INDEX partial ON idempotency_record (operation) WHERE updated_at > '2020-01-01Z'",
                    "CREATE INDEX broken ON idempotency_record (operation)",
                    "UPDATE pg_index SET indisvalid = false WHERE indexrelid = 'broken'::regclass",
                    "CREATE TABLE copy AS SELECT scope, operation, key_value || n AS key_value, protocol, state, token,"
                            + " fingerprint, payload, failure_code, failure_message, created_at, updated_at,"
                            + " now() + interval '1 day' AS expires_at FROM idempotency_record, generate_series(1, 1000) n",
                    "INSERT INTO idempotency_record SELECT * FROM copy",
                    "DELETE FROM idempotency_record WHERE expires_at > now()",
                    "SELECT pg_stat_force_next_flush()",
                    "CREATE TABLE domain (id int)",
                    "CREATE FUNCTION weaken() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN"
                            + " SET LOCAL synchronous_commit = off; RETURN NULL; END $$",
                    "CREATE CONSTRAINT TRIGGER weaken AFTER INSERT ON domain DEFERRABLE INITIALLY DEFERRED"
                            + " FOR EACH ROW EXECUTE FUNCTION weaken()",
                    "ALTER TABLE idempotency_record ENABLE ROW LEVEL SECURITY",
                    "CREATE POLICY everything ON idempotency_record USING (true)",
                    "DO $$ BEGIN CREATE ROLE clerk LOGIN; EXCEPTION WHEN duplicate_object THEN NULL; END $$",
                    "GRANT SELECT, INSERT ON idempotency_record TO clerk",
                    "DO $$ BEGIN EXECUTE format('ALTER DATABASE %I SET default_transaction_read_only = on',"
                            + " current_database()); END $$");
            database.pool().getHikariPoolMXBean().softEvictConnections();

            List<Finding> found = examinedBy("clerk", database);
            assertThat(found)
                    .contains(
                            new Finding(
                                    EXTERNAL_PENDING,
                                    "attempts are pending past their retention: 1 follow-up broken off, 1 external,"
                                            + " 1 follow-up owed, 1 single transaction"),
                            new Finding(PENDING_LEFT, "attempts are pending past their retention: 1 claim first"))
                    .extracting(Finding::diagnosis)
                    .containsExactlyInAnyOrder(
                            // The session takes no writes, and the user may make none.
                            TABLE_REFUSED,
                            TABLE_REFUSED,
                            TABLE_LAYOUT,
                            CHECK_CONSTRAINT,
                            PURGE_INDEX_MISSING,
                            CHANGING_INDEX,
                            CHANGING_INDEX,
                            INDEX_INVALID,
                            FILLFACTOR,
                            AUTOVACUUM_OFF,
                            DEAD_ROWS,
                            RIGHTS_MISSING,
                            ROW_SECURITY,
                            PURGE_BEHIND,
                            EXTERNAL_PENDING,
                            PENDING_LEFT,
                            CLOCK_SKEW,
                            READ_ONLY,
                            FSYNC_OFF,
                            FULL_PAGE_WRITES_OFF,
                            SYNCHRONOUS_COMMIT_WEAK,
                            DEFERRED_TRIGGER_WEAKENS,
                            LOCK_TIMEOUT_MISSING,
                            IDLE_TRANSACTION_UNBOUNDED,
                            CONNECTION_CHECK_OFF,
                            KEEPALIVES_SLOW,
                            PARAMETERS_LOGGED,
                            PARAMETERS_LOGGED);
        }
    }

    /** As a user of few rights, on a machine whose clock is an hour late. */
    private static List<Finding> examinedBy(String user, PlantedDatabase database) {
        var source = new org.postgresql.ds.PGSimpleDataSource();
        source.setURL(database.url().replace("user=postgres", "user=" + user));
        return Administration.of(source, "idempotency_record", database.audit())
                .withClock(Clock.offset(Clock.systemUTC(), Duration.ofHours(-1)))
                .examineDatabase();
    }

    @Test
    void tableThatIsRefusedOrMissingIsOneFindingForEachFault() {
        try (PlantedDatabase database = PlantedDatabase.on(SERVER, GOOD)) {
            database.execute(
                    "ALTER TABLE idempotency_record DROP CONSTRAINT idempotency_record_pkey",
                    "ALTER TABLE idempotency_record SET UNLOGGED");
            assertThat(database.administration().examineDatabase())
                    .filteredOn(finding -> finding.diagnosis() == TABLE_REFUSED)
                    .extracting(Finding::found)
                    .hasSize(2)
                    .anySatisfy(found -> assertThat(found).contains("UNLOGGED"))
                    .anySatisfy(found -> assertThat(found).contains("primary key"));

            database.execute("DROP TABLE idempotency_record");
            assertThat(database.administration().examineDatabase())
                    .filteredOn(finding -> finding.diagnosis() == TABLE_REFUSED)
                    .extracting(Finding::found)
                    .containsExactly("the table does not exist");
        }
    }

    @Test
    void sessionsThatHideWarningsAreFoundWithTheRestOfTheServer() {
        try (PlantedDatabase database = PlantedDatabase.on(SERVER, "client_min_messages=warning")) {
            PGSimpleDataSource silent = new PGSimpleDataSource();
            silent.setUrl(database.url() + "&options=-c%20client_min_messages=error");

            assertThat(Administration.of(silent, "idempotency_record", database.audit())
                            .examineDatabase())
                    .anySatisfy(finding -> {
                        assertThat(finding.diagnosis()).isEqualTo(TABLE_REFUSED);
                        assertThat(finding.found()).contains("client_min_messages is error", "expected warning");
                    })
                    .extracting(Finding::diagnosis)
                    .contains(FSYNC_OFF);
        }
    }

    @Test
    void driverAndPoolAreExaminedWhereTheApplicationRuns() {
        try (PlantedDatabase database = PlantedDatabase.on(SERVER, GOOD)) {
            var config = new com.zaxxer.hikari.HikariConfig();
            config.setJdbcUrl(database.url().replace("127.0.0.1:", "127.0.0.1:1,127.0.0.1:")
                    + "&preferQueryMode=simple&autosave=always&connectTimeout=2");
            config.setConnectionTimeout(60_000);
            config.setAutoCommit(false);
            config.setConnectionTestQuery("SELECT 1");
            config.setReadOnly(true);
            config.setMaximumPoolSize(1);
            try (var bad = new com.zaxxer.hikari.HikariDataSource(config)) {
                assertThat(Administration.of(bad, "idempotency_record", database.audit())
                                .examineClient())
                        .extracting(Finding::diagnosis)
                        .containsExactlyInAnyOrder(
                                SOCKET_TIMEOUT_MISSING,
                                SIMPLE_QUERY_MODE,
                                SAVEPOINT_PER_EXCHANGE,
                                HOSTS_WITHOUT_TARGET,
                                ERROR_DETAIL_SHOWN,
                                POOL_TIMEOUT_LONG,
                                POOL_TEST_QUERY,
                                POOL_READ_ONLY);
            }
            config.setJdbcUrl(database.url() + "&socketTimeout=30&logServerErrorDetail=false");
            config.setConnectionTimeout(10_000);
            config.setConnectionTestQuery(null);
            config.setReadOnly(false);
            config.setTransactionIsolation("TRANSACTION_READ_UNCOMMITTED");
            try (var bad = new com.zaxxer.hikari.HikariDataSource(config)) {
                assertThat(Administration.of(bad, "idempotency_record", database.audit())
                                .examineClient())
                        .extracting(Finding::diagnosis)
                        .containsExactly(POOL_READ_UNCOMMITTED);
            }
            config.setTransactionIsolation(null);
            config.setJdbcUrl(database.url().replace("127.0.0.1:", "127.0.0.1:1,127.0.0.1:") + "&connectTimeout=2");
            config.addDataSourceProperty("socketTimeout", "30");
            config.addDataSourceProperty("logServerErrorDetail", "false");
            config.addDataSourceProperty("autosave", "conservative");
            try (var told = new com.zaxxer.hikari.HikariDataSource(config)) {
                assertThat(clientOf(told, database)).containsExactly(SAVEPOINT_PER_EXCHANGE, HOSTS_WITHOUT_TARGET);
            }
            config.addDataSourceProperty("autosave", "never");
            config.addDataSourceProperty("targetServerType", "primary");
            try (var good = new com.zaxxer.hikari.HikariDataSource(config)) {
                assertThat(clientOf(good, database)).isEmpty();
                assertThat(clientOf(hidingTheDriver(good), database))
                        .as("neither the driver nor the pool and its properties are seen")
                        .containsExactly(DRIVER_UNKNOWN, HOSTS_WITHOUT_TARGET);
            }
        }
    }

    private static List<Diagnosis> clientOf(DataSource pool, PlantedDatabase database) {
        return Administration.of(pool, "idempotency_record", database.audit()).examineClient().stream()
                .map(Finding::diagnosis)
                .toList();
    }

    /** As a proxy that shows statements does, if its connections unwrap to nothing. */
    private static DataSource hidingTheDriver(DataSource pool) {
        return intercepting(DataSource.class, pool, (name, answer) -> switch (name) {
            case "getConnection" ->
                intercepting(
                        Connection.class,
                        (Connection) answer,
                        (method, value) -> method.equals("isWrapperFor") ? (Object) false : value);
            case "isWrapperFor" -> false;
            default -> answer;
        });
    }

    private static <T> T intercepting(Class<T> type, T real, BiFunction<String, Object, Object> answer) {
        return type.cast(Proxy.newProxyInstance(
                type.getClassLoader(),
                new Class<?>[] {type},
                (proxy, method, arguments) -> answer.apply(method.getName(), method.invoke(real, arguments))));
    }

    @Test
    void h2ThatLosesCommitsOrItsRecordsIsFound(@TempDir Path folder) throws Exception {
        String url = "jdbc:h2:" + folder.resolve("records");
        try (Connection keptOpen = DriverManager.getConnection(url, "sa", "")) {
            assertThat(h2(url)).containsExactly(H2_WRITE_DELAY);
            assertThat(h2(url + ";WRITE_DELAY=0")).isEmpty();
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {"", ";DATABASE_TO_LOWER=TRUE", ";DATABASE_TO_UPPER=FALSE"})
    void memoryOfH2ThatLosesItsRecordsIsFound(String rulesOfNames) throws Exception {
        String memory = "jdbc:h2:mem:doctor" + rulesOfNames.length() + rulesOfNames;
        try (Connection keptOpen = DriverManager.getConnection(memory, "sa", "")) {
            assertThat(h2(memory)).containsExactly(H2_CLOSES);
            keptOpen.createStatement().execute("DROP INDEX idempotency_record_expires_at");
            keptOpen.createStatement().execute("CREATE INDEX by_state ON idempotency_record (state)");
            keptOpen.createStatement().execute("ALTER TABLE idempotency_record DROP PRIMARY KEY");
            keptOpen.createStatement()
                    .execute("ALTER TABLE idempotency_record ADD PRIMARY KEY (scope, operation, key_value)");
            assertThat(h2(memory)).containsExactly(TABLE_LAYOUT, H2_CLOSES, PURGE_INDEX_MISSING, CHANGING_INDEX);
        }
    }

    private static List<Diagnosis> h2(String url) {
        var source = org.h2.jdbcx.JdbcConnectionPool.create(url, "sa", "");
        try {
            var store = io.counterpoint.idempotency.jdbc.JdbcIdempotencyStore.on(source);
            try {
                store.checkTable();
            } catch (IllegalStateException missing) {
                store.createTableIfMissing();
            }
            return Administration.of(source, "idempotency_record", AuditTable.of(source, AuditTable.DEFAULT))
                    .examineDatabase()
                    .stream()
                    .map(Finding::diagnosis)
                    .toList();
        } finally {
            source.dispose();
        }
    }

    /** As on a replica, a secondary of a group, or a server that has left its group. */
    @Test
    void mariaDbThatTakesNoWritesIsNamed() {
        try (PlantedDatabase database = PlantedDatabase.of(Kind.MARIADB)) {
            var reading = new com.zaxxer.hikari.HikariConfig();
            reading.setJdbcUrl(database.url());
            reading.setConnectionInitSql("SET SESSION transaction_read_only = ON");
            try (var pool = new com.zaxxer.hikari.HikariDataSource(reading)) {
                assertThat(Administration.of(pool, "idempotency_record", database.audit())
                                .examineDatabase())
                        .extracting(Finding::diagnosis)
                        .contains(TABLE_REFUSED, READ_ONLY);
            }
        }
    }

    /** The purge counts the retention of a settled record from its last change. */
    @ParameterizedTest
    @EnumSource(Kind.class)
    void recordsThatThePurgeStillKeepsAreNotCountedAsExpired(Kind kind) {
        try (PlantedDatabase database = PlantedDatabase.of(kind)) {
            String now = kind == Kind.MARIADB ? "UTC_TIMESTAMP(6)" : "CURRENT_TIMESTAMP";
            for (String hoursAgo : new String[] {"0", "3"}) {
                database.succeeded(hoursAgo);
                database.execute("UPDATE idempotency_record SET created_at = " + now + " - INTERVAL '26' HOUR,"
                        + " expires_at = " + now + " - INTERVAL '2' HOUR, updated_at = " + now + " - INTERVAL '"
                        + hoursAgo + "' HOUR WHERE key_value LIKE '%" + hoursAgo + "'");
            }
            Administration administration = database.administration();

            assertThat(administration.statistics().purgeable()).isZero();
            assertThat(administration.examineDatabase())
                    .extracting(Finding::diagnosis)
                    .doesNotContain(PURGE_BEHIND);
            assertThat(administration.purge(1, 1)).isZero();
        }
    }

    /** Such servers are started with these settings. */
    @Test
    void settingsOfMariaDbThatCostFurtherRunsAreFound() {
        List<Finding> findings = new ArrayList<>();
        MariaDbChecks.addAdvice(
                Map.of(
                        "innodb_rollback_on_timeout", "ON",
                        "group_replication_group_name", "group",
                        "group_replication_consistency", "EVENTUAL"),
                findings);
        MariaDbChecks.addAdvice(
                Map.of(
                        "innodb_rollback_on_timeout", "OFF",
                        "group_replication_group_name", "",
                        "group_replication_consistency", "EVENTUAL"),
                findings);

        assertThat(findings)
                .extracting(Finding::diagnosis)
                .containsExactly(ROLLBACK_ON_TIMEOUT, GROUP_CONSISTENCY_EVENTUAL);
    }

    @Test
    void mariaDbIsExaminedToo() {
        try (PlantedDatabase database = PlantedDatabase.of(Kind.MARIADB)) {
            database.age(database.succeeded("late"), Duration.ofDays(2));
            database.execute(
                    "DROP INDEX idempotency_record_expires_at ON idempotency_record",
                    "CREATE INDEX by_state ON idempotency_record (state)",
                    "CREATE TRIGGER changes BEFORE UPDATE ON idempotency_record FOR EACH ROW SET NEW.payload = ''");

            assertThat(database.administration().examineDatabase())
                    .extracting(Finding::diagnosis)
                    .containsExactlyInAnyOrder(
                            TABLE_REFUSED,
                            PURGE_INDEX_MISSING,
                            CHANGING_INDEX,
                            PURGE_BEHIND,
                            IDLE_TRANSACTION_UNBOUNDED);
        }
    }
}
