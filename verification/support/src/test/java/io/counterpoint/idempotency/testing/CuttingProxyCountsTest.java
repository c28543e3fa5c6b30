package io.counterpoint.idempotency.testing;

import static org.assertj.core.api.Assertions.assertThat;

import java.sql.Connection;
import java.sql.SQLException;
import java.util.Collections;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.RepeatedTest;
import org.junit.jupiter.api.Test;

class CuttingProxyCountsTest {

    /** More often than the driver waits before it gives a statement a name. */
    private static final int OFTEN = 12;

    private static String direct;

    private CuttingProxy proxy;
    private Connection connection;

    @BeforeAll
    static void database() throws SQLException {
        direct = PostgresServer.shared().createDatabase();
        Sql.execute(direct, "create table t (id int)");
    }

    @BeforeEach
    void connect() throws SQLException {
        proxy = CuttingProxy.inFrontOf(direct);
        connection = Sql.connect(proxy.jdbcUrl());
        proxy.resetCounts();
    }

    @AfterEach
    void close() throws SQLException {
        connection.close();
        proxy.close();
    }

    @Test
    void autocommittedQueryIsOneRoundTrip() throws Exception {
        for (int i = 1; i <= OFTEN; i++) {
            Sql.query(connection, "select 1");

            assertThat(proxy.roundTrips()).isEqualTo(i);
        }
        assertThat(proxy.statements()).isEqualTo(Collections.nCopies(OFTEN, "select 1"));
    }

    @Test
    void transactionOfTwoStatementsIsThreeRoundTrips() throws Exception {
        connection.setAutoCommit(false);
        for (int i = 0; i < OFTEN; i++) {
            proxy.resetCounts();

            Sql.query(connection, "select 1");
            Sql.query(connection, "insert into t values (1) returning id");
            connection.commit();

            assertThat(proxy.roundTrips()).as(proxy.toString()).isEqualTo(3);
            assertThat(proxy.statements())
                    .containsExactly("BEGIN", "select 1", "insert into t values (1) returning id", "COMMIT");
        }
    }

    @RepeatedTest(3)
    void batchIsOneRoundTrip() throws Exception {
        try (var statement = connection.prepareStatement("insert into t values (?)")) {
            for (int i = 0; i < OFTEN; i++) {
                statement.setInt(1, i);
                statement.addBatch();
            }
            statement.executeBatch();
        }
        // The driver asks for the parameter's type first.
        assertThat(proxy.roundTrips()).as(proxy.toString()).isBetween(1, 2);
        assertThat(proxy.statements()).hasSize(OFTEN).containsOnly("insert into t values ($1)");
    }

    @Test
    void refusedStatementIsARoundTripToo() throws Exception {
        Sql.query(connection, "select 1");
        try {
            Sql.query(connection, "select no_such_column");
        } catch (SQLException refused) {
            assertThat(refused.getSQLState()).isEqualTo("42703");
        }
        Sql.query(connection, "select 1");

        assertThat(proxy.roundTrips()).isEqualTo(3);
    }

    /** Pools do so when a connection has been idle for a while, which is nothing that a caller costs. */
    @Test
    void checkOfAConnectionIsNoRoundTripOfACaller() throws Exception {
        Sql.query(connection, "select 1");
        assertThat(connection.isValid(5)).isTrue();
        Sql.query(connection, "select 1");

        assertThat(proxy.roundTrips()).as(proxy.toString()).isEqualTo(2);
        assertThat(proxy).asString().contains("connection 1: \n");
    }

    @Test
    void connectionsAreCountedTogether() throws Exception {
        Sql.query(connection, "select 1");
        try (Connection second = Sql.connect(proxy.jdbcUrl())) {
            proxy.resetCounts();
            Sql.query(connection, "select 1");
            Sql.query(second, "select 2");
            Sql.query(second, "select 2");
        }

        assertThat(proxy.roundTrips()).isEqualTo(3);
    }

    @Test
    void everyRoundTripIsALineOfTheFailureMessage() throws Exception {
        connection.setAutoCommit(false);
        Sql.query(connection, "select 1");
        connection.commit();

        assertThat(proxy).asString().endsWith("connection 1: BEGIN | select 1\nconnection 1: COMMIT");
    }
}
