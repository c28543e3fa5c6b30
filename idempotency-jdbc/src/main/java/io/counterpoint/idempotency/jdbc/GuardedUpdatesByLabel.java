package io.counterpoint.idempotency.jdbc;

import java.io.InputStream;
import java.io.Reader;
import java.math.BigDecimal;
import java.sql.Array;
import java.sql.Blob;
import java.sql.Clob;
import java.sql.Date;
import java.sql.NClob;
import java.sql.Ref;
import java.sql.ResultSet;
import java.sql.RowId;
import java.sql.SQLException;
import java.sql.SQLType;
import java.sql.SQLXML;
import java.sql.Statement;
import java.sql.Time;
import java.sql.Timestamp;
import org.jspecify.annotations.Nullable;

/** Columns of an updatable result that are written by their labels. */
abstract class GuardedUpdatesByLabel extends GuardedColumnsByIndex {

    GuardedUpdatesByLabel(Guard guard, ResultSet delegate, @Nullable Statement statement) {
        super(guard, delegate, statement);
    }

    @Override
    public void updateNull(String columnLabel) throws SQLException {
        driver().updateNull(columnLabel);
    }

    @Override
    public void updateBoolean(String columnLabel, boolean x) throws SQLException {
        driver().updateBoolean(columnLabel, x);
    }

    @Override
    public void updateByte(String columnLabel, byte x) throws SQLException {
        driver().updateByte(columnLabel, x);
    }

    @Override
    public void updateShort(String columnLabel, short x) throws SQLException {
        driver().updateShort(columnLabel, x);
    }

    @Override
    public void updateInt(String columnLabel, int x) throws SQLException {
        driver().updateInt(columnLabel, x);
    }

    @Override
    public void updateLong(String columnLabel, long x) throws SQLException {
        driver().updateLong(columnLabel, x);
    }

    @Override
    public void updateFloat(String columnLabel, float x) throws SQLException {
        driver().updateFloat(columnLabel, x);
    }

    @Override
    public void updateDouble(String columnLabel, double x) throws SQLException {
        driver().updateDouble(columnLabel, x);
    }

    @Override
    public void updateBigDecimal(String columnLabel, BigDecimal x) throws SQLException {
        driver().updateBigDecimal(columnLabel, x);
    }

    @Override
    public void updateString(String columnLabel, String x) throws SQLException {
        driver().updateString(columnLabel, x);
    }

    @Override
    public void updateBytes(String columnLabel, byte[] x) throws SQLException {
        driver().updateBytes(columnLabel, x);
    }

    @Override
    public void updateDate(String columnLabel, Date x) throws SQLException {
        driver().updateDate(columnLabel, x);
    }

    @Override
    public void updateTime(String columnLabel, Time x) throws SQLException {
        driver().updateTime(columnLabel, x);
    }

    @Override
    public void updateTimestamp(String columnLabel, Timestamp x) throws SQLException {
        driver().updateTimestamp(columnLabel, x);
    }

    @Override
    public void updateAsciiStream(String columnLabel, InputStream x) throws SQLException {
        driver().updateAsciiStream(columnLabel, x);
    }

    @Override
    public void updateAsciiStream(String columnLabel, InputStream x, int length) throws SQLException {
        driver().updateAsciiStream(columnLabel, x, length);
    }

    @Override
    public void updateAsciiStream(String columnLabel, InputStream x, long length) throws SQLException {
        driver().updateAsciiStream(columnLabel, x, length);
    }

    @Override
    public void updateBinaryStream(String columnLabel, InputStream x) throws SQLException {
        driver().updateBinaryStream(columnLabel, x);
    }

    @Override
    public void updateBinaryStream(String columnLabel, InputStream x, int length) throws SQLException {
        driver().updateBinaryStream(columnLabel, x, length);
    }

    @Override
    public void updateBinaryStream(String columnLabel, InputStream x, long length) throws SQLException {
        driver().updateBinaryStream(columnLabel, x, length);
    }

    @Override
    public void updateCharacterStream(String columnLabel, Reader reader) throws SQLException {
        driver().updateCharacterStream(columnLabel, reader);
    }

    @Override
    public void updateCharacterStream(String columnLabel, Reader reader, int length) throws SQLException {
        driver().updateCharacterStream(columnLabel, reader, length);
    }

    @Override
    public void updateCharacterStream(String columnLabel, Reader reader, long length) throws SQLException {
        driver().updateCharacterStream(columnLabel, reader, length);
    }

    @Override
    public void updateObject(String columnLabel, Object x) throws SQLException {
        driver().updateObject(columnLabel, Guard.bare(x));
    }

    @Override
    public void updateObject(String columnLabel, Object x, int scaleOrLength) throws SQLException {
        driver().updateObject(columnLabel, Guard.bare(x), scaleOrLength);
    }

    @Override
    public void updateObject(String columnLabel, Object x, SQLType targetSqlType) throws SQLException {
        driver().updateObject(columnLabel, Guard.bare(x), targetSqlType);
    }

    @Override
    public void updateObject(String columnLabel, Object x, SQLType targetSqlType, int scaleOrLength)
            throws SQLException {
        driver().updateObject(columnLabel, Guard.bare(x), targetSqlType, scaleOrLength);
    }

    @Override
    public void updateRef(String columnLabel, Ref x) throws SQLException {
        throw Guard.unlisted("call updateRef");
    }

    @Override
    public void updateBlob(String columnLabel, InputStream inputStream) throws SQLException {
        driver().updateBlob(columnLabel, inputStream);
    }

    @Override
    public void updateBlob(String columnLabel, Blob x) throws SQLException {
        driver().updateBlob(columnLabel, x);
    }

    @Override
    public void updateBlob(String columnLabel, InputStream inputStream, long length) throws SQLException {
        driver().updateBlob(columnLabel, inputStream, length);
    }

    @Override
    public void updateClob(String columnLabel, Reader reader) throws SQLException {
        driver().updateClob(columnLabel, reader);
    }

    @Override
    public void updateClob(String columnLabel, Clob x) throws SQLException {
        driver().updateClob(columnLabel, x);
    }

    @Override
    public void updateClob(String columnLabel, Reader reader, long length) throws SQLException {
        driver().updateClob(columnLabel, reader, length);
    }

    @Override
    public void updateArray(String columnLabel, Array x) throws SQLException {
        driver().updateArray(columnLabel, Guard.bare(x));
    }

    @Override
    public void updateRowId(String columnLabel, RowId x) throws SQLException {
        driver().updateRowId(columnLabel, x);
    }

    @Override
    public void updateNString(String columnLabel, String nString) throws SQLException {
        driver().updateNString(columnLabel, nString);
    }

    @Override
    public void updateNClob(String columnLabel, Reader reader) throws SQLException {
        driver().updateNClob(columnLabel, reader);
    }

    @Override
    public void updateNClob(String columnLabel, NClob nClob) throws SQLException {
        driver().updateNClob(columnLabel, nClob);
    }

    @Override
    public void updateNClob(String columnLabel, Reader reader, long length) throws SQLException {
        driver().updateNClob(columnLabel, reader, length);
    }

    @Override
    public void updateSQLXML(String columnLabel, SQLXML xmlObject) throws SQLException {
        driver().updateSQLXML(columnLabel, xmlObject);
    }

    @Override
    public void updateNCharacterStream(String columnLabel, Reader reader) throws SQLException {
        driver().updateNCharacterStream(columnLabel, reader);
    }

    @Override
    public void updateNCharacterStream(String columnLabel, Reader reader, long length) throws SQLException {
        driver().updateNCharacterStream(columnLabel, reader, length);
    }
}
