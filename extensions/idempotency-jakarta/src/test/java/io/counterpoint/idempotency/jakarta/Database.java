package io.counterpoint.idempotency.jakarta;

import static org.assertj.core.api.Assertions.assertThat;

import com.arjuna.ats.arjuna.common.ObjectStoreEnvironmentBean;
import com.arjuna.ats.jta.common.jtaPropertyManager;
import com.arjuna.common.internal.util.propertyservice.BeanPopulator;
import io.agroal.api.AgroalDataSource;
import io.agroal.api.configuration.AgroalConnectionPoolConfiguration.ConnectionValidator;
import io.agroal.api.configuration.supplier.AgroalDataSourceConfigurationSupplier;
import io.agroal.narayana.NarayanaTransactionIntegration;
import io.counterpoint.idempotency.testing.PostgresServer;
import jakarta.transaction.TransactionManager;
import jakarta.transaction.TransactionSynchronizationRegistry;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import javax.sql.DataSource;
import org.apache.tomcat.dbcp.dbcp2.PoolableConnection;
import org.apache.tomcat.dbcp.dbcp2.managed.DataSourceXAConnectionFactory;
import org.apache.tomcat.dbcp.dbcp2.managed.ManagedDataSource;
import org.apache.tomcat.dbcp.dbcp2.managed.PoolableManagedConnectionFactory;
import org.apache.tomcat.dbcp.dbcp2.managed.XAConnectionFactory;
import org.apache.tomcat.dbcp.pool2.impl.GenericObjectPool;
import org.postgresql.xa.PGXADataSource;

/** A database with the records' table and a domain, behind a data source that takes part in the transactions of Narayana. */
public final class Database implements AutoCloseable {

    /** How a data source takes part. */
    enum Way {
        /** A pool, which ends its connection's own transaction. */
        AGROAL,
        /** A pool of XA connections. */
        AGROAL_XA,
        /** DBCP over an XADataSource; each transaction has a new connection. */
        DBCP_XA
    }

    static {
        for (String store : new String[] {null, "communicationStore", "stateStore"}) {
            BeanPopulator.getNamedInstance(ObjectStoreEnvironmentBean.class, store)
                    .setObjectStoreDir("target/object-store");
        }
    }

    public static final TransactionManager TRANSACTIONS =
            jtaPropertyManager.getJTAEnvironmentBean().getTransactionManager();
    public static final TransactionSynchronizationRegistry REGISTRY =
            jtaPropertyManager.getJTAEnvironmentBean().getTransactionSynchronizationRegistry();

    private final String url;
    private final DataSource dataSource;

    private Database(String url, DataSource dataSource) {
        this.url = url;
        this.dataSource = dataSource;
    }

    static Database open(Way way) throws SQLException {
        String url = PostgresServer.shared().createDatabase();
        return open(url, dataSource(way, url, 64));
    }

    static Database open(String url, DataSource dataSource) {
        Database database = new Database(url, dataSource);
        database.store().createTableIfMissing();
        database.sql("CREATE TABLE effect (id varchar(255) NOT NULL)");
        database.sql("CREATE TABLE shared (name varchar(255) NOT NULL PRIMARY KEY, n int NOT NULL)");
        database.sql("CREATE TABLE account (id varchar(255) NOT NULL PRIMARY KEY, version bigint NOT NULL)");
        return database;
    }

    /** A data source to another address of a database. */
    static DataSource dataSource(Way way, String url, int size) throws SQLException {
        if (way == Way.DBCP_XA) {
            return dbcp(new DataSourceXAConnectionFactory(TRANSACTIONS, xa(url)), size);
        }
        return AgroalDataSource.from(new AgroalDataSourceConfigurationSupplier()
                .connectionPoolConfiguration(pool -> pool.maxSize(size)
                        .acquisitionTimeout(Duration.ofSeconds(10))
                        .validateOnBorrow(true)
                        .connectionValidator(ConnectionValidator.defaultValidator())
                        .transactionIntegration(new NarayanaTransactionIntegration(TRANSACTIONS, REGISTRY))
                        .connectionFactoryConfiguration(factory -> {
                            if (way == Way.AGROAL_XA) {
                                factory.connectionProviderClass(PGXADataSource.class);
                            }
                            return factory.jdbcUrl(url);
                        })));
    }

    private static PGXADataSource xa(String url) {
        PGXADataSource made = new PGXADataSource();
        made.setUrl(url);
        return made;
    }

    private static DataSource dbcp(XAConnectionFactory connections, int size) {
        PoolableManagedConnectionFactory poolable = new PoolableManagedConnectionFactory(connections, null);
        GenericObjectPool<PoolableConnection> pool = new GenericObjectPool<>(poolable);
        pool.setMaxTotal(size);
        pool.setMaxIdle(0);
        pool.setMaxWait(Duration.ofSeconds(10));
        poolable.setPool(pool);
        ManagedDataSource<PoolableConnection> made =
                new ManagedDataSource<>(pool, connections.getTransactionRegistry());
        made.setAccessToUnderlyingConnectionAllowed(true);
        return made;
    }

    static JakartaIdempotencyStore store(DataSource dataSource) {
        return JakartaIdempotencyStore.on(
                TRANSACTIONS,
                REGISTRY,
                dataSource,
                TransactionView.narayana(),
                options -> options.table("public.idempotency_record"));
    }

    JakartaIdempotencyStore store() {
        return store(dataSource);
    }

    /** Its table is checked, also where DBCP is refused for what it does after the manager's timeout. */
    public static JakartaIdempotencyStore checked(JakartaIdempotencyStore store) {
        try {
            return store.checkTable();
        } catch (IllegalStateException refused) {
            assertThat(refused).hasMessageContaining("commits separately").hasMessageContaining("Agroal");
            return store;
        }
    }

    String url() {
        return url;
    }

    DataSource dataSource() {
        return dataSource;
    }

    /** In the transaction of this thread, or alone. */
    void sql(String sql, String... values) {
        try (Connection connection = dataSource.getConnection();
                PreparedStatement statement = prepared(connection, sql, values)) {
            int unused = statement.executeUpdate();
        } catch (SQLException thrown) {
            throw Database.<RuntimeException>sneaky(thrown);
        }
    }

    static void sql(DataSource dataSource, String sql) {
        new Database("", dataSource).sql(sql);
    }

    List<String> query(String sql, String... values) {
        try (Connection connection = dataSource.getConnection()) {
            return query(connection, sql, values);
        } catch (SQLException thrown) {
            throw Database.<RuntimeException>sneaky(thrown);
        }
    }

    /** What is committed, past the data source. */
    List<String> committed(String sql, String... values) {
        try (Connection connection = DriverManager.getConnection(url)) {
            return query(connection, sql, values);
        } catch (SQLException thrown) {
            throw Database.<RuntimeException>sneaky(thrown);
        }
    }

    private static List<String> query(Connection connection, String sql, String... values) throws SQLException {
        try (PreparedStatement statement = prepared(connection, sql, values);
                ResultSet rows = statement.executeQuery()) {
            List<String> found = new ArrayList<>();
            while (rows.next()) {
                found.add(rows.getString(1));
            }
            return found;
        }
    }

    private static PreparedStatement prepared(Connection connection, String sql, String... values) throws SQLException {
        PreparedStatement statement = connection.prepareStatement(sql);
        for (int i = 0; i < values.length; i++) {
            statement.setString(i + 1, values[i]);
        }
        return statement;
    }

    /** Domains throw what a driver throws. */
    @SuppressWarnings("unchecked")
    private static <X extends Exception> RuntimeException sneaky(SQLException thrown) throws X {
        throw (X) thrown;
    }

    List<String> effects() {
        return committed("SELECT id FROM effect");
    }

    void empty() {
        sql("TRUNCATE idempotency_record, effect, account, shared");
        sql("INSERT INTO shared VALUES ('left', 0), ('right', 0)");
    }

    @Override
    public void close() throws Exception {
        ((AutoCloseable) dataSource).close();
        PostgresServer.shared().giveBack(url);
    }
}
