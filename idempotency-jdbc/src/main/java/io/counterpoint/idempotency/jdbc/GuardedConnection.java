package io.counterpoint.idempotency.jdbc;

import java.sql.Array;
import java.sql.Blob;
import java.sql.CallableStatement;
import java.sql.Clob;
import java.sql.Connection;
import java.sql.DatabaseMetaData;
import java.sql.NClob;
import java.sql.PreparedStatement;
import java.sql.SQLClientInfoException;
import java.sql.SQLException;
import java.sql.SQLWarning;
import java.sql.SQLXML;
import java.sql.Savepoint;
import java.sql.Statement;
import java.sql.Struct;
import java.util.Map;
import java.util.Properties;
import java.util.concurrent.Executor;

/**
 * A connection that refuses to end its transaction: what domain code sees. Everything else passes.
 *
 * <p>It says that autocommit is off, so Jdbi joins the transaction instead of beginning or ending one.
 */
final class GuardedConnection implements Connection {

    private final Connection delegate;
    private final boolean initialAutoCommit;
    private boolean ended;
    private boolean closeWasAsked;

    GuardedConnection(Connection delegate) throws SQLException {
        this.delegate = delegate;
        this.initialAutoCommit = delegate.getAutoCommit();
    }

    Connection delegate() {
        return delegate;
    }

    boolean initialAutoCommit() {
        return initialAutoCommit;
    }

    /** Lets Jdbi do what follows an end that has already happened: its callbacks and its own book-keeping. */
    void ended(Runnable bookKeeping) {
        ended = true;
        try {
            bookKeeping.run();
        } finally {
            ended = false;
        }
    }

    /** Whether the work closed its handle, which was refused and which Jdbi will not do a second time. */
    boolean closeWasAsked() {
        return closeWasAsked;
    }

    private void refuse(String what) throws SQLException {
        if (!ended) {
            throw new SQLException(
                    "Refused to " + what + ": this transaction belongs to an idempotent operation, whose record has to"
                            + " commit with it. Return from the work to commit, throw to roll back.",
                    "2D000");
        }
    }

    @Override
    public boolean getAutoCommit() {
        return false;
    }

    @Override
    public void setAutoCommit(boolean on) throws SQLException {
        if (on) {
            refuse("turn autocommit on");
        }
    }

    @Override
    public void commit() throws SQLException {
        refuse("commit");
    }

    @Override
    public void rollback() throws SQLException {
        refuse("roll back");
    }

    @Override
    public void close() throws SQLException {
        closeWasAsked = true;
        refuse("close the connection");
        delegate.close();
    }

    @Override
    public void abort(Executor executor) throws SQLException {
        refuse("abort the connection");
    }

    @Override
    public <T> T unwrap(Class<T> type) throws SQLException {
        return delegate.unwrap(type);
    }

    @Override
    public boolean isWrapperFor(Class<?> type) throws SQLException {
        return delegate.isWrapperFor(type);
    }

    // ---- what passes ---------------------------------------------------------------------------------------------

    @Override
    public Statement createStatement() throws SQLException {
        return delegate.createStatement();
    }

    @Override
    public PreparedStatement prepareStatement(String a) throws SQLException {
        return delegate.prepareStatement(a);
    }

    @Override
    public CallableStatement prepareCall(String a) throws SQLException {
        return delegate.prepareCall(a);
    }

    @Override
    public String nativeSQL(String a) throws SQLException {
        return delegate.nativeSQL(a);
    }

    @Override
    public boolean isClosed() throws SQLException {
        return delegate.isClosed();
    }

    @Override
    public DatabaseMetaData getMetaData() throws SQLException {
        return delegate.getMetaData();
    }

    @Override
    public void setReadOnly(boolean a) throws SQLException {
        delegate.setReadOnly(a);
    }

    @Override
    public boolean isReadOnly() throws SQLException {
        return delegate.isReadOnly();
    }

    @Override
    public void setCatalog(String a) throws SQLException {
        delegate.setCatalog(a);
    }

    @Override
    public String getCatalog() throws SQLException {
        return delegate.getCatalog();
    }

    @Override
    public void setTransactionIsolation(int a) throws SQLException {
        delegate.setTransactionIsolation(a);
    }

    @Override
    public int getTransactionIsolation() throws SQLException {
        return delegate.getTransactionIsolation();
    }

    @Override
    public SQLWarning getWarnings() throws SQLException {
        return delegate.getWarnings();
    }

    @Override
    public void clearWarnings() throws SQLException {
        delegate.clearWarnings();
    }

    @Override
    public Statement createStatement(int a, int b) throws SQLException {
        return delegate.createStatement(a, b);
    }

    @Override
    public PreparedStatement prepareStatement(String a, int b, int c) throws SQLException {
        return delegate.prepareStatement(a, b, c);
    }

    @Override
    public CallableStatement prepareCall(String a, int b, int c) throws SQLException {
        return delegate.prepareCall(a, b, c);
    }

    @Override
    public Map<String, Class<?>> getTypeMap() throws SQLException {
        return delegate.getTypeMap();
    }

    @Override
    public void setTypeMap(Map<String, Class<?>> a) throws SQLException {
        delegate.setTypeMap(a);
    }

    @Override
    public void setHoldability(int a) throws SQLException {
        delegate.setHoldability(a);
    }

    @Override
    public int getHoldability() throws SQLException {
        return delegate.getHoldability();
    }

    @Override
    public Savepoint setSavepoint() throws SQLException {
        return delegate.setSavepoint();
    }

    @Override
    public Savepoint setSavepoint(String a) throws SQLException {
        return delegate.setSavepoint(a);
    }

    @Override
    public void rollback(Savepoint a) throws SQLException {
        delegate.rollback(a);
    }

    @Override
    public void releaseSavepoint(Savepoint a) throws SQLException {
        delegate.releaseSavepoint(a);
    }

    @Override
    public Statement createStatement(int a, int b, int c) throws SQLException {
        return delegate.createStatement(a, b, c);
    }

    @Override
    public PreparedStatement prepareStatement(String a, int b, int c, int d) throws SQLException {
        return delegate.prepareStatement(a, b, c, d);
    }

    @Override
    public CallableStatement prepareCall(String a, int b, int c, int d) throws SQLException {
        return delegate.prepareCall(a, b, c, d);
    }

    @Override
    public PreparedStatement prepareStatement(String a, int b) throws SQLException {
        return delegate.prepareStatement(a, b);
    }

    @Override
    public PreparedStatement prepareStatement(String a, int[] b) throws SQLException {
        return delegate.prepareStatement(a, b);
    }

    @Override
    public PreparedStatement prepareStatement(String a, String[] b) throws SQLException {
        return delegate.prepareStatement(a, b);
    }

    @Override
    public Clob createClob() throws SQLException {
        return delegate.createClob();
    }

    @Override
    public Blob createBlob() throws SQLException {
        return delegate.createBlob();
    }

    @Override
    public NClob createNClob() throws SQLException {
        return delegate.createNClob();
    }

    @Override
    public SQLXML createSQLXML() throws SQLException {
        return delegate.createSQLXML();
    }

    @Override
    public boolean isValid(int a) throws SQLException {
        return delegate.isValid(a);
    }

    @Override
    public void setClientInfo(String a, String b) throws SQLClientInfoException {
        delegate.setClientInfo(a, b);
    }

    @Override
    public void setClientInfo(Properties a) throws SQLClientInfoException {
        delegate.setClientInfo(a);
    }

    @Override
    public String getClientInfo(String a) throws SQLException {
        return delegate.getClientInfo(a);
    }

    @Override
    public Properties getClientInfo() throws SQLException {
        return delegate.getClientInfo();
    }

    @Override
    public Array createArrayOf(String a, Object[] b) throws SQLException {
        return delegate.createArrayOf(a, b);
    }

    @Override
    public Struct createStruct(String a, Object[] b) throws SQLException {
        return delegate.createStruct(a, b);
    }

    @Override
    public void setSchema(String a) throws SQLException {
        delegate.setSchema(a);
    }

    @Override
    public String getSchema() throws SQLException {
        return delegate.getSchema();
    }

    @Override
    public void setNetworkTimeout(Executor a, int b) throws SQLException {
        delegate.setNetworkTimeout(a, b);
    }

    @Override
    public int getNetworkTimeout() throws SQLException {
        return delegate.getNetworkTimeout();
    }
}
