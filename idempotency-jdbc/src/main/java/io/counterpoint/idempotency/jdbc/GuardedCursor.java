package io.counterpoint.idempotency.jdbc;

import java.sql.ResultSet;
import java.sql.ResultSetMetaData;
import java.sql.SQLException;
import java.sql.SQLWarning;
import java.sql.Statement;
import org.jspecify.annotations.Nullable;

/** Where a result stands, and the rows of an updatable one. */
abstract class GuardedCursor extends Guarded<ResultSet> implements ResultSet {

    private final @Nullable Statement statement;

    /** {@code statement} is null for a result that the driver made by itself. */
    GuardedCursor(Guard guard, ResultSet delegate, @Nullable Statement statement) {
        super(guard, delegate);
        this.statement = statement;
    }

    @Override
    public boolean next() throws SQLException {
        return driver().next();
    }

    @Override
    public void close() throws SQLException {
        driver().close();
    }

    @Override
    public boolean wasNull() throws SQLException {
        return driver().wasNull();
    }

    @Override
    public SQLWarning getWarnings() throws SQLException {
        return driver().getWarnings();
    }

    @Override
    public void clearWarnings() throws SQLException {
        driver().clearWarnings();
    }

    @Override
    public String getCursorName() throws SQLException {
        return driver().getCursorName();
    }

    @Override
    public ResultSetMetaData getMetaData() throws SQLException {
        return driver().getMetaData();
    }

    @Override
    public int findColumn(String columnLabel) throws SQLException {
        return driver().findColumn(columnLabel);
    }

    @Override
    public boolean isBeforeFirst() throws SQLException {
        return driver().isBeforeFirst();
    }

    @Override
    public boolean isAfterLast() throws SQLException {
        return driver().isAfterLast();
    }

    @Override
    public boolean isFirst() throws SQLException {
        return driver().isFirst();
    }

    @Override
    public boolean isLast() throws SQLException {
        return driver().isLast();
    }

    @Override
    public void beforeFirst() throws SQLException {
        driver().beforeFirst();
    }

    @Override
    public void afterLast() throws SQLException {
        driver().afterLast();
    }

    @Override
    public boolean first() throws SQLException {
        return driver().first();
    }

    @Override
    public boolean last() throws SQLException {
        return driver().last();
    }

    @Override
    public int getRow() throws SQLException {
        return driver().getRow();
    }

    @Override
    public boolean absolute(int row) throws SQLException {
        return driver().absolute(row);
    }

    @Override
    public boolean relative(int rows) throws SQLException {
        return driver().relative(rows);
    }

    @Override
    public boolean previous() throws SQLException {
        return driver().previous();
    }

    @Override
    public void setFetchDirection(int direction) throws SQLException {
        driver().setFetchDirection(direction);
    }

    @Override
    public int getFetchDirection() throws SQLException {
        return driver().getFetchDirection();
    }

    @Override
    public void setFetchSize(int rows) throws SQLException {
        driver().setFetchSize(rows);
    }

    @Override
    public int getFetchSize() throws SQLException {
        return driver().getFetchSize();
    }

    @Override
    public int getType() throws SQLException {
        return driver().getType();
    }

    @Override
    public int getConcurrency() throws SQLException {
        return driver().getConcurrency();
    }

    @Override
    public boolean rowUpdated() throws SQLException {
        return driver().rowUpdated();
    }

    @Override
    public boolean rowInserted() throws SQLException {
        return driver().rowInserted();
    }

    @Override
    public boolean rowDeleted() throws SQLException {
        return driver().rowDeleted();
    }

    @Override
    public void insertRow() throws SQLException {
        driver().insertRow();
    }

    @Override
    public void updateRow() throws SQLException {
        driver().updateRow();
    }

    @Override
    public void deleteRow() throws SQLException {
        driver().deleteRow();
    }

    @Override
    public void refreshRow() throws SQLException {
        driver().refreshRow();
    }

    @Override
    public void cancelRowUpdates() throws SQLException {
        driver().cancelRowUpdates();
    }

    @Override
    public void moveToInsertRow() throws SQLException {
        driver().moveToInsertRow();
    }

    @Override
    public void moveToCurrentRow() throws SQLException {
        driver().moveToCurrentRow();
    }

    @Override
    public @Nullable Statement getStatement() throws SQLException {
        return guard.statementOf(driver().getStatement(), statement);
    }

    @Override
    public int getHoldability() throws SQLException {
        return driver().getHoldability();
    }

    @Override
    public boolean isClosed() throws SQLException {
        return driver().isClosed();
    }
}
