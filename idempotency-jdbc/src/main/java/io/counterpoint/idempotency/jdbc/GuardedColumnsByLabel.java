package io.counterpoint.idempotency.jdbc;

import java.io.InputStream;
import java.io.Reader;
import java.math.BigDecimal;
import java.net.URL;
import java.sql.Array;
import java.sql.Blob;
import java.sql.Clob;
import java.sql.Date;
import java.sql.NClob;
import java.sql.Ref;
import java.sql.ResultSet;
import java.sql.RowId;
import java.sql.SQLException;
import java.sql.SQLXML;
import java.sql.Statement;
import java.sql.Time;
import java.sql.Timestamp;
import java.util.Calendar;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** Columns that are read by their labels. */
abstract class GuardedColumnsByLabel extends GuardedCursor {

    GuardedColumnsByLabel(Guard guard, ResultSet delegate, @Nullable Statement statement) {
        super(guard, delegate, statement);
    }

    @Override
    public String getString(String columnLabel) throws SQLException {
        return driver().getString(columnLabel);
    }

    @Override
    public boolean getBoolean(String columnLabel) throws SQLException {
        return driver().getBoolean(columnLabel);
    }

    @Override
    public byte getByte(String columnLabel) throws SQLException {
        return driver().getByte(columnLabel);
    }

    @Override
    public short getShort(String columnLabel) throws SQLException {
        return driver().getShort(columnLabel);
    }

    @Override
    public int getInt(String columnLabel) throws SQLException {
        return driver().getInt(columnLabel);
    }

    @Override
    public long getLong(String columnLabel) throws SQLException {
        return driver().getLong(columnLabel);
    }

    @Override
    public float getFloat(String columnLabel) throws SQLException {
        return driver().getFloat(columnLabel);
    }

    @Override
    public double getDouble(String columnLabel) throws SQLException {
        return driver().getDouble(columnLabel);
    }

    @Override
    public BigDecimal getBigDecimal(String columnLabel) throws SQLException {
        return driver().getBigDecimal(columnLabel);
    }

    @Override
    @Deprecated
    @SuppressWarnings("deprecation")
    public BigDecimal getBigDecimal(String columnLabel, int scale) throws SQLException {
        return driver().getBigDecimal(columnLabel, scale);
    }

    @Override
    public byte[] getBytes(String columnLabel) throws SQLException {
        return driver().getBytes(columnLabel);
    }

    @Override
    public Date getDate(String columnLabel) throws SQLException {
        return driver().getDate(columnLabel);
    }

    @Override
    public Date getDate(String columnLabel, Calendar cal) throws SQLException {
        return driver().getDate(columnLabel, cal);
    }

    @Override
    public Time getTime(String columnLabel) throws SQLException {
        return driver().getTime(columnLabel);
    }

    @Override
    public Time getTime(String columnLabel, Calendar cal) throws SQLException {
        return driver().getTime(columnLabel, cal);
    }

    @Override
    public Timestamp getTimestamp(String columnLabel) throws SQLException {
        return driver().getTimestamp(columnLabel);
    }

    @Override
    public Timestamp getTimestamp(String columnLabel, Calendar cal) throws SQLException {
        return driver().getTimestamp(columnLabel, cal);
    }

    @Override
    public InputStream getAsciiStream(String columnLabel) throws SQLException {
        return driver().getAsciiStream(columnLabel);
    }

    @Override
    @Deprecated
    @SuppressWarnings("deprecation")
    public InputStream getUnicodeStream(String columnLabel) throws SQLException {
        return driver().getUnicodeStream(columnLabel);
    }

    @Override
    public InputStream getBinaryStream(String columnLabel) throws SQLException {
        return driver().getBinaryStream(columnLabel);
    }

    @Override
    public @Nullable Object getObject(String columnLabel) throws SQLException {
        return guard.value(driver().getObject(columnLabel));
    }

    @Override
    public <T> @Nullable T getObject(String columnLabel, Class<T> type) throws SQLException {
        return guard.value(driver().getObject(columnLabel, type), type);
    }

    @Override
    public @Nullable Object getObject(String columnLabel, Map<String, Class<?>> map) throws SQLException {
        return guard.value(driver().getObject(columnLabel, map));
    }

    @Override
    public Reader getCharacterStream(String columnLabel) throws SQLException {
        return driver().getCharacterStream(columnLabel);
    }

    @Override
    public Ref getRef(String columnLabel) throws SQLException {
        throw Guard.unlisted("call getRef");
    }

    @Override
    public Blob getBlob(String columnLabel) throws SQLException {
        return driver().getBlob(columnLabel);
    }

    @Override
    public Clob getClob(String columnLabel) throws SQLException {
        return driver().getClob(columnLabel);
    }

    @Override
    public @Nullable Array getArray(String columnLabel) throws SQLException {
        return guard.array(driver().getArray(columnLabel));
    }

    @Override
    public URL getURL(String columnLabel) throws SQLException {
        return driver().getURL(columnLabel);
    }

    @Override
    public RowId getRowId(String columnLabel) throws SQLException {
        return driver().getRowId(columnLabel);
    }

    @Override
    public NClob getNClob(String columnLabel) throws SQLException {
        return driver().getNClob(columnLabel);
    }

    @Override
    public SQLXML getSQLXML(String columnLabel) throws SQLException {
        return driver().getSQLXML(columnLabel);
    }

    @Override
    public String getNString(String columnLabel) throws SQLException {
        return driver().getNString(columnLabel);
    }

    @Override
    public Reader getNCharacterStream(String columnLabel) throws SQLException {
        return driver().getNCharacterStream(columnLabel);
    }
}
