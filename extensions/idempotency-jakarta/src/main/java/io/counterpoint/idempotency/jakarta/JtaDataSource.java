package io.counterpoint.idempotency.jakarta;

import java.io.PrintWriter;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.SQLFeatureNotSupportedException;
import java.util.logging.Logger;
import javax.sql.DataSource;

/** Gives connections whose transactions are those of a transaction manager. */
record JtaDataSource(Manager manager) implements DataSource {

    @Override
    public Connection getConnection() throws SQLException {
        return JtaConnection.of(manager);
    }

    @Override
    public Connection getConnection(String user, String password) throws SQLException {
        throw new SQLFeatureNotSupportedException("The data source has its user");
    }

    @Override
    public PrintWriter getLogWriter() throws SQLException {
        return manager.dataSource().getLogWriter();
    }

    @Override
    public void setLogWriter(PrintWriter out) throws SQLException {
        manager.dataSource().setLogWriter(out);
    }

    @Override
    public void setLoginTimeout(int seconds) throws SQLException {
        manager.dataSource().setLoginTimeout(seconds);
    }

    @Override
    public int getLoginTimeout() throws SQLException {
        return manager.dataSource().getLoginTimeout();
    }

    @Override
    public Logger getParentLogger() throws SQLFeatureNotSupportedException {
        return manager.dataSource().getParentLogger();
    }

    @Override
    public <T> T unwrap(Class<T> type) throws SQLException {
        return manager.dataSource().unwrap(type);
    }

    @Override
    public boolean isWrapperFor(Class<?> type) throws SQLException {
        return manager.dataSource().isWrapperFor(type);
    }
}
