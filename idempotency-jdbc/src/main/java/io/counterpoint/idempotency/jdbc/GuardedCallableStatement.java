package io.counterpoint.idempotency.jdbc;

import java.io.Reader;
import java.math.BigDecimal;
import java.net.URL;
import java.sql.Array;
import java.sql.Blob;
import java.sql.CallableStatement;
import java.sql.Clob;
import java.sql.Date;
import java.sql.NClob;
import java.sql.Ref;
import java.sql.RowId;
import java.sql.SQLException;
import java.sql.SQLType;
import java.sql.SQLXML;
import java.sql.Time;
import java.sql.Timestamp;
import java.util.Calendar;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** A call of guarded work, and what it returns by positions of parameters. */
final class GuardedCallableStatement extends GuardedNamedResults {

    GuardedCallableStatement(Guard guard, CallableStatement delegate) {
        super(guard, delegate);
    }

    @Override
    public void registerOutParameter(int parameterIndex, int sqlType) throws SQLException {
        driver().registerOutParameter(parameterIndex, sqlType);
    }

    @Override
    public void registerOutParameter(int parameterIndex, SQLType sqlType) throws SQLException {
        driver().registerOutParameter(parameterIndex, sqlType);
    }

    @Override
    public void registerOutParameter(int parameterIndex, int sqlType, int scale) throws SQLException {
        driver().registerOutParameter(parameterIndex, sqlType, scale);
    }

    @Override
    public void registerOutParameter(int parameterIndex, int sqlType, String typeName) throws SQLException {
        driver().registerOutParameter(parameterIndex, sqlType, typeName);
    }

    @Override
    public void registerOutParameter(int parameterIndex, SQLType sqlType, int scale) throws SQLException {
        driver().registerOutParameter(parameterIndex, sqlType, scale);
    }

    @Override
    public void registerOutParameter(int parameterIndex, SQLType sqlType, String typeName) throws SQLException {
        driver().registerOutParameter(parameterIndex, sqlType, typeName);
    }

    @Override
    public boolean wasNull() throws SQLException {
        return driver().wasNull();
    }

    @Override
    public String getString(int parameterIndex) throws SQLException {
        return driver().getString(parameterIndex);
    }

    @Override
    public boolean getBoolean(int parameterIndex) throws SQLException {
        return driver().getBoolean(parameterIndex);
    }

    @Override
    public byte getByte(int parameterIndex) throws SQLException {
        return driver().getByte(parameterIndex);
    }

    @Override
    public short getShort(int parameterIndex) throws SQLException {
        return driver().getShort(parameterIndex);
    }

    @Override
    public int getInt(int parameterIndex) throws SQLException {
        return driver().getInt(parameterIndex);
    }

    @Override
    public long getLong(int parameterIndex) throws SQLException {
        return driver().getLong(parameterIndex);
    }

    @Override
    public float getFloat(int parameterIndex) throws SQLException {
        return driver().getFloat(parameterIndex);
    }

    @Override
    public double getDouble(int parameterIndex) throws SQLException {
        return driver().getDouble(parameterIndex);
    }

    @Override
    public BigDecimal getBigDecimal(int parameterIndex) throws SQLException {
        return driver().getBigDecimal(parameterIndex);
    }

    @Override
    @Deprecated
    @SuppressWarnings("deprecation")
    public BigDecimal getBigDecimal(int parameterIndex, int scale) throws SQLException {
        return driver().getBigDecimal(parameterIndex, scale);
    }

    @Override
    public byte[] getBytes(int parameterIndex) throws SQLException {
        return driver().getBytes(parameterIndex);
    }

    @Override
    public Date getDate(int parameterIndex) throws SQLException {
        return driver().getDate(parameterIndex);
    }

    @Override
    public Date getDate(int parameterIndex, Calendar cal) throws SQLException {
        return driver().getDate(parameterIndex, cal);
    }

    @Override
    public Time getTime(int parameterIndex) throws SQLException {
        return driver().getTime(parameterIndex);
    }

    @Override
    public Time getTime(int parameterIndex, Calendar cal) throws SQLException {
        return driver().getTime(parameterIndex, cal);
    }

    @Override
    public Timestamp getTimestamp(int parameterIndex) throws SQLException {
        return driver().getTimestamp(parameterIndex);
    }

    @Override
    public Timestamp getTimestamp(int parameterIndex, Calendar cal) throws SQLException {
        return driver().getTimestamp(parameterIndex, cal);
    }

    @Override
    public @Nullable Object getObject(int parameterIndex) throws SQLException {
        return guard.value(driver().getObject(parameterIndex));
    }

    @Override
    public <T> @Nullable T getObject(int parameterIndex, Class<T> type) throws SQLException {
        return guard.value(driver().getObject(parameterIndex, type), type);
    }

    @Override
    public @Nullable Object getObject(int parameterIndex, Map<String, Class<?>> map) throws SQLException {
        return guard.value(driver().getObject(parameterIndex, map));
    }

    @Override
    public Ref getRef(int parameterIndex) throws SQLException {
        throw Guard.unlisted("call getRef");
    }

    @Override
    public Blob getBlob(int parameterIndex) throws SQLException {
        return driver().getBlob(parameterIndex);
    }

    @Override
    public Clob getClob(int parameterIndex) throws SQLException {
        return driver().getClob(parameterIndex);
    }

    @Override
    public @Nullable Array getArray(int parameterIndex) throws SQLException {
        return guard.array(driver().getArray(parameterIndex));
    }

    @Override
    public URL getURL(int parameterIndex) throws SQLException {
        return driver().getURL(parameterIndex);
    }

    @Override
    public RowId getRowId(int parameterIndex) throws SQLException {
        return driver().getRowId(parameterIndex);
    }

    @Override
    public NClob getNClob(int parameterIndex) throws SQLException {
        return driver().getNClob(parameterIndex);
    }

    @Override
    public SQLXML getSQLXML(int parameterIndex) throws SQLException {
        return driver().getSQLXML(parameterIndex);
    }

    @Override
    public String getNString(int parameterIndex) throws SQLException {
        return driver().getNString(parameterIndex);
    }

    @Override
    public Reader getNCharacterStream(int parameterIndex) throws SQLException {
        return driver().getNCharacterStream(parameterIndex);
    }

    @Override
    public Reader getCharacterStream(int parameterIndex) throws SQLException {
        return driver().getCharacterStream(parameterIndex);
    }
}
