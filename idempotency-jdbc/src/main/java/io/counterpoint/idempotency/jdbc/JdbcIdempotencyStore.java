package io.counterpoint.idempotency.jdbc;

import io.counterpoint.idempotency.jdbc.session.PlainConnections;
import java.sql.Connection;
import javax.sql.DataSource;

/**
 * The store for PostgreSQL (13 and later) and H2 (2.2 and later), in one table next to the domain's own. Thread-safe.
 *
 * <pre>{@code
 * JdbcIdempotencyStore store = JdbcIdempotencyStore.on(dataSource).checkTable();
 * Operation<Connection, UUID> placeOrder = Idempotency.on(store).operation("place-order", codec).build();
 * }</pre>
 *
 * <p>The store borrows one connection at a time from the given {@link DataSource}; a pool of one is enough, in either
 * autocommit mode. Callers of the same key that share a store, or views of it with the same table, wait for each other
 * before they borrow a connection, so create one store per database. The work gets a {@link Connection} that cannot be
 * used to end its transaction. With Jdbi, {@link JdbiIdempotencyStore} passes it a handle.
 *
 * <p>The connection permits an explicit list of calls: creating statements and values, setting savepoints, and queries
 * about itself. It rejects ending the transaction, changing its isolation, and settings that would outlast it, unless
 * they are set to their current value. SQL text is rejected if it is certain to end the transaction. A procedure that
 * commits is not detected, nor is text that databases interpret differently. Objects that {@code unwrap} returns for a
 * driver class are not restricted.
 *
 * <p>Other threads may use the connection while the work runs, but the work has to wait for them. If one of them is in
 * a call when the work ends, the work fails, nothing is committed, and the connection is closed. Later calls are
 * rejected.
 *
 * <p>The store rejects calls inside the work of an operation on the same thread: there it would wait for a second
 * connection or be rolled back with the outer work. Other transactions are detected only if {@link
 * JdbcStoreBuilder#rejectCallsWhile} is set: they use a different connection, and rolling them back does not undo the
 * operation. Spring's transactions join if {@code idempotency-spring} creates the store.
 */
public final class JdbcIdempotencyStore extends SqlStore<Connection> {

    private JdbcIdempotencyStore(View<Connection> view) {
        super(view);
    }

    /**
     * Creates a store in PostgreSQL, H2, or another database for which there is a dialect on the class path or module
     * path. The first call, or {@link #checkTable}, detects the database. Both reject a PostgreSQL session that hides
     * warnings. A file-based H2 database needs {@code ;WRITE_DELAY=0} in its URL: without it, H2 loses acknowledged
     * commits when the process is killed, which breaks this library's promises.
     *
     * @param dataSource the data source, preferably a pool
     * @return the store
     */
    public static JdbcIdempotencyStore on(DataSource dataSource) {
        return builder(dataSource).build();
    }

    /**
     * Returns a builder for a store with options.
     *
     * @param dataSource the data source, preferably a pool
     * @return the builder
     */
    public static JdbcStoreBuilder<JdbcIdempotencyStore> builder(DataSource dataSource) {
        return new JdbcStoreBuilder<>(new View<>(new PlainConnections(dataSource)), JdbcIdempotencyStore::new);
    }

    /**
     * Returns a builder for another view of this store, initialized with this store's options. If table and dialect are
     * the same, callers of both views wait for each other, and the table is checked once.
     *
     * @return the builder
     */
    public JdbcStoreBuilder<JdbcIdempotencyStore> toBuilder() {
        return new JdbcStoreBuilder<>(view, JdbcIdempotencyStore::new);
    }

    /**
     * Creates the table and its index if they are missing. Use it for demonstrations and tests; in production, copy the
     * file {@code io/counterpoint/idempotency/jdbc/postgresql.sql} (or {@code h2.sql}) from this module into your
     * migrations.
     *
     * @return this
     */
    public JdbcIdempotencyStore createTableIfMissing() {
        createTable();
        return this;
    }

    /**
     * Checks, at application startup, the table that the statements use: its columns, primary key, persistence,
     * triggers, rules, inheritance and partitions. It then writes records, verifies that they are read back unchanged,
     * and rolls back. Check constraints and policies are not examined: a record that they reject or hide makes its call
     * fail but never produces a wrong result.
     *
     * <p>Operations that record last can be built only after this check, and only if {@link JdbcStoreBuilder#table}
     * includes the schema.
     *
     * <p>The check sees the table, role and settings of one connection. Other connections of the data source may have a
     * different {@code search_path}, default database, role or server, such as those that are selected by the calling
     * thread. Name the table with its schema, and check the store once for each of these.
     *
     * @return this
     * @throws IllegalStateException if anything is wrong; the message lists every problem and how to fix it
     */
    @Override
    public JdbcIdempotencyStore checkTable() {
        requireFitTable();
        return this;
    }
}
