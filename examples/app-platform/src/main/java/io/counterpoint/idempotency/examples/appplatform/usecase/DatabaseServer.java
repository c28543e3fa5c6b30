package io.counterpoint.idempotency.examples.appplatform.usecase;

import java.util.UUID;

/** The server with the apps' databases. Every method that creates something is idempotent. */
public interface DatabaseServer {

    /** Creates an app's schema, with its own role. */
    void createSchema(UUID app);

    /** Creates the tables in the app's schema. */
    void createTables(UUID app);

    /** Whether the app's schema exists and belongs to the app's role. */
    boolean hasSchema(UUID app);

    /** Whether the app's schema contains all tables. */
    boolean hasTables(UUID app);
}
