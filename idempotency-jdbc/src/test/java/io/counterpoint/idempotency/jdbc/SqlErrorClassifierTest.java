package io.counterpoint.idempotency.jdbc;

import static org.assertj.core.api.Assertions.assertThat;

import io.counterpoint.idempotency.jdbc.h2.H2Dialect;
import io.counterpoint.idempotency.jdbc.postgresql.PostgreSqlDialect;
import io.counterpoint.idempotency.jdbc.session.SqlErrorClassifier;
import io.counterpoint.idempotency.jdbc.session.StoreFailures;
import io.counterpoint.idempotency.jdbc.spi.Dialect;
import io.counterpoint.idempotency.jdbc.spi.RecordTable;
import io.counterpoint.idempotency.spi.Fault;
import io.counterpoint.idempotency.spi.StoreException;
import java.lang.reflect.InvocationHandler;
import java.lang.reflect.Proxy;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.SQLException;
import java.sql.SQLNonTransientConnectionException;
import java.sql.SQLRecoverableException;
import java.sql.SQLTransientConnectionException;
import java.util.stream.Stream;
import org.jdbi.v3.core.transaction.TransactionException;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class SqlErrorClassifierTest {

    private static final Dialect POSTGRESQL = new PostgreSqlDialect(RecordTable.DEFAULT);
    private static final Dialect H2 = new H2Dialect(RecordTable.DEFAULT);
    private static final Dialect UNKNOWN = (Dialect) Proxy.newProxyInstance(
            Dialect.class.getClassLoader(),
            new Class<?>[] {Dialect.class},
            (proxy, method, arguments) -> InvocationHandler.invokeDefault(proxy, method, arguments));

    private static Fault classify(Throwable thrown) {
        Fault fault = SqlErrorClassifier.classify(thrown, POSTGRESQL);
        assertThat(SqlErrorClassifier.classify(thrown, H2)).isEqualTo(fault);
        return fault;
    }

    @Test
    void stateOfTheStandardSaysTheSameOfADatabaseThatIsNotKnown() {
        SQLException refused = new SQLException("broken", "42P01");
        assertThat(SqlErrorClassifier.classify(new IllegalStateException(refused)))
                .isEqualTo(Fault.STATEMENT_REFUSED);
        assertThat(SqlErrorClassifier.classify(new IllegalStateException())).isEqualTo(Fault.UNRECOGNISED);
    }

    @ParameterizedTest
    @CsvSource({
        "40001, CONFLICT",
        "08000, CONNECTION_LOST",
        "08003, CONNECTION_LOST",
        "08006, CONNECTION_LOST",
        "08P01, CONNECTION_LOST",
        "40003, CONNECTION_LOST",
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
        "4000, UNRECOGNISED",
        "57014, CANCELLED"
    })
    void statesOfBothDatabases(String state, Fault fault) {
        assertThat(Stream.of(POSTGRESQL, H2).map(dialect -> dialect.classify(new SQLException("broken", state))))
                .containsOnly(fault);
    }

    @ParameterizedTest
    @CsvSource({
        "40P01, CONFLICT",
        "55P03, LOCK_TIMEOUT",
        "53100, CANCELLED",
        "53300, CANCELLED",
        "58030, CANCELLED",
        "57P01, CONNECTION_LOST",
        "57P02, CONNECTION_LOST",
        "57P03, CONNECTION_LOST",
        "57P05, CONNECTION_LOST",
        "25P03, CONNECTION_LOST",
        "25P04, CONNECTION_LOST",
        "XX000, STATEMENT_REFUSED",
        "P0001, STATEMENT_REFUSED"
    })
    void statesOfPostgreSql(String state, Fault fault) {
        assertThat(Stream.of(POSTGRESQL).map(dialect -> dialect.classify(new SQLException("broken", state))))
                .containsOnly(fault);
    }

    @ParameterizedTest
    @CsvSource({
        "90131, CONFLICT",
        "HYT00, LOCK_TIMEOUT",
        "90067, CONNECTION_LOST",
        "90098, CONNECTION_LOST",
        "90121, CONNECTION_LOST",
        "90130, STATEMENT_REFUSED",
        "50000, UNRECOGNISED"
    })
    void statesOfH2(String state, Fault fault) {
        assertThat(Stream.of(H2).map(dialect -> dialect.classify(new SQLException("broken", state))))
                .containsOnly(fault);
    }

    /** Of a database that is not known, only the standard's own classes prove anything. */
    @ParameterizedTest
    @CsvSource({
        "40001, CONFLICT",
        "40003, CONNECTION_LOST",
        "08006, CONNECTION_LOST",
        "23505, STATEMENT_REFUSED",
        "25P02, STATEMENT_REFUSED",
        "40002, STATEMENT_REFUSED",
        "42000, STATEMENT_REFUSED",
        "57014, UNRECOGNISED",
        "70100, UNRECOGNISED",
        "XA100, UNRECOGNISED",
        "HY000, UNRECOGNISED",
        "'', UNRECOGNISED"
    })
    void statesOfAnyDatabase(String state, Fault fault) {
        assertThat(Stream.of(UNKNOWN).map(dialect -> dialect.classify(new SQLException("broken", state))))
                .containsOnly(fault);
    }

    @Test
    void onlyAnswersOfTheDatabaseProveARollback() {
        assertThat(Fault.values())
                .filteredOn(Fault::provesRollback)
                .containsExactlyInAnyOrder(
                        Fault.CONFLICT,
                        Fault.LOCK_TIMEOUT,
                        Fault.CANCELLED,
                        Fault.STATEMENT_REFUSED,
                        Fault.RECORD_UNREADABLE);
    }

    @Test
    void noStateAndNoSqlProveNothing() {
        assertThat(classify(new SQLException("broken"))).isEqualTo(Fault.UNRECOGNISED);
        assertThat(classify(new IllegalStateException("broken"))).isEqualTo(Fault.UNRECOGNISED);
        assertThat(classify(new OutOfMemoryError("broken"))).isEqualTo(Fault.UNRECOGNISED);
    }

    @Test
    void exhaustedPoolIsALostConnectionThoughItHasNoState() {
        assertThat(classify(new SQLTransientConnectionException("no connection")))
                .isEqualTo(Fault.CONNECTION_LOST);
        assertThat(classify(new SQLNonTransientConnectionException("no connection")))
                .isEqualTo(Fault.CONNECTION_LOST);
        assertThat(classify(new SQLRecoverableException("no connection"))).isEqualTo(Fault.CONNECTION_LOST);
    }

    @Test
    void causesAreLookedAtAndCyclesEnd() {
        assertThat(classify(new TransactionException("wrapped", new SQLException("conflict", "40001"))))
                .isEqualTo(Fault.CONFLICT);
        Exception one = new IllegalStateException("one");
        one.initCause(new IllegalStateException("two", one));
        assertThat(classify(one)).isEqualTo(Fault.UNRECOGNISED);
    }

    @Test
    void causesAreLookedAtToADepthOfTwenty() {
        Exception chain = new SQLException("conflict", "40001");
        for (int wrapped = 1; wrapped < 20; wrapped++) {
            chain = new IllegalStateException("wrapped", chain);
        }
        assertThat(classify(chain)).isEqualTo(Fault.CONFLICT);
        assertThat(classify(new IllegalStateException("once more", chain))).isEqualTo(Fault.UNRECOGNISED);
    }

    /** The same state on a connection that is gone may have been made up by the driver. */
    @Test
    void anAnswerCountsOnlyWhileTheConnectionIsOpen() throws SQLException {
        SQLException conflict = new SQLException("conflict", "40001");
        try (Connection connection = DriverManager.getConnection("jdbc:h2:mem:")) {
            assertThat(StoreFailures.of("commit", H2, connection, conflict).fault())
                    .isEqualTo(Fault.CONFLICT);
            connection.close();
            assertThat(StoreFailures.of("commit", H2, connection, conflict).fault())
                    .isEqualTo(Fault.CONNECTION_LOST);
        }
    }

    /** A driver may hide why its statement is closed. What is no error of a database stays what it is. */
    @Test
    void errorWhoseRollbackLostTheConnectionIsALostConnection() {
        assertThat(classify(withRollback("08003", new SQLException("statement closed", "HY000"))))
                .isEqualTo(Fault.CONNECTION_LOST);
        assertThat(classify(withRollback("08003", new TransactionException(new SQLException("closed", "HY000")))))
                .isEqualTo(Fault.CONNECTION_LOST);
        assertThat(classify(withRollback("HY000", new SQLException("statement closed", "HY000"))))
                .isEqualTo(Fault.UNRECOGNISED);
        assertThat(classify(withRollback("08003", new SQLException("duplicate", "23505"))))
                .isEqualTo(Fault.STATEMENT_REFUSED);
        assertThat(classify(withRollback("08003", new IllegalStateException("no funds"))))
                .isEqualTo(Fault.UNRECOGNISED);
    }

    private static Throwable withRollback(String failed, Exception thrown) {
        thrown.addSuppressed(new SQLException("no rollback", failed));
        return thrown;
    }

    @Test
    void unreadableStateOfATransactionProvesNothing() {
        Connection connection = (Connection) Proxy.newProxyInstance(
                getClass().getClassLoader(), new Class<?>[] {Connection.class}, (proxy, method, arguments) -> {
                    throw new SQLException("no answer");
                });
        assertThat(StoreFailures.of("commit", H2, connection, new SQLException("conflict", "40001"))
                        .fault())
                .isEqualTo(Fault.CONNECTION_LOST);
    }

    @Test
    void whatTheStoreFoundOutStands() {
        StoreException unknown =
                new StoreException("Could not commit", Fault.CONNECTION_LOST, new SQLException("conflict", "40001"));
        assertThat(classify(unknown)).isEqualTo(Fault.CONNECTION_LOST);
    }
}
