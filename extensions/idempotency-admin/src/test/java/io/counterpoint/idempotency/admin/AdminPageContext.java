package io.counterpoint.idempotency.admin;

import io.counterpoint.idempotency.jdbc.JdbiIdempotencyStore;
import javax.sql.DataSource;

/** What the snippets of the page take for granted. */
public abstract class AdminPageContext {
    protected DataSource dataSource;
    protected JdbiIdempotencyStore store;
}
