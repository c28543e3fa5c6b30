package io.counterpoint.idempotency.jdbc;

import java.sql.DatabaseMetaData;
import java.sql.SQLException;

/** The largest lengths and numbers in a database. */
abstract class GuardedLimits extends Guarded<DatabaseMetaData> implements DatabaseMetaData {

    GuardedLimits(Guard guard, DatabaseMetaData delegate) {
        super(guard, delegate);
    }

    @Override
    public int getMaxBinaryLiteralLength() throws SQLException {
        return driver().getMaxBinaryLiteralLength();
    }

    @Override
    public int getMaxCharLiteralLength() throws SQLException {
        return driver().getMaxCharLiteralLength();
    }

    @Override
    public int getMaxColumnNameLength() throws SQLException {
        return driver().getMaxColumnNameLength();
    }

    @Override
    public int getMaxColumnsInGroupBy() throws SQLException {
        return driver().getMaxColumnsInGroupBy();
    }

    @Override
    public int getMaxColumnsInIndex() throws SQLException {
        return driver().getMaxColumnsInIndex();
    }

    @Override
    public int getMaxColumnsInOrderBy() throws SQLException {
        return driver().getMaxColumnsInOrderBy();
    }

    @Override
    public int getMaxColumnsInSelect() throws SQLException {
        return driver().getMaxColumnsInSelect();
    }

    @Override
    public int getMaxColumnsInTable() throws SQLException {
        return driver().getMaxColumnsInTable();
    }

    @Override
    public int getMaxConnections() throws SQLException {
        return driver().getMaxConnections();
    }

    @Override
    public int getMaxCursorNameLength() throws SQLException {
        return driver().getMaxCursorNameLength();
    }

    @Override
    public int getMaxIndexLength() throws SQLException {
        return driver().getMaxIndexLength();
    }

    @Override
    public int getMaxSchemaNameLength() throws SQLException {
        return driver().getMaxSchemaNameLength();
    }

    @Override
    public int getMaxProcedureNameLength() throws SQLException {
        return driver().getMaxProcedureNameLength();
    }

    @Override
    public int getMaxCatalogNameLength() throws SQLException {
        return driver().getMaxCatalogNameLength();
    }

    @Override
    public int getMaxRowSize() throws SQLException {
        return driver().getMaxRowSize();
    }

    @Override
    public int getMaxStatementLength() throws SQLException {
        return driver().getMaxStatementLength();
    }

    @Override
    public int getMaxStatements() throws SQLException {
        return driver().getMaxStatements();
    }

    @Override
    public int getMaxTableNameLength() throws SQLException {
        return driver().getMaxTableNameLength();
    }

    @Override
    public int getMaxTablesInSelect() throws SQLException {
        return driver().getMaxTablesInSelect();
    }

    @Override
    public int getMaxUserNameLength() throws SQLException {
        return driver().getMaxUserNameLength();
    }

    @Override
    public long getMaxLogicalLobSize() throws SQLException {
        return driver().getMaxLogicalLobSize();
    }
}
