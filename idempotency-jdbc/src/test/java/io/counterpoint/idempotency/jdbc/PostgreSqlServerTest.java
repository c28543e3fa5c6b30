package io.counterpoint.idempotency.jdbc;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.zaxxer.hikari.HikariDataSource;
import io.counterpoint.idempotency.Attempt;
import io.counterpoint.idempotency.Idempotency;
import io.counterpoint.idempotency.Lookup;
import io.counterpoint.idempotency.NotStartedException;
import io.counterpoint.idempotency.Operation;
import io.counterpoint.idempotency.Outcome;
import io.counterpoint.idempotency.ResultCodec;
import io.counterpoint.idempotency.jdbc.h2.H2Dialect;
import io.counterpoint.idempotency.jdbc.postgresql.PostgreSqlDialect;
import io.counterpoint.idempotency.jdbc.spi.Dialect;
import io.counterpoint.idempotency.jdbc.spi.RecordTable;
import io.counterpoint.idempotency.spi.IdempotencyRecord.Protocol;
import io.counterpoint.idempotency.spi.IdempotencyStore;
import io.counterpoint.idempotency.testing.PostgresServer;
import java.lang.reflect.Proxy;
import java.sql.Connection;
import java.sql.DatabaseMetaData;
import java.sql.DriverManager;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.List;
import java.util.UUID;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import javax.sql.DataSource;
import org.assertj.core.api.ThrowableAssert.ThrowingCallable;
import org.h2.jdbcx.JdbcDataSource;
import org.jdbi.v3.core.Handle;
import org.jdbi.v3.core.Jdbi;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.EnumSource;
import org.postgresql.ds.PGSimpleDataSource;

/** Which dialect a server needs, by its own version text. Those of other makers are put in the way of the real one. */
@Tag("thorough")
class PostgreSqlServerTest {

    private static final String[] HIDES_WARNINGS = {
        "client_min_messages is error",
        "expected warning or a lower level",
        "ALTER ROLE … SET client_min_messages = warning"
    };

    private String url;
    private HikariDataSource pool;

    @BeforeEach
    void open() {
        url = PostgresServer.shared().createDatabase();
        pool = new HikariDataSource();
        pool.setJdbcUrl(url);
        pool.setMaximumPoolSize(1);
    }

    @AfterEach
    void close() {
        pool.close();
        PostgresServer.shared().giveBack(url);
    }

    private void execute(String sql) throws SQLException {
        try (Connection connection = pool.getConnection();
                Statement statement = connection.createStatement()) {
            statement.execute(sql);
        }
    }

    /** A function of that name in front of the server's own. */
    private void answer(String version) throws SQLException {
        execute("CREATE FUNCTION public.version() RETURNS text LANGUAGE sql AS $$SELECT '" + version + "'::text$$");
        pool.close();
        pool = new HikariDataSource();
        pool.setJdbcUrl(url + "&options=-c%20search_path=public,pg_catalog");
        pool.setMaximumPoolSize(1);
    }

    /** What the store has found out; it is not asked before it is needed. */
    private static String shown(JdbiIdempotencyStore store) {
        assertThat(store.toString()).contains("database not identified yet");
        return store.createTableIfMissing().toString();
    }

    @Test
    void eachDatabaseGetsItsOwnStatements() {
        assertThat(shown(JdbiIdempotencyStore.on(pool))).contains("[PostgreSqlDialect,");
        assertThat(shown(JdbiIdempotencyStore.on(Jdbi.create(pool)))).contains("[PostgreSqlDialect,");
        String h2 = "jdbc:h2:mem:" + UUID.randomUUID() + ";DB_CLOSE_DELAY=-1";
        assertThat(shown(JdbiIdempotencyStore.on(Jdbi.create(h2)))).contains("[H2Dialect,");
    }

    @Test
    void databaseIsAskedByTheFirstCallToo() {
        JdbiIdempotencyStore unused = JdbiIdempotencyStore.on(pool).createTableIfMissing();
        JdbiIdempotencyStore store = JdbiIdempotencyStore.on(pool);
        Operation<Handle, String> operation = Idempotency.on(store)
                .operation("operation", ResultCodec.string())
                .build();
        Attempt attempt = Attempt.inScope("user:1").key("key-1").request("request");
        assertThat(store.toString()).contains("database not identified yet");
        assertThat(operation.execute(attempt, handle -> "result")).isInstanceOf(Outcome.Executed.class);
        assertThat(store.toString()).contains("[PostgreSqlDialect,");
    }

    /** No call takes the answer of a database that it could not ask. */
    @Test
    void databaseThatIsAwayIsAskedAgainByTheNextCall() throws SQLException {
        JdbiIdempotencyStore unused = JdbiIdempotencyStore.on(pool).createTableIfMissing();
        AtomicBoolean away = new AtomicBoolean(true);
        JdbiIdempotencyStore store = JdbiIdempotencyStore.on(new PGSimpleDataSource() {
            @Override
            public Connection getConnection() throws SQLException {
                if (away.get()) {
                    throw new SQLException("away", "08001");
                }
                return pool.getConnection();
            }
        });
        Operation<Handle, String> operation = Idempotency.on(store)
                .operation("operation", ResultCodec.string())
                .maxRetries(0)
                .build();
        Attempt attempt = Attempt.inScope("user:1").key("key-1").request("request");
        assertThatThrownBy(() -> operation.execute(attempt, handle -> "result"))
                .isInstanceOfSatisfying(
                        NotStartedException.class,
                        thrown -> assertThat(thrown.isRetryable()).isTrue());
        away.set(false);
        assertThat(operation.execute(attempt, handle -> "result")).isInstanceOf(Outcome.Executed.class);
    }

    /** The server would not tell such a session of a commit that its standby may lack. */
    @ParameterizedTest
    @EnumSource
    void sessionThatHidesWarningsIsRefusedBeforeTheWork(Protocol protocol) throws SQLException {
        JdbiIdempotencyStore unused = JdbiIdempotencyStore.on(pool).createTableIfMissing();
        JdbiIdempotencyStore store = JdbiIdempotencyStore.on(pool);
        AtomicInteger runs = new AtomicInteger();
        execute("SET client_min_messages = error");
        assertThatThrownBy(() -> call(store, protocol, runs))
                .isInstanceOf(IllegalStateException.class)
                .hasMessageContainingAll(HIDES_WARNINGS);
        assertThatThrownBy(() -> store.read(TestDatabase.KEY)).hasMessageContainingAll(HIDES_WARNINGS);
        assertThat(runs).hasValue(0);

        execute("SET client_min_messages = warning");
        assertThat(call(store, protocol, runs)).isInstanceOf(Outcome.Executed.class);
    }

    private static Outcome<String> call(JdbiIdempotencyStore store, Protocol protocol, AtomicInteger runs) {
        Idempotency<Handle> idempotency = Idempotency.on(store);
        Attempt attempt = Attempt.inScope("user:1").key("key-1").request("request");
        if (protocol == Protocol.EXTERNAL) {
            return idempotency
                    .external("operation", ResultCodec.string(), unresolved -> Lookup.notYet())
                    .build()
                    .execute(attempt, key -> "run " + runs.incrementAndGet());
        }
        Operation.Builder<Handle, String> builder = idempotency.operation("operation", ResultCodec.string());
        return (protocol == Protocol.SINGLE_TRANSACTION
                        ? builder.protocol(Operation.Protocol.SINGLE_TRANSACTION)
                        : builder)
                .build()
                .execute(attempt, handle -> "run " + runs.incrementAndGet());
    }

    @Test
    void sessionThatHidesWarningsIsRefusedByEachCoalescedRead() throws SQLException {
        IdempotencyStore<Handle> store = new CoalescingStore<>(JdbiIdempotencyStore.on(pool), 0, () -> "one");
        execute("SET client_min_messages = error");
        assertThatThrownBy(() -> store.read(TestDatabase.KEY))
                .isInstanceOf(IllegalStateException.class)
                .hasMessageContainingAll(HIDES_WARNINGS);
    }

    @Test
    void dataSourceThatShowsTwoKindsOfDatabasesIsRefused() throws SQLException {
        AtomicBoolean other = new AtomicBoolean();
        JdbiIdempotencyStore store = JdbiIdempotencyStore.on(new PGSimpleDataSource() {
                    @Override
                    public Connection getConnection() throws SQLException {
                        return other.get() ? DriverManager.getConnection("jdbc:h2:mem:") : pool.getConnection();
                    }
                })
                .createTableIfMissing();
        other.set(true);
        assertThatThrownBy(() -> store.read(TestDatabase.KEY))
                .isInstanceOf(IllegalStateException.class)
                .hasMessageStartingWith("The data source returned a connection to H2, after one to PostgreSQL");
    }

    @Test
    void databaseWithoutADialectIsRefusedByItsName() {
        JdbiIdempotencyStore store = JdbiIdempotencyStore.on(renamed("Oracle"));
        assertThatThrownBy(store::checkTable)
                .isInstanceOf(IllegalStateException.class)
                .hasMessageStartingWith("There is no dialect for Oracle. Write one");
        assertThatThrownBy(() -> JdbiIdempotencyStore.on(renamed("MySQL")).checkTable())
                .hasMessageContaining("Add the dependency io.counterpoint.idempotency:idempotency-mariadb");
    }

    /** The same database, whose driver gives it another name. */
    private DataSource renamed(String product) {
        return new PGSimpleDataSource() {
            @Override
            public Connection getConnection() throws SQLException {
                Connection connection = pool.getConnection();
                DatabaseMetaData metaData = (DatabaseMetaData) Proxy.newProxyInstance(
                        getClass().getClassLoader(),
                        new Class<?>[] {DatabaseMetaData.class},
                        (proxy, method, arguments) -> product);
                return (Connection) Proxy.newProxyInstance(
                        getClass().getClassLoader(),
                        new Class<?>[] {Connection.class},
                        (proxy, method, arguments) -> method.getName().equals("getMetaData")
                                ? metaData
                                : method.invoke(connection, arguments));
            }
        };
    }

    @Test
    void storeForAnotherDatabaseIsRefusedByItsName() {
        JdbcDataSource h2 = new JdbcDataSource();
        h2.setUrl("jdbc:h2:mem:");
        refusesByName(pool, new H2Dialect(RecordTable.DEFAULT), "Expected H2, found PostgreSQL");
        refusesByName(h2, new PostgreSqlDialect(RecordTable.DEFAULT), "Expected PostgreSQL, found H2");
    }

    /** Also where the statements that create the table have another meaning there, or none. */
    private static void refusesByName(DataSource database, Dialect dialect, String why) {
        JdbcIdempotencyStore store =
                JdbcIdempotencyStore.builder(database).dialect(dialect).build();
        for (ThrowingCallable call : List.<ThrowingCallable>of(store::checkTable, store::createTableIfMissing)) {
            assertThatThrownBy(call)
                    .isInstanceOf(IllegalStateException.class)
                    .hasMessageStartingWith(why)
                    .hasNoSuppressedExceptions();
        }
        assertThat(TableInspection.of(store).faults())
                .singleElement()
                .asString()
                .startsWith(why);
    }

    @ParameterizedTest
    @CsvSource({
        "'CockroachDB CCL v24.1.3 (x86_64-pc-linux-gnu, built 2024/07/30)', CockroachDB",
        "'PostgreSQL 11.2-YB-2.20.1.3-b0 on x86_64-pc-linux-gnu', YugabyteDB",
        "'PostgreSQL 15.2-YB-2025.1.0.0-b0 on x86_64-pc-linux-gnu', YugabyteDB"
    })
    void serverAcrossMachinesIsRefusedByItsNameBeforeAnything(String version, String name) throws SQLException {
        JdbiIdempotencyStore unused = JdbiIdempotencyStore.on(pool).createTableIfMissing();
        answer(version);
        JdbiIdempotencyStore detecting = JdbiIdempotencyStore.on(pool);
        AtomicInteger runs = new AtomicInteger();
        for (ThrowingCallable call : List.<ThrowingCallable>of(
                detecting::checkTable,
                detecting::createTableIfMissing,
                () -> detecting.read(TestDatabase.KEY),
                () -> call(detecting, Protocol.SINGLE_TRANSACTION, runs),
                JdbiIdempotencyStore.builder(pool)
                        .dialect(new PostgreSqlDialect(RecordTable.DEFAULT))
                        .build()::checkTable)) {
            assertThatThrownBy(call)
                    .isInstanceOf(IllegalStateException.class)
                    .hasMessageStartingWith("There is no dialect for " + name)
                    .hasMessageContaining("docs/add-a-database.md");
        }
        assertThat(runs).hasValue(0);
    }

    @ParameterizedTest
    @CsvSource({
        "'PostgreSQL 8.0.2 on i686-pc-linux-gnu, compiled by GCC gcc (GCC) 3.4.2, Redshift 1.0.12103', does not enforce",
        "'PostgreSQL 9.4.26 (Greenplum Database 6.27.1 build commit:95)', lock independently",
        "'(openGauss 5.0.0 build a07d57c3) compiled at 2023-03-29', no ON CONFLICT",
        "'PostgreSQL 13.14.0-RisingWave-2.0.0', no read-write transactions",
        "'CrateDB 5.8.1 (built)', CrateDB 5.8.1"
    })
    void serverThatCannotKeepThePromisesIsRefused(String version, String reason) throws SQLException {
        answer(version);
        for (JdbiIdempotencyStore store : List.of(
                JdbiIdempotencyStore.on(pool),
                JdbiIdempotencyStore.builder(pool)
                        .dialect(new PostgreSqlDialect(RecordTable.DEFAULT))
                        .build())) {
            assertThatThrownBy(store::checkTable)
                    .isInstanceOf(IllegalStateException.class)
                    .hasMessageContaining(reason);
        }
    }
}
