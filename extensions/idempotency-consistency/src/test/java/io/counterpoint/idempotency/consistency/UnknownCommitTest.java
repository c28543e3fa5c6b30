package io.counterpoint.idempotency.consistency;

import static io.counterpoint.idempotency.jdbc.Isolation.SERIALIZABLE;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.counterpoint.idempotency.consistency.testing.TestDatabase;
import io.counterpoint.idempotency.consistency.testing.TestDatabase.Kind;
import io.counterpoint.idempotency.jdbc.JdbiIdempotencyStore;
import io.counterpoint.idempotency.testing.Cut;
import io.counterpoint.idempotency.testing.CuttingProxy;
import io.counterpoint.idempotency.testing.MariaDbProxy;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Proxy;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.SQLException;
import java.util.concurrent.atomic.AtomicInteger;
import org.jdbi.v3.core.ConnectionFactory;
import org.jdbi.v3.core.Jdbi;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** A commit without an answer is reported as such. Its work never runs again, whether it arrived or not. */
class UnknownCommitTest {

    private final AtomicInteger runs = new AtomicInteger();

    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    void lostAnswerOfPostgreSqlIsUnknown(boolean arrives) {
        try (TestDatabase database = TestDatabase.create(Kind.POSTGRESQL);
                CuttingProxy proxy = CuttingProxy.inFrontOf(database.url())) {
            database.execute("CREATE TABLE effect (id integer)");
            Transactions transactions = Transactions.on(JdbiIdempotencyStore.on(Jdbi.create(proxy.jdbcUrl())));
            if (arrives) {
                proxy.swallowNextCommitAnswer();
            } else {
                proxy.dropNextCommit();
            }
            assertUnknown(transactions);
            assertThat(proxy.hasCut()).isTrue();
            assertThat(database.count("effect")).isEqualTo(arrives ? 1 : 0);
        }
    }

    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    void lostAnswerOfMariaDbIsUnknown(boolean arrives) {
        try (TestDatabase database = TestDatabase.create(Kind.MARIADB);
                MariaDbProxy proxy = MariaDbProxy.inFrontOf(database.url())) {
            database.execute("CREATE TABLE effect (id integer)");
            Transactions transactions = Transactions.on(JdbiIdempotencyStore.on(Jdbi.create(proxy.jdbcUrl())));
            proxy.onNextStatement("COMMIT"::equalsIgnoreCase, arrives ? Cut.AFTER_ANSWER : Cut.BEFORE_SEND);
            assertUnknown(transactions);
            assertThat(proxy.hasCut()).isTrue();
            assertThat(database.count("effect")).isEqualTo(arrives ? 1 : 0);
        }
    }

    @Test
    void lostAnswerOfH2IsUnknown() {
        try (TestDatabase database = TestDatabase.create(Kind.H2)) {
            database.execute("CREATE TABLE effect (id integer)");
            ConnectionFactory losing = () -> losingTheAnswer(DriverManager.getConnection(database.url(), "sa", ""));
            assertUnknown(Transactions.on(JdbiIdempotencyStore.on(Jdbi.create(losing))));
            assertThat(database.count("effect")).isEqualTo(1);
        }
    }

    private void assertUnknown(Transactions transactions) {
        assertThatThrownBy(() -> transactions.useTransaction(SERIALIZABLE, handle -> {
                    runs.incrementAndGet();
                    handle.execute("INSERT INTO effect VALUES (1)");
                }))
                .isInstanceOf(CommitUnknownException.class)
                .hasRootCauseInstanceOf(Exception.class);
        assertThat(runs).hasValue(1);
    }

    /** H2 has no wire to cut where it is embedded: the driver's own answer is replaced. */
    private static Connection losingTheAnswer(Connection real) {
        return (Connection) Proxy.newProxyInstance(
                Connection.class.getClassLoader(), new Class<?>[] {Connection.class}, (proxy, method, arguments) -> {
                    Object answer;
                    try {
                        answer = method.invoke(real, arguments);
                    } catch (InvocationTargetException thrown) {
                        throw thrown.getCause();
                    }
                    if (method.getName().equals("commit")) {
                        throw new SQLException("The connection was lost", "08006");
                    }
                    return answer;
                });
    }
}
