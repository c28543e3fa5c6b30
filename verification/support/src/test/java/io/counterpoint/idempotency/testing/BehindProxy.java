package io.counterpoint.idempotency.testing;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.InstanceOfAssertFactories.type;

import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import org.assertj.core.api.ThrowableAssert.ThrowingCallable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;

/** A table behind a proxy, and what tests do with both. */
abstract class BehindProxy {

    static final Duration SOON = Duration.ofSeconds(30);
    private static final String CONNECTION_FAILURE = "08006";

    static String direct;

    CuttingProxy proxy;

    @BeforeAll
    static void database() {
        direct = PostgresServer.shared().createDatabase();
    }

    @BeforeEach
    void proxyAndTable() throws SQLException {
        Sql.execute(direct, "drop table if exists t; create table t (id int primary key)");
        proxy = CuttingProxy.inFrontOf(direct);
    }

    @AfterEach
    void close() {
        proxy.close();
    }

    Connection autocommitted(int inserts) throws SQLException {
        Connection connection = Sql.connect(proxy.jdbcUrl());
        for (int i = 0; i < inserts; i++) {
            insert(connection, i);
        }
        return connection;
    }

    Connection transactions(int count) throws SQLException {
        Connection connection = Sql.connect(proxy.jdbcUrl());
        connection.setAutoCommit(false);
        for (int i = 0; i < count; i++) {
            insert(connection, i);
            connection.commit();
        }
        return connection;
    }

    static int insert(Connection connection, int id) throws SQLException {
        try (var statement = connection.prepareStatement("insert into t values (?)")) {
            statement.setInt(1, id);
            return statement.executeUpdate();
        }
    }

    static int ids() throws SQLException {
        return Integer.parseInt(Sql.query(direct, "select count(*) from t"));
    }

    /**
     * The number of rows once no transaction is open: an insert of that key waits for the transaction that inserted it.
     */
    static int idsOnceFree(int id) throws SQLException {
        try (Connection connection = Sql.connect(direct)) {
            connection.setAutoCommit(false);
            Sql.execute(connection, "insert into t values (" + id + ") on conflict do nothing");
            connection.rollback();
        }
        return ids();
    }

    /** What was sent without a wait for its answer is done in the end. */
    static void awaitIds(int count) throws SQLException {
        long deadline = System.nanoTime() + SOON.toNanos();
        while (ids() != count && System.nanoTime() < deadline) {
            Thread.onSpinWait();
        }
        assertThat(ids()).isEqualTo(count);
    }

    static void assertConnectionFailure(ThrowingCallable call) {
        assertThatThrownBy(call)
                .asInstanceOf(type(SQLException.class))
                .extracting(SQLException::getSQLState)
                .isEqualTo(CONNECTION_FAILURE);
    }
}
