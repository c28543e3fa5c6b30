package io.counterpoint.idempotency.jdbc.hsqldb;

import javax.sql.DataSource;

/** What the snippets of docs/add-a-database.md take for granted. */
public class PageContext {

    public DataSource pool;
}
