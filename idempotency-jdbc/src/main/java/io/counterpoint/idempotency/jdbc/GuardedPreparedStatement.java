package io.counterpoint.idempotency.jdbc;

import java.io.InputStream;
import java.io.Reader;
import java.sql.Blob;
import java.sql.Clob;
import java.sql.NClob;
import java.sql.ParameterMetaData;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.ResultSetMetaData;
import java.sql.SQLException;
import java.sql.SQLXML;
import org.jspecify.annotations.Nullable;

/** A prepared statement of guarded work: what runs it, and parameters that are streams. */
class GuardedPreparedStatement<S extends PreparedStatement> extends GuardedParameters<S> {

    GuardedPreparedStatement(Guard guard, S delegate) {
        super(guard, delegate);
    }

    @Override
    public @Nullable ResultSet executeQuery() throws SQLException {
        return guard.result(guard.answered(driver().executeQuery()), this);
    }

    @Override
    public int executeUpdate() throws SQLException {
        return guard.answered(driver().executeUpdate());
    }

    @Override
    public void setAsciiStream(int parameterIndex, InputStream x) throws SQLException {
        driver().setAsciiStream(parameterIndex, x);
    }

    @Override
    public void setAsciiStream(int parameterIndex, InputStream x, int length) throws SQLException {
        driver().setAsciiStream(parameterIndex, x, length);
    }

    @Override
    public void setAsciiStream(int parameterIndex, InputStream x, long length) throws SQLException {
        driver().setAsciiStream(parameterIndex, x, length);
    }

    @Override
    @Deprecated
    @SuppressWarnings("deprecation")
    public void setUnicodeStream(int parameterIndex, InputStream x, int length) throws SQLException {
        driver().setUnicodeStream(parameterIndex, x, length);
    }

    @Override
    public void setBinaryStream(int parameterIndex, InputStream x) throws SQLException {
        driver().setBinaryStream(parameterIndex, x);
    }

    @Override
    public void setBinaryStream(int parameterIndex, InputStream x, int length) throws SQLException {
        driver().setBinaryStream(parameterIndex, x, length);
    }

    @Override
    public void setBinaryStream(int parameterIndex, InputStream x, long length) throws SQLException {
        driver().setBinaryStream(parameterIndex, x, length);
    }

    @Override
    public void clearParameters() throws SQLException {
        driver().clearParameters();
    }

    @Override
    public boolean execute() throws SQLException {
        return guard.answered(driver().execute());
    }

    @Override
    public void addBatch() throws SQLException {
        driver().addBatch();
    }

    @Override
    public void setCharacterStream(int parameterIndex, Reader reader) throws SQLException {
        driver().setCharacterStream(parameterIndex, reader);
    }

    @Override
    public void setCharacterStream(int parameterIndex, Reader reader, int length) throws SQLException {
        driver().setCharacterStream(parameterIndex, reader, length);
    }

    @Override
    public void setCharacterStream(int parameterIndex, Reader reader, long length) throws SQLException {
        driver().setCharacterStream(parameterIndex, reader, length);
    }

    @Override
    public void setBlob(int parameterIndex, InputStream inputStream) throws SQLException {
        driver().setBlob(parameterIndex, inputStream);
    }

    @Override
    public void setBlob(int parameterIndex, Blob x) throws SQLException {
        driver().setBlob(parameterIndex, x);
    }

    @Override
    public void setBlob(int parameterIndex, InputStream inputStream, long length) throws SQLException {
        driver().setBlob(parameterIndex, inputStream, length);
    }

    @Override
    public void setClob(int parameterIndex, Reader reader) throws SQLException {
        driver().setClob(parameterIndex, reader);
    }

    @Override
    public void setClob(int parameterIndex, Clob x) throws SQLException {
        driver().setClob(parameterIndex, x);
    }

    @Override
    public void setClob(int parameterIndex, Reader reader, long length) throws SQLException {
        driver().setClob(parameterIndex, reader, length);
    }

    @Override
    public ResultSetMetaData getMetaData() throws SQLException {
        return driver().getMetaData();
    }

    @Override
    public ParameterMetaData getParameterMetaData() throws SQLException {
        return driver().getParameterMetaData();
    }

    @Override
    public void setNCharacterStream(int parameterIndex, Reader value) throws SQLException {
        driver().setNCharacterStream(parameterIndex, value);
    }

    @Override
    public void setNCharacterStream(int parameterIndex, Reader value, long length) throws SQLException {
        driver().setNCharacterStream(parameterIndex, value, length);
    }

    @Override
    public void setNClob(int parameterIndex, Reader reader) throws SQLException {
        driver().setNClob(parameterIndex, reader);
    }

    @Override
    public void setNClob(int parameterIndex, NClob value) throws SQLException {
        driver().setNClob(parameterIndex, value);
    }

    @Override
    public void setNClob(int parameterIndex, Reader reader, long length) throws SQLException {
        driver().setNClob(parameterIndex, reader, length);
    }

    @Override
    public void setSQLXML(int parameterIndex, SQLXML xmlObject) throws SQLException {
        driver().setSQLXML(parameterIndex, xmlObject);
    }

    @Override
    public long executeLargeUpdate() throws SQLException {
        return guard.answered(driver().executeLargeUpdate());
    }
}
