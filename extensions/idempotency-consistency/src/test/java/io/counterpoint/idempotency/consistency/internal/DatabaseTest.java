package io.counterpoint.idempotency.consistency.internal;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.counterpoint.idempotency.consistency.comparison.JdbiJournal;
import io.counterpoint.idempotency.consistency.comparison.KeyOrder;
import io.counterpoint.idempotency.consistency.comparison.SqlTable;
import io.counterpoint.idempotency.consistency.outbox.Outbox;
import io.counterpoint.idempotency.consistency.testing.TestDatabase;
import io.counterpoint.idempotency.consistency.testing.TestDatabase.Kind;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Proxy;
import java.sql.Connection;
import java.sql.DatabaseMetaData;
import java.util.Map;
import org.jdbi.v3.core.Jdbi;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Databases by what they say of themselves. H2 says it for them here. */
class DatabaseTest {

    @ParameterizedTest
    @CsvSource({
        "Oracle, 23.4, Oracle",
        "MySQL, 8.0.11-TiDB-v7.5.0, TiDB",
        "MySQL, 8.0.30-Vitess, Vitess",
        "MariaDB Xpand, 6.1, MariaDB Xpand"
    })
    void anotherDatabaseIsRefusedBeforeAnythingIsSent(String product, String version, String named) {
        try (TestDatabase database = TestDatabase.create(Kind.H2)) {
            Jdbi other = saying(database.jdbi(), product, version);
            for (Runnable first : java.util.List.<Runnable>of(
                    () -> JdbiJournal.on(other),
                    () -> SqlTable.of(other, "app", "id", KeyOrder.longs()),
                    () -> other.useHandle(Outbox.create()::createTableIfMissing),
                    () -> other.withHandle(handle -> Outbox.create().parked(handle, 1)))) {
                assertThatThrownBy(first::run)
                        .isInstanceOf(IllegalStateException.class)
                        .hasMessageContaining("the connection leads to " + named + ",");
            }
        }
    }

    /** MySQL's own driver calls MariaDB so. */
    @Test
    void mariaDbIsKnownByItsVersionToo() {
        try (TestDatabase database = TestDatabase.create(Kind.H2)) {
            Jdbi other = saying(database.jdbi(), "MySQL", "11.4.5-MariaDB");
            assertThat(other.<DatabaseProduct, RuntimeException>withHandle(DatabaseProduct::of))
                    .isEqualTo(DatabaseProduct.MARIADB);
        }
    }

    private static Jdbi saying(Jdbi real, String product, String version) {
        Map<String, String> words = Map.of("getDatabaseProductName", product, "getDatabaseProductVersion", version);
        return Jdbi.create(() -> {
            Connection connection = real.open().getConnection();
            DatabaseMetaData server = forwarding(DatabaseMetaData.class, connection.getMetaData(), words);
            return forwarding(Connection.class, connection, Map.of("getMetaData", server));
        });
    }

    private static <T> T forwarding(Class<T> type, T real, Map<String, ?> answers) {
        return type.cast(Proxy.newProxyInstance(
                type.getClassLoader(), new Class<?>[] {type}, (proxy, method, arguments) -> {
                    Object answer = answers.get(method.getName());
                    if (answer != null) {
                        return answer;
                    }
                    try {
                        return method.invoke(real, arguments);
                    } catch (InvocationTargetException thrown) {
                        throw thrown.getCause();
                    }
                }));
    }
}
