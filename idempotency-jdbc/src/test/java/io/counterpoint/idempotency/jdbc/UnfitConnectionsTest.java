package io.counterpoint.idempotency.jdbc;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.zaxxer.hikari.HikariConfig;
import com.zaxxer.hikari.HikariDataSource;
import io.counterpoint.idempotency.testing.ReplicatedPostgres;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Proxy;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.Statement;
import java.util.Map;
import javax.sql.DataSource;
import org.h2.jdbcx.JdbcDataSource;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.postgresql.ds.PGSimpleDataSource;

/** Connections that take no writes, or whose commits are not one transaction of the database, are refused. */
@Tag("thorough")
@Timeout(120)
class UnfitConnectionsTest {

    private static final String OF_SEATA = "org.apache.seata.rm.datasource.Named";

    private static void refuses(DataSource source, String... parts) {
        JdbcIdempotencyStore store = JdbcIdempotencyStore.on(source);
        assertThatThrownBy(store::checkTable)
                .isInstanceOf(IllegalStateException.class)
                .hasMessageContainingAll(parts);
        assertThat(String.join("; ", TableInspection.of(store).faults())).contains(parts);
    }

    // ---- read-only -----------------------------------------------------------------------------------------------

    @Test
    void poolOfReadOnlyConnectionsIsRefused() {
        try (TestDatabase database = TestDatabase.postgresql();
                TestDatabase reading = database.with(config -> config.setReadOnly(true))) {
            refuses(reading.pool(), "the connection is read-only", "remove readOnly");
        }
    }

    /** A gateway refuses a client's settings of the session. */
    @Tag("direct")
    @Test
    void sessionsThatBeginReadOnlyAreRefused() {
        try (TestDatabase database = TestDatabase.postgresql();
                TestDatabase reading = database.with(
                        database.url() + "&options=-c%20default_transaction_read_only=on", config -> {})) {
            assertThatThrownBy(reading.store()::checkTable)
                    .isInstanceOf(IllegalStateException.class)
                    .hasMessageContainingAll("transaction_read_only is on", "targetServerType=primary");
        }
    }

    @Test
    void standbyIsRefused() {
        try (ReplicatedPostgres pair = ReplicatedPostgres.start()) {
            PGSimpleDataSource primary = new PGSimpleDataSource();
            primary.setUrl(pair.primary().jdbcUrl());
            JdbcIdempotencyStore store = JdbcIdempotencyStore.on(primary).createTableIfMissing();
            pair.waitForStandby();
            pair.awaitCaughtUp();
            PGSimpleDataSource standby = new PGSimpleDataSource();
            standby.setUrl(pair.standby().jdbcUrl());
            refuses(standby, "transaction_read_only is on", "as on a standby");
            assertThat(store.checkTable()).isSameAs(store);
        }
    }

    @Test
    void databaseThatIsOpenedForReadingIsRefused(@TempDir Path folder) {
        JdbcDataSource source = new JdbcDataSource();
        source.setURL("jdbc:h2:" + folder.resolve("records"));
        JdbcIdempotencyStore unused = JdbcIdempotencyStore.on(source).createTableIfMissing();
        source.setURL(source.getURL() + ";ACCESS_MODE_DATA=r");
        refuses(source, "the connection is read-only");
    }

    // ---- of ShardingSphere and Seata -----------------------------------------------------------------------------

    /** The real ones have classes of these packages. They are too large for this build. */
    @ParameterizedTest
    @ValueSource(strings = {"org.apache.shardingsphere.driver.Named", OF_SEATA, "io.seata.rm.datasource.Named"})
    void connectionOfAnotherTransactionManagerIsRefused(String name) {
        try (TestDatabase database = TestDatabase.h2()) {
            DataSource source = handingOut(database.pool(), Map.of(Connection.class, name));
            refuses(source, "cannot store", "of the database itself");
            HikariConfig config = new HikariConfig();
            config.setDataSource(source);
            try (HikariDataSource pool = new HikariDataSource(config)) {
                refuses(pool, "cannot store", "of the database itself");
            }
        }
    }

    /** Such a proxy unwraps to itself. Its statements are those of the connection behind it. */
    @Test
    void connectionBehindAProxyIsRefusedByItsStatements() {
        try (TestDatabase database = TestDatabase.h2()) {
            refuses(handingOut(database.pool(), Map.of(Statement.class, OF_SEATA)), "Seata");
            refuses(
                    handingOut(database.pool(), Map.of(Statement.class, "org.apache.shardingsphere.driver.Named")),
                    "ShardingSphere",
                    "idempotency-sharding");
        }
    }

    /** A data source whose connections and statements have classes in the packages of the named interfaces. */
    private static DataSource handingOut(DataSource real, Map<Class<?>, String> named) {
        return seen(DataSource.class, real, named);
    }

    private static <T> T seen(Class<T> type, T real, Map<Class<?>, String> named) {
        try {
            String name = named.getOrDefault(type, AutoCloseable.class.getName());
            return type.cast(Proxy.newProxyInstance(
                    UnfitConnectionsTest.class.getClassLoader(),
                    new Class<?>[] {type, Class.forName(name)},
                    (proxy, method, arguments) -> {
                        if (method.getName().equals("unwrap")) {
                            return proxy;
                        }
                        try {
                            Object answer = method.invoke(real, arguments);
                            return switch (method.getName()) {
                                case "getConnection" -> seen(Connection.class, (Connection) answer, named);
                                case "createStatement" -> seen(Statement.class, (Statement) answer, named);
                                default -> answer;
                            };
                        } catch (InvocationTargetException thrown) {
                            throw thrown.getCause();
                        }
                    }));
        } catch (ClassNotFoundException missing) {
            throw new IllegalStateException(missing);
        }
    }
}
