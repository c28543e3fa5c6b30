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

/** What a call returns, by names of parameters. */
abstract class GuardedNamedResults extends GuardedNamedParameters {

    GuardedNamedResults(Guard guard, CallableStatement delegate) {
        super(guard, delegate);
    }

    @Override
    public void registerOutParameter(String parameterName, int sqlType) throws SQLException {
        driver().registerOutParameter(parameterName, sqlType);
    }

    @Override
    public void registerOutParameter(String parameterName, SQLType sqlType) throws SQLException {
        driver().registerOutParameter(parameterName, sqlType);
    }

    @Override
    public void registerOutParameter(String parameterName, int sqlType, int scale) throws SQLException {
        driver().registerOutParameter(parameterName, sqlType, scale);
    }

    @Override
    public void registerOutParameter(String parameterName, int sqlType, String typeName) throws SQLException {
        driver().registerOutParameter(parameterName, sqlType, typeName);
    }

    @Override
    public void registerOutParameter(String parameterName, SQLType sqlType, int scale) throws SQLException {
        driver().registerOutParameter(parameterName, sqlType, scale);
    }

    @Override
    public void registerOutParameter(String parameterName, SQLType sqlType, String typeName) throws SQLException {
        driver().registerOutParameter(parameterName, sqlType, typeName);
    }

    @Override
    public String getString(String parameterName) throws SQLException {
        return driver().getString(parameterName);
    }

    @Override
    public boolean getBoolean(String parameterName) throws SQLException {
        return driver().getBoolean(parameterName);
    }

    @Override
    public byte getByte(String parameterName) throws SQLException {
        return driver().getByte(parameterName);
    }

    @Override
    public short getShort(String parameterName) throws SQLException {
        return driver().getShort(parameterName);
    }

    @Override
    public int getInt(String parameterName) throws SQLException {
        return driver().getInt(parameterName);
    }

    @Override
    public long getLong(String parameterName) throws SQLException {
        return driver().getLong(parameterName);
    }

    @Override
    public float getFloat(String parameterName) throws SQLException {
        return driver().getFloat(parameterName);
    }

    @Override
    public double getDouble(String parameterName) throws SQLException {
        return driver().getDouble(parameterName);
    }

    @Override
    public BigDecimal getBigDecimal(String parameterName) throws SQLException {
        return driver().getBigDecimal(parameterName);
    }

    @Override
    public byte[] getBytes(String parameterName) throws SQLException {
        return driver().getBytes(parameterName);
    }

    @Override
    public Date getDate(String parameterName) throws SQLException {
        return driver().getDate(parameterName);
    }

    @Override
    public Date getDate(String parameterName, Calendar cal) throws SQLException {
        return driver().getDate(parameterName, cal);
    }

    @Override
    public Time getTime(String parameterName) throws SQLException {
        return driver().getTime(parameterName);
    }

    @Override
    public Time getTime(String parameterName, Calendar cal) throws SQLException {
        return driver().getTime(parameterName, cal);
    }

    @Override
    public Timestamp getTimestamp(String parameterName) throws SQLException {
        return driver().getTimestamp(parameterName);
    }

    @Override
    public Timestamp getTimestamp(String parameterName, Calendar cal) throws SQLException {
        return driver().getTimestamp(parameterName, cal);
    }

    @Override
    public @Nullable Object getObject(String parameterName) throws SQLException {
        return guard.value(driver().getObject(parameterName));
    }

    @Override
    public <T> @Nullable T getObject(String parameterName, Class<T> type) throws SQLException {
        return guard.value(driver().getObject(parameterName, type), type);
    }

    @Override
    public @Nullable Object getObject(String parameterName, Map<String, Class<?>> map) throws SQLException {
        return guard.value(driver().getObject(parameterName, map));
    }

    @Override
    public Ref getRef(String parameterName) throws SQLException {
        throw Guard.unlisted("call getRef");
    }

    @Override
    public Blob getBlob(String parameterName) throws SQLException {
        return driver().getBlob(parameterName);
    }

    @Override
    public Clob getClob(String parameterName) throws SQLException {
        return driver().getClob(parameterName);
    }

    @Override
    public @Nullable Array getArray(String parameterName) throws SQLException {
        return guard.array(driver().getArray(parameterName));
    }

    @Override
    public URL getURL(String parameterName) throws SQLException {
        return driver().getURL(parameterName);
    }

    @Override
    public RowId getRowId(String parameterName) throws SQLException {
        return driver().getRowId(parameterName);
    }

    @Override
    public NClob getNClob(String parameterName) throws SQLException {
        return driver().getNClob(parameterName);
    }

    @Override
    public SQLXML getSQLXML(String parameterName) throws SQLException {
        return driver().getSQLXML(parameterName);
    }

    @Override
    public String getNString(String parameterName) throws SQLException {
        return driver().getNString(parameterName);
    }

    @Override
    public Reader getNCharacterStream(String parameterName) throws SQLException {
        return driver().getNCharacterStream(parameterName);
    }

    @Override
    public Reader getCharacterStream(String parameterName) throws SQLException {
        return driver().getCharacterStream(parameterName);
    }
}
