package io.counterpoint.idempotency.consistency;

import static io.counterpoint.idempotency.jdbc.Isolation.SERIALIZABLE;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.counterpoint.idempotency.consistency.testing.TestDatabase;
import io.counterpoint.idempotency.consistency.testing.TestDatabase.Kind;
import io.counterpoint.idempotency.consistency.transition.AppStatus;
import io.counterpoint.idempotency.consistency.transition.Passage;
import io.counterpoint.idempotency.consistency.transition.Passage.Completion;
import io.counterpoint.idempotency.consistency.transition.StatusTransitions;
import io.counterpoint.idempotency.consistency.transition.Transition;
import io.counterpoint.idempotency.jdbc.JdbiIdempotencyStore;
import io.counterpoint.idempotency.testing.CuttingProxy;
import io.counterpoint.idempotency.testing.MariaDbProxy;
import io.counterpoint.idempotency.testing.StatementProxy;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Proxy;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.SQLException;
import java.util.UUID;
import java.util.concurrent.atomic.AtomicInteger;
import org.jdbi.v3.core.ConnectionFactory;
import org.jdbi.v3.core.Jdbi;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** A commit without an answer is reported as such. Its work never runs again, whether it arrived or not. */
@Tag("thorough")
class UnknownCommitTest {

    private final AtomicInteger runs = new AtomicInteger();

    private static StatementProxy inFrontOf(Kind kind, TestDatabase database) {
        return kind == Kind.POSTGRESQL
                ? CuttingProxy.inFrontOf(database.url())
                : MariaDbProxy.inFrontOf(database.url());
    }

    private static void cutNextCommit(StatementProxy proxy, boolean arrives) {
        if (arrives) {
            proxy.swallowNextCommitAnswer();
        } else {
            proxy.dropNextCommit();
        }
    }

    @ParameterizedTest
    @CsvSource({"POSTGRESQL, true", "POSTGRESQL, false", "MARIADB, true", "MARIADB, false"})
    void lostAnswerIsUnknown(Kind kind, boolean arrives) {
        try (TestDatabase database = TestDatabase.create(kind);
                StatementProxy proxy = inFrontOf(kind, database)) {
            database.execute("CREATE TABLE effect (id integer)");
            Transactions transactions = Transactions.on(JdbiIdempotencyStore.on(Jdbi.create(proxy.jdbcUrl())));
            cutNextCommit(proxy, arrives);
            assertUnknown(transactions);
            assertThat(proxy.hasCut()).isTrue();
            assertThat(database.count("effect")).isEqualTo(arrives ? 1 : 0);
        }
    }

    /** To go back changes nothing where the last move has arrived: then the row is no longer this owner's. */
    @ParameterizedTest
    @CsvSource({"POSTGRESQL, true", "POSTGRESQL, false", "MARIADB, true", "MARIADB, false"})
    void lostAnswerOfAPassagesLastCommitIsFoundInItsRow(Kind kind, boolean arrives) throws Exception {
        try (TestDatabase database = TestDatabase.create(kind);
                StatementProxy proxy = inFrontOf(kind, database)) {
            UUID app = UUID.randomUUID();
            StatusTransitions<AppStatus> publication = AppStatus.publication().build();
            database.jdbi().useHandle(publication::createHistoryIfMissing);
            database.execute(AppStatus.APP_TABLE, "INSERT INTO app (id, status) VALUES ('" + app + "', 'draft')");
            Passage<AppStatus> passage = publication.passage(
                    Transactions.on(JdbiIdempotencyStore.on(Jdbi.create(proxy.jdbcUrl()))),
                    AppStatus.DRAFT,
                    AppStatus.PUBLISHING,
                    AppStatus.PUBLISHED,
                    held -> {
                        cutNextCommit(proxy, arrives);
                        return Completion.NOTHING;
                    });

            if (arrives) {
                assertThat(passage.perform(app)).isEqualTo(new Transition.AlreadyThere<>(AppStatus.PUBLISHED));
            } else {
                assertThatThrownBy(() -> passage.perform(app)).isInstanceOf(CommitUnknownException.class);
            }
            assertThat(proxy.hasCut()).isTrue();
            assertThat(database.one("SELECT status FROM app", String.class)).isEqualTo(arrives ? "published" : "draft");
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
