package io.counterpoint.idempotency.examples.appplatform;

import io.counterpoint.idempotency.examples.appplatform.usecase.DatabaseServer;
import java.util.UUID;
import org.jdbi.v3.core.Jdbi;

/** On H2, a row of a table stands in for a schema: {@code CREATE SCHEMA} would wait there for all other connections. */
record TableServer(Jdbi server) implements DatabaseServer {

    /** A condition on a row of the table of apps: its tables are not there. */
    static final String MISSING = "NOT EXISTS (SELECT 1 FROM server_schema s WHERE s.app_id = app.id AND s.tables > 0)";

    private static final int TABLES = 3;

    @Override
    public void createSchema(UUID app) {
        server.useHandle(handle -> handle.execute("""
                INSERT INTO server_schema (app_id, tables)
                SELECT id, 0 FROM app WHERE id = ? AND NOT EXISTS (SELECT 1 FROM server_schema WHERE app_id = ?)
                """, app, app));
    }

    @Override
    public void createTables(UUID app) {
        createSchema(app);
        server.useHandle(handle -> handle.execute("UPDATE server_schema SET tables = ? WHERE app_id = ?", TABLES, app));
    }

    @Override
    public boolean hasSchema(UUID app) {
        return tables(app) >= 0;
    }

    @Override
    public boolean hasTables(UUID app) {
        return tables(app) == TABLES;
    }

    /** Less than none where there is no schema. */
    private int tables(UUID app) {
        String tables = "SELECT COALESCE(max(tables), -1) FROM server_schema WHERE app_id = ?";
        return server.withHandle(
                handle -> handle.select(tables, app).mapTo(Integer.class).one());
    }
}
