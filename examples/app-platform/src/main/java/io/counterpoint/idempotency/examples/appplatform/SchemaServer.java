package io.counterpoint.idempotency.examples.appplatform;

import io.counterpoint.idempotency.examples.appplatform.usecase.DatabaseServer;
import java.util.List;
import java.util.UUID;
import org.jdbi.v3.core.Handle;
import org.jdbi.v3.core.Jdbi;

/**
 * The platform's own PostgreSQL, over separate connections: {@code CREATE SCHEMA} and {@code CREATE ROLE} for each app.
 * A role has no password until an operator sets one. The connecting user needs {@code CREATEROLE}, and {@code CREATE}
 * on the database.
 */
record SchemaServer(Jdbi server) implements DatabaseServer {

    /** A condition on the app table: the app's tables are missing. */
    static final String MISSING = """
            NOT EXISTS (SELECT 1 FROM pg_catalog.pg_tables t
                WHERE t.schemaname = 'app_' || replace(CAST(app.id AS text), '-', '') HAVING count(*) = 3)""";

    private static final List<String> TABLES = List.of("setting", "record", "attachment");

    /** The name of the schema and of its role. */
    static String name(UUID app) {
        return "app_" + app.toString().replace("-", "");
    }

    @Override
    public void createSchema(UUID app) {
        server.useTransaction(handle -> create(handle, name(app)));
    }

    private static void create(Handle handle, String name) {
        // Serializes concurrent calls for the same app; the second one waits here.
        handle.execute("SELECT pg_advisory_xact_lock(hashtextextended(?, 0))", name);
        String role = "SELECT rolname FROM pg_catalog.pg_roles WHERE rolname = ?";
        if (handle.select(role, name).mapTo(String.class).findOne().isEmpty()) {
            handle.execute("CREATE ROLE " + name + " LOGIN");
            handle.execute("GRANT " + name + " TO CURRENT_USER");
        }
        handle.execute("CREATE SCHEMA IF NOT EXISTS " + name + " AUTHORIZATION " + name);
    }

    /** Uses the app's role, so that the app owns the tables. */
    @Override
    public void createTables(UUID app) {
        String name = name(app);
        server.useTransaction(handle -> {
            create(handle, name);
            handle.execute("SET LOCAL ROLE " + name);
            TABLES.forEach(table -> handle.execute("CREATE TABLE IF NOT EXISTS " + name + "." + table
                    + " (id uuid PRIMARY KEY, content text NOT NULL)"));
        });
    }

    @Override
    public boolean hasSchema(UUID app) {
        return is("""
                SELECT count(*) = 1 FROM pg_catalog.pg_namespace n
                JOIN pg_catalog.pg_roles r ON r.oid = n.nspowner AND r.rolname = n.nspname WHERE n.nspname = ?
                """, app);
    }

    @Override
    public boolean hasTables(UUID app) {
        return is(
                "SELECT count(*) = " + TABLES.size()
                        + " FROM pg_catalog.pg_tables WHERE schemaname = ? AND tableowner = schemaname",
                app);
    }

    private boolean is(String query, UUID app) {
        return server.withHandle(
                handle -> handle.select(query, name(app)).mapTo(Boolean.class).one());
    }
}
