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

/** Columns that are read by their positions. */
abstract class GuardedColumnsByIndex extends GuardedColumnsByLabel {

    GuardedColumnsByIndex(Guard guard, ResultSet delegate, @Nullable Statement statement) {
        super(guard, delegate, statement);
    }

    @Override
    public String getString(int columnIndex) throws SQLException {
        return driver().getString(columnIndex);
    }

    @Override
    public boolean getBoolean(int columnIndex) throws SQLException {
        return driver().getBoolean(columnIndex);
    }

    @Override
    public byte getByte(int columnIndex) throws SQLException {
        return driver().getByte(columnIndex);
    }

    @Override
    public short getShort(int columnIndex) throws SQLException {
        return driver().getShort(columnIndex);
    }

    @Override
    public int getInt(int columnIndex) throws SQLException {
        return driver().getInt(columnIndex);
    }

    @Override
    public long getLong(int columnIndex) throws SQLException {
        return driver().getLong(columnIndex);
    }

    @Override
    public float getFloat(int columnIndex) throws SQLException {
        return driver().getFloat(columnIndex);
    }

    @Override
    public double getDouble(int columnIndex) throws SQLException {
        return driver().getDouble(columnIndex);
    }

    @Override
    public BigDecimal getBigDecimal(int columnIndex) throws SQLException {
        return driver().getBigDecimal(columnIndex);
    }

    @Override
    @Deprecated
    @SuppressWarnings("deprecation")
    public BigDecimal getBigDecimal(int columnIndex, int scale) throws SQLException {
        return driver().getBigDecimal(columnIndex, scale);
    }

    @Override
    public byte[] getBytes(int columnIndex) throws SQLException {
        return driver().getBytes(columnIndex);
    }

    @Override
    public Date getDate(int columnIndex) throws SQLException {
        return driver().getDate(columnIndex);
    }

    @Override
    public Date getDate(int columnIndex, Calendar cal) throws SQLException {
        return driver().getDate(columnIndex, cal);
    }

    @Override
    public Time getTime(int columnIndex) throws SQLException {
        return driver().getTime(columnIndex);
    }

    @Override
    public Time getTime(int columnIndex, Calendar cal) throws SQLException {
        return driver().getTime(columnIndex, cal);
    }

    @Override
    public Timestamp getTimestamp(int columnIndex) throws SQLException {
        return driver().getTimestamp(columnIndex);
    }

    @Override
    public Timestamp getTimestamp(int columnIndex, Calendar cal) throws SQLException {
        return driver().getTimestamp(columnIndex, cal);
    }

    @Override
    public InputStream getAsciiStream(int columnIndex) throws SQLException {
        return driver().getAsciiStream(columnIndex);
    }

    @Override
    @Deprecated
    @SuppressWarnings("deprecation")
    public InputStream getUnicodeStream(int columnIndex) throws SQLException {
        return driver().getUnicodeStream(columnIndex);
    }

    @Override
    public InputStream getBinaryStream(int columnIndex) throws SQLException {
        return driver().getBinaryStream(columnIndex);
    }

    @Override
    public @Nullable Object getObject(int columnIndex) throws SQLException {
        return guard.value(driver().getObject(columnIndex));
    }

    @Override
    public <T> @Nullable T getObject(int columnIndex, Class<T> type) throws SQLException {
        return guard.value(driver().getObject(columnIndex, type), type);
    }

    @Override
    public @Nullable Object getObject(int columnIndex, Map<String, Class<?>> map) throws SQLException {
        return guard.value(driver().getObject(columnIndex, map));
    }

    @Override
    public Reader getCharacterStream(int columnIndex) throws SQLException {
        return driver().getCharacterStream(columnIndex);
    }

    @Override
    public Ref getRef(int columnIndex) throws SQLException {
        throw Guard.unlisted("call getRef");
    }

    @Override
    public Blob getBlob(int columnIndex) throws SQLException {
        return driver().getBlob(columnIndex);
    }

    @Override
    public Clob getClob(int columnIndex) throws SQLException {
        return driver().getClob(columnIndex);
    }

    @Override
    public @Nullable Array getArray(int columnIndex) throws SQLException {
        return guard.array(driver().getArray(columnIndex));
    }

    @Override
    public URL getURL(int columnIndex) throws SQLException {
        return driver().getURL(columnIndex);
    }

    @Override
    public RowId getRowId(int columnIndex) throws SQLException {
        return driver().getRowId(columnIndex);
    }

    @Override
    public NClob getNClob(int columnIndex) throws SQLException {
        return driver().getNClob(columnIndex);
    }

    @Override
    public SQLXML getSQLXML(int columnIndex) throws SQLException {
        return driver().getSQLXML(columnIndex);
    }

    @Override
    public String getNString(int columnIndex) throws SQLException {
        return driver().getNString(columnIndex);
    }

    @Override
    public Reader getNCharacterStream(int columnIndex) throws SQLException {
        return driver().getNCharacterStream(columnIndex);
    }
}
