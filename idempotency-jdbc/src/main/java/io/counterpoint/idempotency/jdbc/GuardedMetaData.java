package io.counterpoint.idempotency.jdbc;

import java.sql.Connection;
import java.sql.DatabaseMetaData;
import java.sql.RowIdLifetime;
import java.sql.SQLException;

/** What a database and its driver say about themselves. */
final class GuardedMetaData extends GuardedCatalog {

    GuardedMetaData(Guard guard, DatabaseMetaData delegate) {
        super(guard, delegate);
    }

    @Override
    public boolean allProceduresAreCallable() throws SQLException {
        return driver().allProceduresAreCallable();
    }

    @Override
    public boolean allTablesAreSelectable() throws SQLException {
        return driver().allTablesAreSelectable();
    }

    @Override
    public String getURL() throws SQLException {
        return driver().getURL();
    }

    @Override
    public String getUserName() throws SQLException {
        return driver().getUserName();
    }

    @Override
    public boolean isReadOnly() throws SQLException {
        return driver().isReadOnly();
    }

    @Override
    public boolean nullsAreSortedHigh() throws SQLException {
        return driver().nullsAreSortedHigh();
    }

    @Override
    public boolean nullsAreSortedLow() throws SQLException {
        return driver().nullsAreSortedLow();
    }

    @Override
    public boolean nullsAreSortedAtStart() throws SQLException {
        return driver().nullsAreSortedAtStart();
    }

    @Override
    public boolean nullsAreSortedAtEnd() throws SQLException {
        return driver().nullsAreSortedAtEnd();
    }

    @Override
    public String getDatabaseProductName() throws SQLException {
        return driver().getDatabaseProductName();
    }

    @Override
    public String getDatabaseProductVersion() throws SQLException {
        return driver().getDatabaseProductVersion();
    }

    @Override
    public String getDriverName() throws SQLException {
        return driver().getDriverName();
    }

    @Override
    public String getDriverVersion() throws SQLException {
        return driver().getDriverVersion();
    }

    @Override
    public int getDriverMajorVersion() {
        return driver().getDriverMajorVersion();
    }

    @Override
    public int getDriverMinorVersion() {
        return driver().getDriverMinorVersion();
    }

    @Override
    public boolean usesLocalFiles() throws SQLException {
        return driver().usesLocalFiles();
    }

    @Override
    public boolean usesLocalFilePerTable() throws SQLException {
        return driver().usesLocalFilePerTable();
    }

    @Override
    public boolean storesUpperCaseIdentifiers() throws SQLException {
        return driver().storesUpperCaseIdentifiers();
    }

    @Override
    public boolean storesLowerCaseIdentifiers() throws SQLException {
        return driver().storesLowerCaseIdentifiers();
    }

    @Override
    public boolean storesMixedCaseIdentifiers() throws SQLException {
        return driver().storesMixedCaseIdentifiers();
    }

    @Override
    public boolean storesUpperCaseQuotedIdentifiers() throws SQLException {
        return driver().storesUpperCaseQuotedIdentifiers();
    }

    @Override
    public boolean storesLowerCaseQuotedIdentifiers() throws SQLException {
        return driver().storesLowerCaseQuotedIdentifiers();
    }

    @Override
    public boolean storesMixedCaseQuotedIdentifiers() throws SQLException {
        return driver().storesMixedCaseQuotedIdentifiers();
    }

    @Override
    public String getIdentifierQuoteString() throws SQLException {
        return driver().getIdentifierQuoteString();
    }

    @Override
    public String getSQLKeywords() throws SQLException {
        return driver().getSQLKeywords();
    }

    @Override
    public String getNumericFunctions() throws SQLException {
        return driver().getNumericFunctions();
    }

    @Override
    public String getStringFunctions() throws SQLException {
        return driver().getStringFunctions();
    }

    @Override
    public String getSystemFunctions() throws SQLException {
        return driver().getSystemFunctions();
    }

    @Override
    public String getTimeDateFunctions() throws SQLException {
        return driver().getTimeDateFunctions();
    }

    @Override
    public String getSearchStringEscape() throws SQLException {
        return driver().getSearchStringEscape();
    }

    @Override
    public String getExtraNameCharacters() throws SQLException {
        return driver().getExtraNameCharacters();
    }

    @Override
    public boolean nullPlusNonNullIsNull() throws SQLException {
        return driver().nullPlusNonNullIsNull();
    }

    @Override
    public String getSchemaTerm() throws SQLException {
        return driver().getSchemaTerm();
    }

    @Override
    public String getProcedureTerm() throws SQLException {
        return driver().getProcedureTerm();
    }

    @Override
    public String getCatalogTerm() throws SQLException {
        return driver().getCatalogTerm();
    }

    @Override
    public boolean isCatalogAtStart() throws SQLException {
        return driver().isCatalogAtStart();
    }

    @Override
    public String getCatalogSeparator() throws SQLException {
        return driver().getCatalogSeparator();
    }

    @Override
    public boolean doesMaxRowSizeIncludeBlobs() throws SQLException {
        return driver().doesMaxRowSizeIncludeBlobs();
    }

    @Override
    public int getDefaultTransactionIsolation() throws SQLException {
        return driver().getDefaultTransactionIsolation();
    }

    @Override
    public Connection getConnection() throws SQLException {
        return guard.connection();
    }

    @Override
    public int getResultSetHoldability() throws SQLException {
        return driver().getResultSetHoldability();
    }

    @Override
    public int getDatabaseMajorVersion() throws SQLException {
        return driver().getDatabaseMajorVersion();
    }

    @Override
    public int getDatabaseMinorVersion() throws SQLException {
        return driver().getDatabaseMinorVersion();
    }

    @Override
    public int getJDBCMajorVersion() throws SQLException {
        return driver().getJDBCMajorVersion();
    }

    @Override
    public int getJDBCMinorVersion() throws SQLException {
        return driver().getJDBCMinorVersion();
    }

    @Override
    public int getSQLStateType() throws SQLException {
        return driver().getSQLStateType();
    }

    @Override
    public RowIdLifetime getRowIdLifetime() throws SQLException {
        return driver().getRowIdLifetime();
    }
}
