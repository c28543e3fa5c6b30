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
 * autocommit mode. Callers of one key that share a store, or views of it with the same table, wait for each other before
 * they borrow a connection: make one store for a database. The work gets a {@link Connection} that refuses to end its
 * transaction. With Jdbi, {@link JdbiIdempotencyStore} gives it a handle.
 *
 * <p>What the connection may do is a list: make statements and values, set savepoints, and ask. It refuses to end the
 * transaction, to change its isolation, and settings that would outlast it; setting them to what they are changes nothing.
 * SQL text is refused where it certainly ends the transaction. A procedure that commits passes, and text that databases read
 * differently. So do objects that {@code unwrap} returns for a class of the driver's own.
 *
 * <p>Other threads may use the connection while the work runs, and the work has to wait for them. If one of them is in a
 * call when the work ends, the work fails, nothing is committed, and the connection is closed. Later calls are refused.
 *
 * <p>It refuses calls inside the work of an operation, on the same thread. It would wait for a second connection there, or
 * share a fate it does not control. It sees transactions begun in any other way only where {@link
 * JdbcStoreBuilder#rejectCallsWhile} says how: theirs is another connection, and what they roll back does not undo the
 * operation. Those of Spring join where {@code idempotency-spring} makes the store.
 */
public final class JdbcIdempotencyStore extends SqlStore<Connection> {

    private JdbcIdempotencyStore(View<Connection> view) {
        super(view);
    }

    /**
     * Creates a store in PostgreSQL, H2, or another database for which there is a dialect on the class path or module
     * path. The first call, or {@link #checkTable}, asks the database which one it is. Both refuse a session of
     * PostgreSQL that hides warnings. A file database of H2 needs {@code ;WRITE_DELAY=0} in its URL: without it H2
     * loses acknowledged commits when the process is killed, and this library's promises with them.
     *
     * @param dataSource how to reach the database, best a pool
     * @return the store
     */
    public static JdbcIdempotencyStore on(DataSource dataSource) {
        return builder(dataSource).build();
    }

    /**
     * The same, with options.
     *
     * @param dataSource how to reach the database, best a pool
     * @return the options
     */
    public static JdbcStoreBuilder<JdbcIdempotencyStore> builder(DataSource dataSource) {
        return new JdbcStoreBuilder<>(new View<>(new PlainConnections(dataSource)), JdbcIdempotencyStore::new);
    }

    /**
     * Another view of this store: it begins with the options of this one. With the same table and dialect, callers of both
     * wait for each other, and the table is checked once.
     *
     * @return the options
     */
    public JdbcStoreBuilder<JdbcIdempotencyStore> toBuilder() {
        return new JdbcStoreBuilder<>(view, JdbcIdempotencyStore::new);
    }

    /**
     * Creates the table and its index if they are missing: for demonstrations and tests. In production, copy the file
     * {@code io/counterpoint/idempotency/jdbc/postgresql.sql} (or {@code h2.sql}) of this module into the migrations.
     *
     * @return this
     */
    public JdbcIdempotencyStore createTableIfMissing() {
        createTable();
        return this;
    }

    /**
     * Checks the table that the statements use, when an application starts: its columns, primary key, persistence,
     * triggers, rules, inheritance and partitions. Then it writes records and reads them back, and rolls back: what is read
     * has to be what was written. Check constraints and policies are not judged: what they refuse or hide fails its call,
     * and is never answered wrongly.
     *
     * <p>Operations that record last are built after it only, and only where {@link JdbcStoreBuilder#table} names the table
     * with its schema. Where the data source picks the database by the calling thread, only the database of this thread is
     * checked.
     *
     * @return this
     * @throws IllegalStateException if anything is wrong; the message names all of it, and what to do about each
     */
    @Override
    public JdbcIdempotencyStore checkTable() {
        requireFitTable();
        return this;
    }
}
