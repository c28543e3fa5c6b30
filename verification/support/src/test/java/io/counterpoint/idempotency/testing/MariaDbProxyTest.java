package io.counterpoint.idempotency.testing;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.sql.Connection;
import java.sql.SQLException;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

@Tag("thorough")
class MariaDbProxyTest {

    private String direct;
    private MariaDbProxy proxy;

    @BeforeEach
    void open() throws SQLException {
        direct = MariaDbServer.shared().createDatabase();
        Sql.execute(direct, "create table t (id int primary key)");
        proxy = MariaDbProxy.inFrontOf(direct);
    }

    @AfterEach
    void close() {
        proxy.close();
        MariaDbServer.shared().drop(direct);
    }

    private Connection transaction() throws SQLException {
        Connection connection = Sql.connect(proxy.jdbcUrl());
        connection.setAutoCommit(false);
        Sql.execute(connection, "insert into t values (1)");
        return connection;
    }

    private static void assertSilent(Connection connection) throws SQLException {
        connection.setNetworkTimeout(Runnable::run, 300);
        assertThatThrownBy(connection::commit).isInstanceOf(SQLException.class);
    }

    @Test
    void heldCommitArrivesLate() throws SQLException {
        Connection connection = transaction();
        proxy.onNextStatement(CutRules::isCommit, Cut.HOLD);

        assertSilent(connection);

        assertThat(proxy.hasCut()).isTrue();
        assertThat(Sql.query(direct, "select count(*) from t")).isEqualTo("0");
        proxy.heal();
        // Waits for the transaction that holds the row, and finds it committed.
        assertThatThrownBy(() -> Sql.execute(direct, "insert into t values (1)"))
                .hasMessageContaining("Duplicate entry");
    }

    @Test
    void nothingPassesWhileAllIsSilent() throws SQLException {
        Connection connection = transaction();
        proxy.blackHole();

        assertSilent(connection);

        assertThat(Sql.query(direct, "select count(*) from t")).isEqualTo("0");
        proxy.heal();
        assertThatThrownBy(() -> Sql.execute(direct, "insert into t values (1)"))
                .hasMessageContaining("Duplicate entry");
    }

    @Test
    void messagesAreCountedUntilTheCut() throws SQLException {
        int cuts = 0;
        boolean cut = true;
        for (int messages = 0; cut; messages++) {
            Sql.execute(direct, "truncate t");
            proxy.cutAfterMessages(messages);
            boolean acknowledged = insertsAndCommits();
            cut = !acknowledged;
            proxy.heal();
            cuts += cut ? 1 : 0;
            assertThat(Sql.query(direct, "select count(*) from t")).isIn("1", acknowledged ? "1" : "0");
        }
        // What the driver asks at the start, autocommit, the insert and the commit, each with an answer.
        assertThat(cuts).isBetween(6, 30);
    }

    private boolean insertsAndCommits() {
        try (Connection connection = transaction()) {
            connection.commit();
            // What closes the connection is a message too.
            proxy.heal();
            return true;
        } catch (SQLException broken) {
            assertThat(proxy.hasCut()).isTrue();
            return false;
        }
    }
}
