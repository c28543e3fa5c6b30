package io.counterpoint.idempotency.jdbc;

import static org.assertj.core.api.Assertions.assertThat;

import io.counterpoint.idempotency.spi.Fault;
import java.lang.reflect.Proxy;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.SQLException;
import java.sql.SQLNonTransientConnectionException;
import java.sql.SQLRecoverableException;
import java.sql.SQLTransientConnectionException;
import org.jdbi.v3.core.transaction.TransactionException;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class SqlErrorClassifierTest {

    @ParameterizedTest
    @CsvSource({
        "40001, CONFLICT",
        "40P01, CONFLICT",
        "90131, CONFLICT",
        "55P03, LOCK_TIMEOUT",
        "HYT00, LOCK_TIMEOUT",
        "57014, CANCELLED",
        "53100, CANCELLED",
        "53300, CANCELLED",
        "58030, CANCELLED",
        "08000, CONNECTION_LOST",
        "08003, CONNECTION_LOST",
        "08006, CONNECTION_LOST",
        "08P01, CONNECTION_LOST",
        "57P01, CONNECTION_LOST",
        "57P02, CONNECTION_LOST",
        "57P03, CONNECTION_LOST",
        "57P05, CONNECTION_LOST",
        "25P03, CONNECTION_LOST",
        "25P04, CONNECTION_LOST",
        "40003, CONNECTION_LOST",
        "90067, CONNECTION_LOST",
        "90098, CONNECTION_LOST",
        "90121, CONNECTION_LOST",
        "23505, STATEMENT_REFUSED",
        "23503, STATEMENT_REFUSED",
        "25P02, STATEMENT_REFUSED",
        "40002, STATEMENT_REFUSED",
        "42P01, STATEMENT_REFUSED",
        "42501, STATEMENT_REFUSED",
        "22001, STATEMENT_REFUSED",
        "99999, UNRECOGNISED",
        "HY000, UNRECOGNISED",
        "'', UNRECOGNISED",
        "4000, UNRECOGNISED"
    })
    void stateTellsTheFault(String state, Fault fault) {
        assertThat(SqlErrorClassifier.classify(new SQLException("broken", state)))
                .isEqualTo(fault);
    }

    @Test
    void onlyAnswersOfTheDatabaseProveARollback() {
        assertThat(Fault.values())
                .filteredOn(Fault::provesRollback)
                .containsExactlyInAnyOrder(
                        Fault.CONFLICT, Fault.LOCK_TIMEOUT, Fault.CANCELLED, Fault.STATEMENT_REFUSED);
    }

    @Test
    void noStateAndNoSqlProveNothing() {
        assertThat(SqlErrorClassifier.classify(new SQLException("broken"))).isEqualTo(Fault.UNRECOGNISED);
        assertThat(SqlErrorClassifier.classify(new IllegalStateException("broken")))
                .isEqualTo(Fault.UNRECOGNISED);
        assertThat(SqlErrorClassifier.classify(new OutOfMemoryError("broken"))).isEqualTo(Fault.UNRECOGNISED);
    }

    @Test
    void exhaustedPoolIsALostConnectionThoughItHasNoState() {
        assertThat(SqlErrorClassifier.classify(new SQLTransientConnectionException("no connection")))
                .isEqualTo(Fault.CONNECTION_LOST);
        assertThat(SqlErrorClassifier.classify(new SQLNonTransientConnectionException("no connection")))
                .isEqualTo(Fault.CONNECTION_LOST);
        assertThat(SqlErrorClassifier.classify(new SQLRecoverableException("no connection")))
                .isEqualTo(Fault.CONNECTION_LOST);
    }

    @Test
    void causesAreLookedAtAndCyclesEnd() {
        assertThat(SqlErrorClassifier.classify(
                        new TransactionException("wrapped", new SQLException("conflict", "40001"))))
                .isEqualTo(Fault.CONFLICT);
        Exception one = new IllegalStateException("one");
        one.initCause(new IllegalStateException("two", one));
        assertThat(SqlErrorClassifier.classify(one)).isEqualTo(Fault.UNRECOGNISED);
    }

    @Test
    void causesAreLookedAtToADepthOfTwenty() {
        Exception chain = new SQLException("conflict", "40001");
        for (int wrapped = 1; wrapped < 20; wrapped++) {
            chain = new IllegalStateException("wrapped", chain);
        }
        assertThat(SqlErrorClassifier.classify(chain)).isEqualTo(Fault.CONFLICT);
        assertThat(SqlErrorClassifier.classify(new IllegalStateException("once more", chain)))
                .isEqualTo(Fault.UNRECOGNISED);
    }

    /** The same state on a connection that is gone may have been made up by the driver. */
    @Test
    void anAnswerCountsOnlyWhileTheConnectionIsOpen() throws SQLException {
        SQLException conflict = new SQLException("conflict", "40001");
        try (Connection connection = DriverManager.getConnection("jdbc:h2:mem:")) {
            assertThat(StoreException.of("commit", connection, conflict).fault())
                    .isEqualTo(Fault.CONFLICT);
            connection.close();
            assertThat(StoreException.of("commit", connection, conflict).fault())
                    .isEqualTo(Fault.CONNECTION_LOST);
        }
    }

    @Test
    void stateProvesNothingWhereTheDriverCannotTellWhetherItIsOpen() {
        Connection connection = (Connection) Proxy.newProxyInstance(
                getClass().getClassLoader(), new Class<?>[] {Connection.class}, (proxy, method, arguments) -> {
                    throw new SQLException("no answer");
                });
        assertThat(StoreException.of("commit", connection, new SQLException("conflict", "40001"))
                        .fault())
                .isEqualTo(Fault.CONNECTION_LOST);
    }

    @Test
    void whatTheStoreFoundOutStands() {
        StoreException unknown =
                new StoreException("Could not commit", Fault.CONNECTION_LOST, new SQLException("conflict", "40001"));
        assertThat(SqlErrorClassifier.classify(unknown)).isEqualTo(Fault.CONNECTION_LOST);
    }
}
