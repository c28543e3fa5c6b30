package io.counterpoint.idempotency.trial;

import io.counterpoint.idempotency.jdbc.JdbcStoreBuilder;
import io.counterpoint.idempotency.jdbc.hsqldb.HsqldbDialect;
import io.counterpoint.idempotency.jdbc.spi.Dialect;
import io.counterpoint.idempotency.jdbc.spi.RecordTable;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Proxy;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.UUID;

/** An empty database of HSQLDB, in memory until its last connection is closed. */
final class OnHsqldb extends TestedDatabase {

    private static final Dialect DIALECT = new HsqldbDialect(new RecordTable("public", "idempotency_record"));

    private final Connection keptOpen;

    private OnHsqldb() throws SQLException {
        super(
                "HSQLDB",
                "jdbc:hsqldb:mem:" + UUID.randomUUID() + ";hsqldb.tx=mvcc;sql.pad_space=false;shutdown=true",
                DIALECT.losesStepByErrors());
        keptOpen = connect();
    }

    /** HSQLDB forgets at every statement that its thread is interrupted, also at those of the work. So its driver is wrapped. */
    @Override
    Connection connect() throws SQLException {
        return (Connection) keepingInterrupts(Connection.class, super.connect());
    }

    private static Object keepingInterrupts(Class<?> type, Object target) {
        return Proxy.newProxyInstance(OnHsqldb.class.getClassLoader(), new Class<?>[] {type}, (proxy, method, args) -> {
            boolean interrupted = method.getName().startsWith("execute") && Thread.interrupted();
            try {
                Object result = method.invoke(target, args);
                boolean isStatement = result instanceof Statement && method.getReturnType() != Object.class;
                return isStatement ? keepingInterrupts(method.getReturnType(), result) : result;
            } catch (InvocationTargetException thrown) {
                throw thrown.getCause();
            } finally {
                if (interrupted) {
                    Thread.currentThread().interrupt();
                }
            }
        });
    }

    static TestedDatabase create() throws SQLException {
        return new OnHsqldb().prepared();
    }

    @Override
    void options(JdbcStoreBuilder<?> builder) {
        builder.dialect(DIALECT);
    }

    /** To ask for the view of sessions begins no transaction. */
    @Override
    String stateOf(Connection connection) throws SQLException {
        try (Statement statement = connection.createStatement();
                ResultSet rows = statement.executeQuery(
                        "SELECT transaction FROM information_schema.system_sessions WHERE session_id = SESSION_ID()")) {
            rows.next();
            return settings(connection) + ", isolation " + connection.getTransactionIsolation()
                    + (rows.getBoolean(1) ? ", a transaction open" : "");
        }
    }

    @Override
    SQLException closed() {
        return new SQLException("connection exception: connection does not exist", "08003", -1303);
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
