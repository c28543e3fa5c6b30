package io.counterpoint.idempotency.trial;

import io.counterpoint.idempotency.jdbc.JdbcIdempotencyStore;
import io.counterpoint.idempotency.jdbc.JdbcStoreBuilder;
import io.counterpoint.idempotency.jdbc.JdbiIdempotencyStore;
import io.counterpoint.idempotency.testing.PostgresServer;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.UUID;
import javax.sql.DataSource;
import org.h2.engine.SessionLocal;
import org.h2.jdbc.JdbcConnection;
import org.jdbi.v3.core.Jdbi;
import org.postgresql.core.BaseConnection;
import org.postgresql.core.TransactionState;

/** A database with the records' table and a domain table without a unique key, so that duplicates can show. */
abstract class TestedDatabase extends Sessions implements AutoCloseable {

    /** Makes an empty one. */
    interface Maker {
        TestedDatabase create() throws SQLException;
    }

    /** Which one it is, of those that the JDBC store knows. */
    enum Kind implements Maker {
        H2,
        POSTGRESQL;

        @Override
        public TestedDatabase create() throws SQLException {
            return this == H2 ? new OnH2() : new OnPostgreSql();
        }
    }

    final String name;
    final String url;

    /** As its dialect says: whether an error in the middle of a call can leave the driver with another call's answer. */
    final boolean losesStepByErrors;

    /** Whether it finds many keys by their index at once. */
    final boolean findsMany;

    TestedDatabase(String name, String url, boolean losesStepByErrors) {
        this(name, url, losesStepByErrors, false);
    }

    private TestedDatabase(String name, String url, boolean losesStepByErrors, boolean findsMany) {
        this.name = name;
        this.url = url;
        this.losesStepByErrors = losesStepByErrors;
        this.findsMany = findsMany;
    }

    /** With its schema, as operations that record last want it. */
    private static final String TABLE = "public.idempotency_record";

    /** Of its stores. */
    void options(JdbcStoreBuilder<?> builder) {
        builder.table(TABLE);
    }

    private <S> S built(JdbcStoreBuilder<S> builder) {
        options(builder);
        return builder.build();
    }

    final JdbiIdempotencyStore store(Jdbi jdbi) {
        return built(JdbiIdempotencyStore.builder(jdbi));
    }

    final JdbiIdempotencyStore store(DataSource source) {
        return built(JdbiIdempotencyStore.builder(source));
    }

    final JdbcIdempotencyStore plain(DataSource source) {
        return built(JdbcIdempotencyStore.builder(source));
    }

    /** Spares the server to plan a statement again for each of its values, while the tables grow. */
    abstract void planOnce(Connection connection) throws SQLException;

    @Override
    Connection connect() throws SQLException {
        return DriverManager.getConnection(url);
    }

    final TestedDatabase prepared() throws SQLException {
        Jdbi jdbi = Jdbi.create(url);
        store(jdbi).createTableIfMissing();
        jdbi.useHandle(handle -> {
            handle.execute("CREATE TABLE call_effect (id varchar(255) NOT NULL, result varchar(255) NOT NULL)");
            handle.execute("CREATE INDEX call_effect_id ON call_effect (id)");
        });
        return this;
    }

    static String settings(Connection connection) throws SQLException {
        return (connection.getAutoCommit() ? "autocommit" : "no autocommit")
                + (connection.isReadOnly() ? ", read only" : "");
    }

    private static final class OnH2 extends TestedDatabase {
        private final Connection keptOpen;

        OnH2() throws SQLException {
            super("H2", "jdbc:h2:mem:" + UUID.randomUUID() + ";QUERY_CACHE_SIZE=64", false);
            keptOpen = connect();
            prepared();
        }

        @Override
        String stateOf(Connection connection) throws SQLException {
            SessionLocal session =
                    (SessionLocal) connection.unwrap(JdbcConnection.class).getSession();
            return settings(connection) + ", lock_timeout " + session.getLockTimeout() + ", "
                    + session.getIsolationLevel() + (session.hasPendingTransaction() ? ", a transaction open" : "");
        }

        @Override
        SQLException closed() {
            return new SQLException("The object is already closed", "90007", 90007);
        }

        @Override
        SQLException cannotSend() {
            return closed();
        }

        @Override
        void planOnce(Connection connection) {}

        @Override
        public void close() throws SQLException {
            keptOpen.close();
        }
    }

    private static final class OnPostgreSql extends TestedDatabase {
        private static final String SETTINGS = """
                SELECT 'lock_timeout ' || current_setting('lock_timeout')
                    || ', synchronous_commit ' || current_setting('synchronous_commit')
                    || ', ' || current_setting('default_transaction_isolation')""";

        OnPostgreSql() throws SQLException {
            super("POSTGRESQL", PostgresServer.shared().createDatabase(), true, true);
            prepared();
        }

        @Override
        String stateOf(Connection connection) throws SQLException {
            TransactionState transaction =
                    connection.unwrap(BaseConnection.class).getTransactionState();
            return settings(connection) + (transaction == TransactionState.IDLE ? "" : ", a transaction open");
        }

        /** Asked outside of transactions, which the driver changes to without asking the server. */
        @Override
        String settingsOf(Connection connection) throws SQLException {
            boolean autoCommit = connection.getAutoCommit();
            connection.setAutoCommit(true);
            try (PreparedStatement statement = connection.prepareStatement(SETTINGS);
                    ResultSet rows = statement.executeQuery()) {
                rows.next();
                return rows.getString(1);
            } finally {
                connection.setAutoCommit(autoCommit);
            }
        }

        @Override
        void planOnce(Connection connection) throws SQLException {
            try (Statement statement = connection.createStatement()) {
                statement.execute("SET plan_cache_mode = force_generic_plan");
                statement.execute("SET enable_seqscan = off");
            }
        }

        @Override
        public void close() {
            PostgresServer.shared().giveBack(url);
        }
    }
}
