package io.counterpoint.idempotency.examples.appplatform.usecase;

import java.util.UUID;

/** The server that apps' databases are made on. What is made twice is there once. */
public interface DatabaseServer {

    /** Makes an app's schema, with a role of its own. */
    void createSchema(UUID app);

    /** Makes the tables in the app's schema. */
    void createTables(UUID app);

    /** Whether the app has a schema, and its role has that. */
    boolean hasSchema(UUID app);

    /** Whether all tables are in the app's schema. */
    boolean hasTables(UUID app);
}
