package io.counterpoint.idempotency.jdbc;

import java.sql.DatabaseMetaData;
import java.sql.ResultSet;
import java.sql.SQLException;
import org.jspecify.annotations.Nullable;

/** What there is in a database. */
abstract class GuardedCatalog extends GuardedSupportOfSessions {

    GuardedCatalog(Guard guard, DatabaseMetaData delegate) {
        super(guard, delegate);
    }

    @Override
    public @Nullable ResultSet getProcedures(String catalog, String schemaPattern, String procedureNamePattern)
            throws SQLException {
        return guard.result(driver().getProcedures(catalog, schemaPattern, procedureNamePattern), null);
    }

    @Override
    public @Nullable ResultSet getProcedureColumns(
            String catalog, String schemaPattern, String procedureNamePattern, String columnNamePattern)
            throws SQLException {
        return guard.result(
                driver().getProcedureColumns(catalog, schemaPattern, procedureNamePattern, columnNamePattern), null);
    }

    @Override
    public @Nullable ResultSet getTables(String catalog, String schemaPattern, String tableNamePattern, String[] types)
            throws SQLException {
        return guard.result(driver().getTables(catalog, schemaPattern, tableNamePattern, types), null);
    }

    @Override
    public @Nullable ResultSet getSchemas() throws SQLException {
        return guard.result(driver().getSchemas(), null);
    }

    @Override
    public @Nullable ResultSet getSchemas(String catalog, String schemaPattern) throws SQLException {
        return guard.result(driver().getSchemas(catalog, schemaPattern), null);
    }

    @Override
    public @Nullable ResultSet getCatalogs() throws SQLException {
        return guard.result(driver().getCatalogs(), null);
    }

    @Override
    public @Nullable ResultSet getTableTypes() throws SQLException {
        return guard.result(driver().getTableTypes(), null);
    }

    @Override
    public @Nullable ResultSet getColumns(
            String catalog, String schemaPattern, String tableNamePattern, String columnNamePattern)
            throws SQLException {
        return guard.result(driver().getColumns(catalog, schemaPattern, tableNamePattern, columnNamePattern), null);
    }

    @Override
    public @Nullable ResultSet getColumnPrivileges(
            String catalog, String schema, String table, String columnNamePattern) throws SQLException {
        return guard.result(driver().getColumnPrivileges(catalog, schema, table, columnNamePattern), null);
    }

    @Override
    public @Nullable ResultSet getTablePrivileges(String catalog, String schemaPattern, String tableNamePattern)
            throws SQLException {
        return guard.result(driver().getTablePrivileges(catalog, schemaPattern, tableNamePattern), null);
    }

    @Override
    public @Nullable ResultSet getBestRowIdentifier(
            String catalog, String schema, String table, int scope, boolean nullable) throws SQLException {
        return guard.result(driver().getBestRowIdentifier(catalog, schema, table, scope, nullable), null);
    }

    @Override
    public @Nullable ResultSet getVersionColumns(String catalog, String schema, String table) throws SQLException {
        return guard.result(driver().getVersionColumns(catalog, schema, table), null);
    }

    @Override
    public @Nullable ResultSet getPrimaryKeys(String catalog, String schema, String table) throws SQLException {
        return guard.result(driver().getPrimaryKeys(catalog, schema, table), null);
    }

    @Override
    public @Nullable ResultSet getImportedKeys(String catalog, String schema, String table) throws SQLException {
        return guard.result(driver().getImportedKeys(catalog, schema, table), null);
    }

    @Override
    public @Nullable ResultSet getExportedKeys(String catalog, String schema, String table) throws SQLException {
        return guard.result(driver().getExportedKeys(catalog, schema, table), null);
    }

    @Override
    public @Nullable ResultSet getCrossReference(
            String parentCatalog,
            String parentSchema,
            String parentTable,
            String foreignCatalog,
            String foreignSchema,
            String foreignTable)
            throws SQLException {
        return guard.result(
                driver().getCrossReference(
                                parentCatalog, parentSchema, parentTable, foreignCatalog, foreignSchema, foreignTable),
                null);
    }

    @Override
    public @Nullable ResultSet getTypeInfo() throws SQLException {
        return guard.result(driver().getTypeInfo(), null);
    }

    @Override
    public @Nullable ResultSet getIndexInfo(
            String catalog, String schema, String table, boolean unique, boolean approximate) throws SQLException {
        return guard.result(driver().getIndexInfo(catalog, schema, table, unique, approximate), null);
    }

    @Override
    public @Nullable ResultSet getUDTs(String catalog, String schemaPattern, String typeNamePattern, int[] types)
            throws SQLException {
        return guard.result(driver().getUDTs(catalog, schemaPattern, typeNamePattern, types), null);
    }

    @Override
    public @Nullable ResultSet getSuperTypes(String catalog, String schemaPattern, String typeNamePattern)
            throws SQLException {
        return guard.result(driver().getSuperTypes(catalog, schemaPattern, typeNamePattern), null);
    }

    @Override
    public @Nullable ResultSet getSuperTables(String catalog, String schemaPattern, String tableNamePattern)
            throws SQLException {
        return guard.result(driver().getSuperTables(catalog, schemaPattern, tableNamePattern), null);
    }

    @Override
    public @Nullable ResultSet getAttributes(
            String catalog, String schemaPattern, String typeNamePattern, String attributeNamePattern)
            throws SQLException {
        return guard.result(
                driver().getAttributes(catalog, schemaPattern, typeNamePattern, attributeNamePattern), null);
    }

    @Override
    public @Nullable ResultSet getClientInfoProperties() throws SQLException {
        return guard.result(driver().getClientInfoProperties(), null);
    }

    @Override
    public @Nullable ResultSet getFunctions(String catalog, String schemaPattern, String functionNamePattern)
            throws SQLException {
        return guard.result(driver().getFunctions(catalog, schemaPattern, functionNamePattern), null);
    }

    @Override
    public @Nullable ResultSet getFunctionColumns(
            String catalog, String schemaPattern, String functionNamePattern, String columnNamePattern)
            throws SQLException {
        return guard.result(
                driver().getFunctionColumns(catalog, schemaPattern, functionNamePattern, columnNamePattern), null);
    }

    @Override
    public @Nullable ResultSet getPseudoColumns(
            String catalog, String schemaPattern, String tableNamePattern, String columnNamePattern)
            throws SQLException {
        return guard.result(
                driver().getPseudoColumns(catalog, schemaPattern, tableNamePattern, columnNamePattern), null);
    }
}
