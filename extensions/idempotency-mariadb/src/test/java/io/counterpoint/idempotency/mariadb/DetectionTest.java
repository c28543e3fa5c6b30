package io.counterpoint.idempotency.mariadb;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatCode;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.counterpoint.idempotency.Attempt;
import io.counterpoint.idempotency.Idempotency;
import io.counterpoint.idempotency.Operation;
import io.counterpoint.idempotency.Outcome;
import io.counterpoint.idempotency.ResultCodec;
import io.counterpoint.idempotency.jdbc.JdbcIdempotencyStore;
import io.counterpoint.idempotency.jdbc.JdbiIdempotencyStore;
import io.counterpoint.idempotency.jdbc.TableInspection;
import io.counterpoint.idempotency.jdbc.h2.H2Dialect;
import io.counterpoint.idempotency.jdbc.postgresql.PostgreSqlDialect;
import io.counterpoint.idempotency.jdbc.spi.Dialect;
import io.counterpoint.idempotency.jdbc.spi.RecordTable;
import io.counterpoint.idempotency.testing.MariaDbServer;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.SQLException;
import java.util.List;
import java.util.Optional;
import javax.sql.DataSource;
import org.assertj.core.api.ThrowableAssert.ThrowingCallable;
import org.h2.jdbcx.JdbcDataSource;
import org.jdbi.v3.core.Jdbi;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.EnumSource;

/** Which dialect a store finds for a server. */
class DetectionTest {

    @Test
    void mariaDbGetsItsOwnStatements() {
        String url = MariaDbServer.shared().createDatabase();
        try {
            JdbiIdempotencyStore store = JdbiIdempotencyStore.on(Jdbi.create(url));
            assertThat(store.createTableIfMissing().toString()).contains("[MariaDbDialect,");
        } finally {
            MariaDbServer.shared().drop(url);
        }
    }

    /** Whatever the driver is called. */
    @ParameterizedTest
    @EnumSource
    void dialectIsThatOfTheServer(Driver driver) throws SQLException {
        try (TestPool database = TestPool.by(driver, "");
                Connection connection = database.pool().getConnection()) {
            Optional<Dialect> found = new MariaDbProvider().dialectFor(connection);
            assertThat(found.map(Dialect::schemaFile))
                    .hasValue(TestPool.dialect().schemaFile());
            Operation<Connection, String> operation = Idempotency.on(
                            JdbcIdempotencyStore.on(database.pool()).createTableIfMissing())
                    .operation("operate", ResultCodec.string())
                    .build();
            Attempt attempt = Attempt.inScope("user:1").key("key").request("request");
            assertThat(operation.execute(attempt, unused -> "result")).isInstanceOf(Outcome.Executed.class);
            assertThat(operation.execute(attempt, unused -> "again")).isInstanceOf(Outcome.Replayed.class);
        }
    }

    @Test
    void dialectOfAnotherDatabaseIsRefusedByItsName() {
        boolean isMySql = MariaDbServer.shared().isMySql();
        String found = isMySql ? "MySQL" : "MariaDB";
        try (TestPool database = TestPool.with("")) {
            DataSource here = database.pool();
            JdbcDataSource h2 = new JdbcDataSource();
            h2.setUrl("jdbc:h2:mem:");
            String use = isMySql ? ": use MariaDbDialect.mySql()" : ": use MariaDbDialect.mariaDb()";
            refuses(here, isMySql ? MariaDbDialect.mariaDb() : MariaDbDialect.mySql(), use);
            refuses(here, new PostgreSqlDialect(RecordTable.DEFAULT), "Expected PostgreSQL, found " + found);
            refuses(here, new H2Dialect(RecordTable.DEFAULT), "Expected H2, found " + found);
            refuses(h2, MariaDbDialect.mariaDb(), "Expected MariaDB, found H2");
            refuses(h2, MariaDbDialect.mySql(), "Expected MySQL, found H2");
            List<String> tables = Jdbi.create(here)
                    .withHandle(handle -> handle.createQuery("SHOW TABLES")
                            .mapTo(String.class)
                            .list());
            assertThat(tables).isEmpty();
        }
    }

    private static void refuses(DataSource database, Dialect dialect, String why) {
        JdbcIdempotencyStore store =
                JdbcIdempotencyStore.builder(database).dialect(dialect).build();
        for (ThrowingCallable call : List.<ThrowingCallable>of(store::createTableIfMissing, store::checkTable)) {
            assertThatThrownBy(call)
                    .isInstanceOf(IllegalStateException.class)
                    .hasMessageContaining(why)
                    .hasNoSuppressedExceptions();
        }
        assertThat(TableInspection.of(store).faults())
                .singleElement()
                .asString()
                .contains(why);
    }

    @Test
    void anotherDatabaseIsLeftToOthers() throws SQLException {
        try (Connection connection = DriverManager.getConnection("jdbc:h2:mem:")) {
            assertThat(new MariaDbProvider().dialectFor(connection)).isEmpty();
        }
    }

    @ParameterizedTest
    @CsvSource({
        "8.0.11-TiDB-v8.1.0 TiDB Server, TiDB",
        "8.0.30-Vitess Version: 19.0.0, Vitess",
        "5.7.32 SingleStoreDB source distribution, SingleStore",
        "5.7.25-OceanBase-v4.2.1.0, OceanBase"
    })
    void serverThatCannotKeepThePromisesIsRefused(String version, String name) {
        assertThatThrownBy(() -> MariaDbProvider.requireFit(version))
                .isInstanceOf(IllegalStateException.class)
                .hasMessageStartingWith(name + " cannot store idempotency records: ");
        assertThatCode(() -> MariaDbProvider.requireFit("11.8.2-MariaDB MariaDB Server"))
                .doesNotThrowAnyException();
    }
}
