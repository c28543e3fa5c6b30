package io.counterpoint.idempotency.examples.appplatform.provision;

import java.sql.DatabaseMetaData;
import java.util.List;
import java.util.UUID;
import java.util.function.BiConsumer;
import java.util.regex.Pattern;
import org.jdbi.v3.core.Handle;
import org.jdbi.v3.core.Jdbi;

/**
 * The server that apps' databases are made on: PostgreSQL, or H2. Each app has a schema and a role of its own, named by the
 * app's id. Every step makes what is missing and leaves alone what is there. So it may be repeated, be late, and be asked for
 * by several at once.
 *
 * <p>Conditions: on PostgreSQL the user of the connections may create roles, and schemas in the database. On PostgreSQL
 * a step that fails leaves nothing; on H2 it may leave a part, which the next one completes. Roles cannot log in; they are granted to users that can.
 */
public final class SchemaServer {

    private static final List<String> TABLES = List.of("item", "attachment", "setting");
    private static final Pattern NAME = Pattern.compile("app_[0-9a-f]{32}");

    private final Jdbi jdbi;

    /**
     * A server.
     *
     * @param jdbi connections of their own: nothing of it shares a transaction with the platform
     */
    public SchemaServer(Jdbi jdbi) {
        this.jdbi = jdbi;
    }

    /**
     * The name of an app's schema, and of its role. It stands in SQL text, since an identifier cannot be a parameter, so it
     * is checked whatever made it.
     *
     * @param app the app
     * @return {@code app_} and 32 hexadecimal digits
     */
    public static String name(UUID app) {
        return valid("app_" + app.toString().replace("-", ""));
    }

    static String valid(String name) {
        if (!NAME.matcher(name).matches()) {
            throw new IllegalArgumentException(
                    "The name of a schema is app_ and 32 lower-case hexadecimal digits; this is none. Nothing was done.");
        }
        return name;
    }

    /**
     * Creates the schema and its role.
     *
     * @param app whose
     */
    public void createSchema(UUID app) {
        make(app, SchemaServer::schema);
    }

    /** One after the other for each app: statements that create what is missing fail if another creates it just then. */
    private void make(UUID app, BiConsumer<Handle, String> step) {
        String name = name(app);
        jdbi.useTransaction(server -> {
            if (isPostgreSql(server)) {
                server.createQuery("SELECT pg_advisory_xact_lock(hashtextextended(?, 0))")
                        .bind(0, name)
                        .mapToMap()
                        .one();
            }
            step.accept(server, name);
        });
    }

    private static void schema(Handle server, String name) {
        if (!isPostgreSql(server)) {
            server.execute("CREATE ROLE IF NOT EXISTS \"" + name + "\"");
        } else if (server.createQuery("SELECT count(*) FROM pg_roles WHERE rolname = ?")
                        .bind(0, name)
                        .mapTo(Integer.class)
                        .one()
                == 0) {
            server.execute("CREATE ROLE \"" + name + "\" NOLOGIN");
        }
        server.execute("CREATE SCHEMA IF NOT EXISTS \"" + name + "\"");
        server.execute("GRANT ALL ON SCHEMA \"" + name + "\" TO \"" + name + "\"");
    }

    private static boolean isPostgreSql(Handle server) {
        return server.queryMetadata(DatabaseMetaData::getDatabaseProductName).equals("PostgreSQL");
    }

    /**
     * Creates the tables, and before them the schema if it is missing.
     *
     * @param app whose
     */
    public void createTables(UUID app) {
        make(app, (server, name) -> {
            schema(server, name);
            TABLES.forEach(table -> {
                String qualified = "\"" + name + "\"." + table;
                server.execute("CREATE TABLE IF NOT EXISTS " + qualified
                        + " (id uuid PRIMARY KEY, content varchar(1000) NOT NULL)");
                server.execute("GRANT ALL ON " + qualified + " TO \"" + name + "\"");
            });
        });
    }

    /**
     * Whether the server has the schema.
     *
     * @param app whose
     * @return true if so
     */
    public boolean hasSchema(UUID app) {
        return count("information_schema.schemata WHERE schema_name = ?", app) == 1;
    }

    /**
     * Whether the server has all tables.
     *
     * @param app whose
     * @return true if so
     */
    public boolean hasTables(UUID app) {
        return count("information_schema.tables WHERE table_schema = ?", app) == TABLES.size();
    }

    private int count(String from, UUID app) {
        return jdbi.withHandle(server -> server.createQuery("SELECT count(*) FROM " + from)
                .bind(0, name(app))
                .mapTo(Integer.class)
                .one());
    }

    /**
     * An SQL condition on a table {@code app}: that its row has not all tables on the server. For a check in the database
     * that is the server.
     *
     * @return the condition
     */
    public static String missing() {
        return "'app_' || REPLACE(CAST(app.id AS varchar(36)), '-', '') NOT IN"
                + " (SELECT t.table_schema FROM information_schema.tables t GROUP BY t.table_schema HAVING count(*) >= "
                + TABLES.size() + ")";
    }
}
