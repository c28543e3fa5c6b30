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
 * <p>It borrows one connection at a time from the {@link DataSource} it is given; a pool of one is enough, in either
 * autocommit mode. Callers of the same key that share a store, or views of it with the same table, wait for each other
 * before they borrow a connection, so create one store per database. The work gets a {@link Connection} that refuses to
 * end its transaction. With Jdbi, use {@link JdbiIdempotencyStore}, which gives the work a handle.
 *
 * <p>The connection can create statements and values, set savepoints, and answer queries about itself. It refuses to
 * end the transaction, to change its isolation level, and to change settings that would outlast it, unless they already
 * have that value. SQL text is rejected if it certainly ends the transaction. It cannot detect a procedure that
 * commits, or text that databases parse differently. Nor does it guard objects that {@code unwrap} returns for one of
 * the driver's own classes.
 *
 * <p>Other threads may use the connection while the work runs, and the work has to wait for them. If one of them is
 * executing a call when the work ends, the work fails, nothing is committed, and the connection is closed. Later calls
 * are refused.
 *
 * <p>The store rejects calls inside the work of an operation on the same thread. Such a call would need a second
 * connection, or depend on a transaction that it does not control. It detects other transactions only through {@link
 * JdbcStoreBuilder#rejectCallsWhile}: they use another connection, so their rollback would not undo the operation.
 * Spring's transactions join if the store comes from {@code idempotency-spring}.
 */
public final class JdbcIdempotencyStore extends SqlStore<Connection> {

    private JdbcIdempotencyStore(View<Connection> view) {
        super(view);
    }

    /**
     * Creates a store in PostgreSQL, H2, or any other database with a dialect on the class path or module path. The
     * first call, or {@link #checkTable}, detects the database. Both reject a PostgreSQL session that suppresses
     * warnings. A file database of H2 needs {@code ;WRITE_DELAY=0} in its URL: without it, H2 loses acknowledged
     * commits when the process is killed, which breaks this library's guarantees.
     *
     * @param dataSource gives connections, ideally a pool
     * @return the store
     */
    public static JdbcIdempotencyStore on(DataSource dataSource) {
        return builder(dataSource).build();
    }

    /**
     * The same, with options.
     *
     * @param dataSource gives connections, ideally a pool
     * @return the options
     */
    public static JdbcStoreBuilder<JdbcIdempotencyStore> builder(DataSource dataSource) {
        return new JdbcStoreBuilder<>(new View<>(new PlainConnections(dataSource)), JdbcIdempotencyStore::new);
    }

    /**
     * Returns a builder for another view of this store, initialized with its options. If table and dialect are the
     * same, callers of both views wait for each other, and the table is checked only once.
     *
     * @return the options
     */
    public JdbcStoreBuilder<JdbcIdempotencyStore> toBuilder() {
        return new JdbcStoreBuilder<>(view, JdbcIdempotencyStore::new);
    }

    /**
     * Creates the table and its index if they are missing, for demos and tests. In production, copy the file
     * {@code io/counterpoint/idempotency/jdbc/postgresql.sql} (or {@code h2.sql}) of this module into the migrations.
     *
     * @return this
     */
    public JdbcIdempotencyStore createTableIfMissing() {
        createTable();
        return this;
    }

    /**
     * Checks the table that the statements use, at application startup: its columns, primary key, persistence,
     * triggers, rules, inheritance and partitions. It then writes records, reads them back unchanged, and rolls back.
     * It does not judge check constraints and policies: a row that they reject or hide fails its call, and never
     * produces a wrong result.
     *
     * <p>Operations that record last can be built only after it, and only if {@link JdbcStoreBuilder#table} names the
     * table with its schema. If the data source chooses the database by the calling thread, only this thread's database
     * is checked.
     *
     * @return this
     * @throws IllegalStateException if anything is wrong; the message lists every problem with its remedy
     */
    @Override
    public JdbcIdempotencyStore checkTable() {
        requireFitTable();
        return this;
    }
}
