package io.counterpoint.idempotency.jdbc;

import java.io.InputStream;
import java.io.Reader;
import java.math.BigDecimal;
import java.net.URL;
import java.sql.Blob;
import java.sql.CallableStatement;
import java.sql.Clob;
import java.sql.Date;
import java.sql.NClob;
import java.sql.RowId;
import java.sql.SQLException;
import java.sql.SQLType;
import java.sql.SQLXML;
import java.sql.Time;
import java.sql.Timestamp;
import java.util.Calendar;

/** Parameters of a call that are set by their names. */
abstract class GuardedNamedParameters extends GuardedPreparedStatement<CallableStatement> implements CallableStatement {

    GuardedNamedParameters(Guard guard, CallableStatement delegate) {
        super(guard, delegate);
    }

    @Override
    public void setURL(String parameterName, URL val) throws SQLException {
        driver().setURL(parameterName, val);
    }

    @Override
    public void setNull(String parameterName, int sqlType) throws SQLException {
        driver().setNull(parameterName, sqlType);
    }

    @Override
    public void setNull(String parameterName, int sqlType, String typeName) throws SQLException {
        driver().setNull(parameterName, sqlType, typeName);
    }

    @Override
    public void setBoolean(String parameterName, boolean x) throws SQLException {
        driver().setBoolean(parameterName, x);
    }

    @Override
    public void setByte(String parameterName, byte x) throws SQLException {
        driver().setByte(parameterName, x);
    }

    @Override
    public void setShort(String parameterName, short x) throws SQLException {
        driver().setShort(parameterName, x);
    }

    @Override
    public void setInt(String parameterName, int x) throws SQLException {
        driver().setInt(parameterName, x);
    }

    @Override
    public void setLong(String parameterName, long x) throws SQLException {
        driver().setLong(parameterName, x);
    }

    @Override
    public void setFloat(String parameterName, float x) throws SQLException {
        driver().setFloat(parameterName, x);
    }

    @Override
    public void setDouble(String parameterName, double x) throws SQLException {
        driver().setDouble(parameterName, x);
    }

    @Override
    public void setBigDecimal(String parameterName, BigDecimal x) throws SQLException {
        driver().setBigDecimal(parameterName, x);
    }

    @Override
    public void setString(String parameterName, String x) throws SQLException {
        driver().setString(parameterName, x);
    }

    @Override
    public void setBytes(String parameterName, byte[] x) throws SQLException {
        driver().setBytes(parameterName, x);
    }

    @Override
    public void setDate(String parameterName, Date x) throws SQLException {
        driver().setDate(parameterName, x);
    }

    @Override
    public void setDate(String parameterName, Date x, Calendar cal) throws SQLException {
        driver().setDate(parameterName, x, cal);
    }

    @Override
    public void setTime(String parameterName, Time x) throws SQLException {
        driver().setTime(parameterName, x);
    }

    @Override
    public void setTime(String parameterName, Time x, Calendar cal) throws SQLException {
        driver().setTime(parameterName, x, cal);
    }

    @Override
    public void setTimestamp(String parameterName, Timestamp x) throws SQLException {
        driver().setTimestamp(parameterName, x);
    }

    @Override
    public void setTimestamp(String parameterName, Timestamp x, Calendar cal) throws SQLException {
        driver().setTimestamp(parameterName, x, cal);
    }

    @Override
    public void setAsciiStream(String parameterName, InputStream x) throws SQLException {
        driver().setAsciiStream(parameterName, x);
    }

    @Override
    public void setAsciiStream(String parameterName, InputStream x, int length) throws SQLException {
        driver().setAsciiStream(parameterName, x, length);
    }

    @Override
    public void setAsciiStream(String parameterName, InputStream x, long length) throws SQLException {
        driver().setAsciiStream(parameterName, x, length);
    }

    @Override
    public void setBinaryStream(String parameterName, InputStream x) throws SQLException {
        driver().setBinaryStream(parameterName, x);
    }

    @Override
    public void setBinaryStream(String parameterName, InputStream x, int length) throws SQLException {
        driver().setBinaryStream(parameterName, x, length);
    }

    @Override
    public void setBinaryStream(String parameterName, InputStream x, long length) throws SQLException {
        driver().setBinaryStream(parameterName, x, length);
    }

    @Override
    public void setObject(String parameterName, Object x) throws SQLException {
        driver().setObject(parameterName, Guard.bare(x));
    }

    @Override
    public void setObject(String parameterName, Object x, int targetSqlType) throws SQLException {
        driver().setObject(parameterName, Guard.bare(x), targetSqlType);
    }

    @Override
    public void setObject(String parameterName, Object x, SQLType targetSqlType) throws SQLException {
        driver().setObject(parameterName, Guard.bare(x), targetSqlType);
    }

    @Override
    public void setObject(String parameterName, Object x, int targetSqlType, int scale) throws SQLException {
        driver().setObject(parameterName, Guard.bare(x), targetSqlType, scale);
    }

    @Override
    public void setObject(String parameterName, Object x, SQLType targetSqlType, int scaleOrLength)
            throws SQLException {
        driver().setObject(parameterName, Guard.bare(x), targetSqlType, scaleOrLength);
    }

    @Override
    public void setCharacterStream(String parameterName, Reader reader) throws SQLException {
        driver().setCharacterStream(parameterName, reader);
    }

    @Override
    public void setCharacterStream(String parameterName, Reader reader, int length) throws SQLException {
        driver().setCharacterStream(parameterName, reader, length);
    }

    @Override
    public void setCharacterStream(String parameterName, Reader reader, long length) throws SQLException {
        driver().setCharacterStream(parameterName, reader, length);
    }

    @Override
    public void setRowId(String parameterName, RowId x) throws SQLException {
        driver().setRowId(parameterName, x);
    }

    @Override
    public void setNString(String parameterName, String value) throws SQLException {
        driver().setNString(parameterName, value);
    }

    @Override
    public void setNCharacterStream(String parameterName, Reader value) throws SQLException {
        driver().setNCharacterStream(parameterName, value);
    }

    @Override
    public void setNCharacterStream(String parameterName, Reader value, long length) throws SQLException {
        driver().setNCharacterStream(parameterName, value, length);
    }

    @Override
    public void setNClob(String parameterName, Reader reader) throws SQLException {
        driver().setNClob(parameterName, reader);
    }

    @Override
    public void setNClob(String parameterName, NClob value) throws SQLException {
        driver().setNClob(parameterName, value);
    }

    @Override
    public void setNClob(String parameterName, Reader reader, long length) throws SQLException {
        driver().setNClob(parameterName, reader, length);
    }

    @Override
    public void setClob(String parameterName, Reader reader) throws SQLException {
        driver().setClob(parameterName, reader);
    }

    @Override
    public void setClob(String parameterName, Clob x) throws SQLException {
        driver().setClob(parameterName, x);
    }

    @Override
    public void setClob(String parameterName, Reader reader, long length) throws SQLException {
        driver().setClob(parameterName, reader, length);
    }

    @Override
    public void setBlob(String parameterName, InputStream inputStream) throws SQLException {
        driver().setBlob(parameterName, inputStream);
    }

    @Override
    public void setBlob(String parameterName, Blob x) throws SQLException {
        driver().setBlob(parameterName, x);
    }

    @Override
    public void setBlob(String parameterName, InputStream inputStream, long length) throws SQLException {
        driver().setBlob(parameterName, inputStream, length);
    }

    @Override
    public void setSQLXML(String parameterName, SQLXML xmlObject) throws SQLException {
        driver().setSQLXML(parameterName, xmlObject);
    }
}
