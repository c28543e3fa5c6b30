package io.counterpoint.idempotency.jdbc;

import java.sql.DatabaseMetaData;
import java.sql.SQLException;

/** What a database does about transactions, statements and results. */
abstract class GuardedSupportOfSessions extends GuardedSupportOfSql {

    GuardedSupportOfSessions(Guard guard, DatabaseMetaData delegate) {
        super(guard, delegate);
    }

    @Override
    public boolean supportsMultipleResultSets() throws SQLException {
        return driver().supportsMultipleResultSets();
    }

    @Override
    public boolean supportsMultipleTransactions() throws SQLException {
        return driver().supportsMultipleTransactions();
    }

    @Override
    public boolean supportsStoredProcedures() throws SQLException {
        return driver().supportsStoredProcedures();
    }

    @Override
    public boolean supportsOpenCursorsAcrossCommit() throws SQLException {
        return driver().supportsOpenCursorsAcrossCommit();
    }

    @Override
    public boolean supportsOpenCursorsAcrossRollback() throws SQLException {
        return driver().supportsOpenCursorsAcrossRollback();
    }

    @Override
    public boolean supportsOpenStatementsAcrossCommit() throws SQLException {
        return driver().supportsOpenStatementsAcrossCommit();
    }

    @Override
    public boolean supportsOpenStatementsAcrossRollback() throws SQLException {
        return driver().supportsOpenStatementsAcrossRollback();
    }

    @Override
    public boolean supportsTransactions() throws SQLException {
        return driver().supportsTransactions();
    }

    @Override
    public boolean supportsTransactionIsolationLevel(int level) throws SQLException {
        return driver().supportsTransactionIsolationLevel(level);
    }

    @Override
    public boolean supportsDataDefinitionAndDataManipulationTransactions() throws SQLException {
        return driver().supportsDataDefinitionAndDataManipulationTransactions();
    }

    @Override
    public boolean supportsDataManipulationTransactionsOnly() throws SQLException {
        return driver().supportsDataManipulationTransactionsOnly();
    }

    @Override
    public boolean dataDefinitionCausesTransactionCommit() throws SQLException {
        return driver().dataDefinitionCausesTransactionCommit();
    }

    @Override
    public boolean dataDefinitionIgnoredInTransactions() throws SQLException {
        return driver().dataDefinitionIgnoredInTransactions();
    }

    @Override
    public boolean supportsResultSetType(int type) throws SQLException {
        return driver().supportsResultSetType(type);
    }

    @Override
    public boolean supportsResultSetConcurrency(int type, int concurrency) throws SQLException {
        return driver().supportsResultSetConcurrency(type, concurrency);
    }

    @Override
    public boolean ownUpdatesAreVisible(int type) throws SQLException {
        return driver().ownUpdatesAreVisible(type);
    }

    @Override
    public boolean ownDeletesAreVisible(int type) throws SQLException {
        return driver().ownDeletesAreVisible(type);
    }

    @Override
    public boolean ownInsertsAreVisible(int type) throws SQLException {
        return driver().ownInsertsAreVisible(type);
    }

    @Override
    public boolean othersUpdatesAreVisible(int type) throws SQLException {
        return driver().othersUpdatesAreVisible(type);
    }

    @Override
    public boolean othersDeletesAreVisible(int type) throws SQLException {
        return driver().othersDeletesAreVisible(type);
    }

    @Override
    public boolean othersInsertsAreVisible(int type) throws SQLException {
        return driver().othersInsertsAreVisible(type);
    }

    @Override
    public boolean updatesAreDetected(int type) throws SQLException {
        return driver().updatesAreDetected(type);
    }

    @Override
    public boolean deletesAreDetected(int type) throws SQLException {
        return driver().deletesAreDetected(type);
    }

    @Override
    public boolean insertsAreDetected(int type) throws SQLException {
        return driver().insertsAreDetected(type);
    }

    @Override
    public boolean supportsBatchUpdates() throws SQLException {
        return driver().supportsBatchUpdates();
    }

    @Override
    public boolean supportsSavepoints() throws SQLException {
        return driver().supportsSavepoints();
    }

    @Override
    public boolean supportsNamedParameters() throws SQLException {
        return driver().supportsNamedParameters();
    }

    @Override
    public boolean supportsMultipleOpenResults() throws SQLException {
        return driver().supportsMultipleOpenResults();
    }

    @Override
    public boolean supportsGetGeneratedKeys() throws SQLException {
        return driver().supportsGetGeneratedKeys();
    }

    @Override
    public boolean supportsResultSetHoldability(int holdability) throws SQLException {
        return driver().supportsResultSetHoldability(holdability);
    }

    @Override
    public boolean locatorsUpdateCopy() throws SQLException {
        return driver().locatorsUpdateCopy();
    }

    @Override
    public boolean supportsStatementPooling() throws SQLException {
        return driver().supportsStatementPooling();
    }

    @Override
    public boolean supportsStoredFunctionsUsingCallSyntax() throws SQLException {
        return driver().supportsStoredFunctionsUsingCallSyntax();
    }

    @Override
    public boolean autoCommitFailureClosesAllResultSets() throws SQLException {
        return driver().autoCommitFailureClosesAllResultSets();
    }

    @Override
    public boolean generatedKeyAlwaysReturned() throws SQLException {
        return driver().generatedKeyAlwaysReturned();
    }

    @Override
    public boolean supportsRefCursors() throws SQLException {
        return driver().supportsRefCursors();
    }

    @Override
    public boolean supportsSharding() throws SQLException {
        return driver().supportsSharding();
    }
}
