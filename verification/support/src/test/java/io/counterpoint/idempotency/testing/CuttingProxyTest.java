package io.counterpoint.idempotency.testing;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

@Tag("thorough")
class CuttingProxyTest extends BehindProxy {

    /** After 9 transactions the driver sends only a name for the statement and for COMMIT. */
    @ParameterizedTest
    @ValueSource(ints = {0, 9})
    void droppedCommitIsNotDone(int before) throws Exception {
        Connection connection = transactions(before);
        insert(connection, 1000);
        proxy.dropNextCommit();

        assertConnectionFailure(connection::commit);

        proxy.awaitCut(SOON);
        assertThat(idsOnceFree(1000)).isEqualTo(before);
    }

    @ParameterizedTest
    @ValueSource(ints = {0, 9})
    void swallowedCommitIsDone(int before) throws Exception {
        Connection connection = transactions(before);
        insert(connection, 1000);
        proxy.swallowNextCommitAnswer();

        assertConnectionFailure(connection::commit);

        proxy.awaitCut(SOON);
        assertThat(ids()).isEqualTo(before + 1);
    }

    @Test
    void refusedCommitIsNotSwallowed() throws Exception {
        Connection connection = transactions(0);
        insert(connection, 1);
        assertThatThrownBy(() -> insert(connection, 1)).isInstanceOf(SQLException.class);
        proxy.swallowNextCommitAnswer();

        Sql.execute(connection, "commit");

        assertThat(proxy.hasCut()).isFalse();
        insert(connection, 2);
        assertConnectionFailure(connection::commit);
        assertThat(proxy.hasCut()).isTrue();
        assertThat(ids()).isOne();
    }

    @ParameterizedTest
    @ValueSource(ints = {0, 9})
    void statementCutBeforeItIsSentIsNotDone(int before) throws Exception {
        Connection connection = autocommitted(before);
        proxy.onNextStatement(sql -> sql.startsWith("insert"), Cut.BEFORE_SEND);

        assertConnectionFailure(() -> insert(connection, 1000));

        proxy.awaitCut(SOON);
        assertThat(idsOnceFree(1000)).isEqualTo(before);
    }

    @ParameterizedTest
    @ValueSource(ints = {0, 9})
    void statementWhoseAnswerIsLostIsDoneAndCommitted(int before) throws Exception {
        Connection connection = autocommitted(before);
        proxy.onNextStatement(sql -> sql.startsWith("insert"), Cut.AFTER_ANSWER);

        assertConnectionFailure(() -> insert(connection, 1000));

        proxy.awaitCut(SOON);
        assertThat(ids()).isEqualTo(before + 1);
    }

    @Test
    void refusalIsAnAnswerThatCanBeLost() throws Exception {
        Connection connection = autocommitted(1);
        proxy.onNextStatement(sql -> sql.startsWith("insert"), Cut.AFTER_ANSWER);

        assertConnectionFailure(() -> insert(connection, 0));
    }

    @Test
    void onlyTheStatementThatFitsIsCut() throws Exception {
        Connection connection = transactions(0);
        proxy.onNextStatement(sql -> sql.contains("set id"), Cut.AFTER_ANSWER);

        insert(connection, 1);
        assertThat(proxy.hasCut()).isFalse();
        assertConnectionFailure(() -> Sql.execute(connection, "update t set id = 2"));

        assertThat(proxy.hasCut()).isTrue();
        assertThat(idsOnceFree(1)).isZero();
    }

    @Test
    void ruleIsUsedUpByOneCut() throws Exception {
        proxy.dropNextCommit();
        Connection first = transactions(0);
        insert(first, 1);
        assertConnectionFailure(first::commit);

        Connection second = transactions(0);
        insert(second, 2);
        second.commit();

        assertThat(ids()).isOne();
    }

    @Test
    void statementOfASimpleQueryIsKnownToo() throws Exception {
        Connection connection = Sql.connect(proxy.jdbcUrl() + "&preferQueryMode=simple");
        connection.setAutoCommit(false);
        insert(connection, 1);
        proxy.swallowNextCommitAnswer();
        assertConnectionFailure(connection::commit);
        assertThat(ids()).isOne();

        Connection other = Sql.connect(proxy.jdbcUrl() + "&preferQueryMode=simple");
        proxy.onNextStatement(sql -> sql.startsWith("insert"), Cut.AFTER_ANSWER);
        assertConnectionFailure(() -> insert(other, 2));
        assertThat(ids()).isEqualTo(2);
    }

    @Test
    void heldStatementArrivesLate() throws Exception {
        Connection connection = transactions(0);
        insert(connection, 1);
        connection.setNetworkTimeout(Runnable::run, 100);
        proxy.onNextStatement(sql -> sql.equals("COMMIT"), Cut.HOLD);

        assertConnectionFailure(connection::commit);

        assertThat(ids()).isZero();
        proxy.heal();
        assertThat(idsOnceFree(1)).isOne();
    }

    @Test
    void statementThatWasSentIsDoneThoughTheServerIsHeldUp() throws Exception {
        try (Connection intruder = Sql.connect(direct)) {
            intruder.setAutoCommit(false);
            Sql.execute(intruder, "lock table t in exclusive mode");
            Connection connection = autocommitted(0);
            proxy.onNextStatement(sql -> sql.startsWith("insert"), Cut.AFTER_SEND);

            assertConnectionFailure(() -> insert(connection, 1));

            proxy.awaitCut(SOON);
            assertThat(ids()).isZero();
            intruder.rollback();
        }
        awaitIds(1);
    }

    @Test
    void messagesAreCountedUntilTheCut() throws Exception {
        int cuts = 0;
        boolean cut = true;
        for (int messages = 0; cut; messages++) {
            Sql.execute(direct, "truncate t");
            Connection connection = transactions(0);
            proxy.cutAfterMessages(messages);
            boolean acknowledged = insertsAndCommits(connection);
            cut = proxy.hasCut();
            proxy.heal();
            cuts += cut ? 1 : 0;
            assertThat(acknowledged).isEqualTo(!cut);
            if (acknowledged) {
                assertThat(ids()).isOne();
            }
        }
        // Parse, Bind, Execute of BEGIN; the same with Describe for the insert, Sync; and the same for COMMIT; answers.
        assertThat(cuts).isBetween(15, 30);
    }

    private static boolean insertsAndCommits(Connection connection) {
        try {
            insert(connection, 1);
            connection.commit();
            return true;
        } catch (SQLException cut) {
            return false;
        }
    }

    @Test
    void cutThatDoesNotHappenFailsTheWait() throws Exception {
        proxy.dropNextCommit();
        insert(autocommitted(0), 1);

        assertThatThrownBy(() -> proxy.awaitCut(Duration.ofMillis(20)))
                .isInstanceOf(AssertionError.class)
                .hasMessageContaining("insert into t");
    }
}
