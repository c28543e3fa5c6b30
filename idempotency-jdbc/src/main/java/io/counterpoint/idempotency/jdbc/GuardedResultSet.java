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

/** A result of guarded work, and its columns that are written by their positions. */
final class GuardedResultSet extends GuardedUpdatesByLabel {

    GuardedResultSet(Guard guard, ResultSet delegate, @Nullable Statement statement) {
        super(guard, delegate, statement);
    }

    @Override
    public void updateNull(int columnIndex) throws SQLException {
        driver().updateNull(columnIndex);
    }

    @Override
    public void updateBoolean(int columnIndex, boolean x) throws SQLException {
        driver().updateBoolean(columnIndex, x);
    }

    @Override
    public void updateByte(int columnIndex, byte x) throws SQLException {
        driver().updateByte(columnIndex, x);
    }

    @Override
    public void updateShort(int columnIndex, short x) throws SQLException {
        driver().updateShort(columnIndex, x);
    }

    @Override
    public void updateInt(int columnIndex, int x) throws SQLException {
        driver().updateInt(columnIndex, x);
    }

    @Override
    public void updateLong(int columnIndex, long x) throws SQLException {
        driver().updateLong(columnIndex, x);
    }

    @Override
    public void updateFloat(int columnIndex, float x) throws SQLException {
        driver().updateFloat(columnIndex, x);
    }

    @Override
    public void updateDouble(int columnIndex, double x) throws SQLException {
        driver().updateDouble(columnIndex, x);
    }

    @Override
    public void updateBigDecimal(int columnIndex, BigDecimal x) throws SQLException {
        driver().updateBigDecimal(columnIndex, x);
    }

    @Override
    public void updateString(int columnIndex, String x) throws SQLException {
        driver().updateString(columnIndex, x);
    }

    @Override
    public void updateBytes(int columnIndex, byte[] x) throws SQLException {
        driver().updateBytes(columnIndex, x);
    }

    @Override
    public void updateDate(int columnIndex, Date x) throws SQLException {
        driver().updateDate(columnIndex, x);
    }

    @Override
    public void updateTime(int columnIndex, Time x) throws SQLException {
        driver().updateTime(columnIndex, x);
    }

    @Override
    public void updateTimestamp(int columnIndex, Timestamp x) throws SQLException {
        driver().updateTimestamp(columnIndex, x);
    }

    @Override
    public void updateAsciiStream(int columnIndex, InputStream x) throws SQLException {
        driver().updateAsciiStream(columnIndex, x);
    }

    @Override
    public void updateAsciiStream(int columnIndex, InputStream x, int length) throws SQLException {
        driver().updateAsciiStream(columnIndex, x, length);
    }

    @Override
    public void updateAsciiStream(int columnIndex, InputStream x, long length) throws SQLException {
        driver().updateAsciiStream(columnIndex, x, length);
    }

    @Override
    public void updateBinaryStream(int columnIndex, InputStream x) throws SQLException {
        driver().updateBinaryStream(columnIndex, x);
    }

    @Override
    public void updateBinaryStream(int columnIndex, InputStream x, int length) throws SQLException {
        driver().updateBinaryStream(columnIndex, x, length);
    }

    @Override
    public void updateBinaryStream(int columnIndex, InputStream x, long length) throws SQLException {
        driver().updateBinaryStream(columnIndex, x, length);
    }

    @Override
    public void updateCharacterStream(int columnIndex, Reader x) throws SQLException {
        driver().updateCharacterStream(columnIndex, x);
    }

    @Override
    public void updateCharacterStream(int columnIndex, Reader x, int length) throws SQLException {
        driver().updateCharacterStream(columnIndex, x, length);
    }

    @Override
    public void updateCharacterStream(int columnIndex, Reader x, long length) throws SQLException {
        driver().updateCharacterStream(columnIndex, x, length);
    }

    @Override
    public void updateObject(int columnIndex, Object x) throws SQLException {
        driver().updateObject(columnIndex, Guard.bare(x));
    }

    @Override
    public void updateObject(int columnIndex, Object x, int scaleOrLength) throws SQLException {
        driver().updateObject(columnIndex, Guard.bare(x), scaleOrLength);
    }

    @Override
    public void updateObject(int columnIndex, Object x, SQLType targetSqlType) throws SQLException {
        driver().updateObject(columnIndex, Guard.bare(x), targetSqlType);
    }

    @Override
    public void updateObject(int columnIndex, Object x, SQLType targetSqlType, int scaleOrLength) throws SQLException {
        driver().updateObject(columnIndex, Guard.bare(x), targetSqlType, scaleOrLength);
    }

    @Override
    public void updateRef(int columnIndex, Ref x) throws SQLException {
        throw Guard.unlisted("call updateRef");
    }

    @Override
    public void updateBlob(int columnIndex, InputStream inputStream) throws SQLException {
        driver().updateBlob(columnIndex, inputStream);
    }

    @Override
    public void updateBlob(int columnIndex, Blob x) throws SQLException {
        driver().updateBlob(columnIndex, x);
    }

    @Override
    public void updateBlob(int columnIndex, InputStream inputStream, long length) throws SQLException {
        driver().updateBlob(columnIndex, inputStream, length);
    }

    @Override
    public void updateClob(int columnIndex, Reader reader) throws SQLException {
        driver().updateClob(columnIndex, reader);
    }

    @Override
    public void updateClob(int columnIndex, Clob x) throws SQLException {
        driver().updateClob(columnIndex, x);
    }

    @Override
    public void updateClob(int columnIndex, Reader reader, long length) throws SQLException {
        driver().updateClob(columnIndex, reader, length);
    }

    @Override
    public void updateArray(int columnIndex, Array x) throws SQLException {
        driver().updateArray(columnIndex, Guard.bare(x));
    }

    @Override
    public void updateRowId(int columnIndex, RowId x) throws SQLException {
        driver().updateRowId(columnIndex, x);
    }

    @Override
    public void updateNString(int columnIndex, String nString) throws SQLException {
        driver().updateNString(columnIndex, nString);
    }

    @Override
    public void updateNClob(int columnIndex, Reader reader) throws SQLException {
        driver().updateNClob(columnIndex, reader);
    }

    @Override
    public void updateNClob(int columnIndex, NClob nClob) throws SQLException {
        driver().updateNClob(columnIndex, nClob);
    }

    @Override
    public void updateNClob(int columnIndex, Reader reader, long length) throws SQLException {
        driver().updateNClob(columnIndex, reader, length);
    }

    @Override
    public void updateSQLXML(int columnIndex, SQLXML xmlObject) throws SQLException {
        driver().updateSQLXML(columnIndex, xmlObject);
    }

    @Override
    public void updateNCharacterStream(int columnIndex, Reader x) throws SQLException {
        driver().updateNCharacterStream(columnIndex, x);
    }

    @Override
    public void updateNCharacterStream(int columnIndex, Reader x, long length) throws SQLException {
        driver().updateNCharacterStream(columnIndex, x, length);
    }
}
