package io.counterpoint.idempotency.jdbc;

import io.counterpoint.idempotency.Failure;
import io.counterpoint.idempotency.IdempotencyKey;
import io.counterpoint.idempotency.jdbc.session.Connections;
import io.counterpoint.idempotency.jdbc.session.Connections.Borrowed;
import io.counterpoint.idempotency.jdbc.session.DatabaseErrors;
import io.counterpoint.idempotency.jdbc.session.StoreOptions;
import io.counterpoint.idempotency.jdbc.session.StoreOptions.Coalescing;
import io.counterpoint.idempotency.jdbc.spi.Dialect;
import io.counterpoint.idempotency.jdbc.spi.RecordTable;
import io.counterpoint.idempotency.spi.Fault;
import io.counterpoint.idempotency.spi.IdempotencyRecord;
import io.counterpoint.idempotency.spi.IdempotencyStore;
import io.counterpoint.idempotency.spi.Session;
import java.sql.Connection;
import java.time.Duration;
import java.util.Optional;
import java.util.function.BooleanSupplier;
import java.util.function.Supplier;
import javax.sql.DataSource;
import org.jdbi.v3.core.Handle;
import org.jdbi.v3.core.Jdbi;
import org.jdbi.v3.core.transaction.TransactionIsolationLevel;

/**
 * The store for PostgreSQL (13 and later) and H2 (2.2 and later), in one table beside the domain's own. Thread-safe.
 *
 * <p>It borrows one connection at a time from the {@link Jdbi} or {@link DataSource} it is given; a pool of one is
 * enough, in either autocommit mode. Callers of one key that share a store, or views of it with the same table, wait
 * for each other before they borrow a connection: make one store for a database. Domain code gets a {@link Handle} that
 * refuses to end its transaction; a nested {@code inTransaction} on that handle joins it.
 *
 * <p>What the handle's connection may do is a list: make statements and values, set savepoints, and ask. It refuses to
 * end the transaction, to change its isolation, and settings that would outlast it; setting them to what they are
 * changes nothing. It does not defend against SQL text that commits or rolls back, as a statement that defines a table
 * does in H2. Nor does it guard objects that {@code unwrap} returns for a class of the driver's own. What a callback of
 * the handle begins after the end of the transaction is rolled back.
 *
 * <p>Other threads may use the handle while the work runs, and the work has to wait for them. If one of them is in a call
 * when the work ends, the work fails, nothing is committed, and the connection is closed. Later calls are refused.
 *
 * <p>It refuses calls inside {@code jdbi.inTransaction}, {@code useHandle} and the like, or inside the work of an
 * operation, on the same thread. It would wait for a second connection there, or share a fate it does not control. It
 * sees transactions begun in any other way only where {@link #refusingInside} says how: theirs is another connection, and
 * what they roll back does not undo the operation. Those of Spring join where {@code idempotency-spring} makes the store.
 */
public final class JdbiIdempotencyStore implements IdempotencyStore<Handle> {

    final Sessions sessions;

    private JdbiIdempotencyStore(Sessions sessions) {
        this.sessions = sessions;
    }

    /**
     * A store in PostgreSQL, H2, or another database that a dialect on the class path or module path knows. The first call,
     * or {@link #checkTable}, asks the database which one it is. A file database of H2 needs {@code ;WRITE_DELAY=0} in its
     * URL: without it H2 loses acknowledged commits when the process is killed, and this library's promises with them.
     *
     * @param jdbi how to reach the database; one plugin is added to it, which concerns this library's handles only. Its
     *     plugins and settings hold for the handles that domain code gets
     * @return the store
     */
    public static JdbiIdempotencyStore on(Jdbi jdbi) {
        return on(Connections.of(jdbi));
    }

    /**
     * As {@link #on(Jdbi)}, but it makes a handle, with Jdbi's own settings, only where the work asks for one.
     *
     * @param dataSource how to reach the database, best a pool
     * @return the store
     */
    public static JdbiIdempotencyStore on(DataSource dataSource) {
        return on(Connections.of(dataSource));
    }

    private static JdbiIdempotencyStore on(Connections connections) {
        return new JdbiIdempotencyStore(Sessions.of(connections, StoreDialect.detected(connections)));
    }

    /**
     * A store with a dialect that is given, whatever the database says.
     *
     * @param jdbi how to reach the database; one plugin is added to it, which concerns this library's handles only
     * @param dialect its statements
     * @return the store
     */
    public static JdbiIdempotencyStore of(Jdbi jdbi, Dialect dialect) {
        return of(Connections.of(jdbi), dialect);
    }

    /**
     * As {@link #of(Jdbi, Dialect)}, but it makes a handle only where the work asks for one.
     *
     * @param dataSource how to reach the database, best a pool
     * @param dialect its statements
     * @return the store
     */
    public static JdbiIdempotencyStore of(DataSource dataSource, Dialect dialect) {
        return of(Connections.of(dataSource), dialect);
    }

    private static JdbiIdempotencyStore of(Connections connections, Dialect dialect) {
        return new JdbiIdempotencyStore(Sessions.of(connections, StoreDialect.of(connections, dialect)));
    }

    /**
     * This store with another table.
     *
     * @param table the table's name, with or without a schema; default {@code idempotency_record}. Without a schema each
     *     connection finds it by its own settings. Operations that record last are refused then
     * @return the store
     * @throws IllegalArgumentException if it is not a plain identifier of at most 48 characters
     */
    public JdbiIdempotencyStore withTable(String table) {
        return new JdbiIdempotencyStore(sessions.with(RecordTable.parse(table)));
    }

    /**
     * This store with another isolation level for domain transactions; operations of several levels use several views of
     * a store. Costs PostgreSQL one more statement a transaction, which a default set on the pool would not.
     *
     * @param level the level; default: that of the connection
     * @return the store
     * @throws IllegalArgumentException if it lets a transaction read what others have not committed
     */
    public JdbiIdempotencyStore withIsolation(TransactionIsolationLevel level) {
        if (level == TransactionIsolationLevel.READ_UNCOMMITTED || level == TransactionIsolationLevel.NONE) {
            throw new IllegalArgumentException("Domain transactions need READ_COMMITTED or a stricter level, found "
                    + level + ": with it a lookup finds effects that are rolled back.");
        }
        return with(sessions.options().withIsolation(level));
    }

    /**
     * This store with durable claims. By default PostgreSQL may commit the claim of a {@code CLAIM_FIRST} operation
     * asynchronously: its log is written in order, so no effect can outlive its claim. Databases that speak PostgreSQL
     * across machines do not promise that order: use this there.
     *
     * @return the store
     */
    public JdbiIdempotencyStore withDurableClaims() {
        return with(sessions.options().withDurableClaims());
    }

    /**
     * This store, which refuses every call while a transaction that it does not know is open on the calling thread. What
     * such a transaction rolls back would not undo the operation, and what the work does in it would not commit with the
     * record. With Spring, use {@code idempotency-spring}: there the work's transactions join that of the record. It does
     * not see what the work itself does through other connections: give the work's own SQL the handle.
     *
     * @param foreignTransaction whether such a transaction is open on this thread; asked at every call. It may throw
     *     instead, to say more: the call throws the same
     * @return the store
     */
    public JdbiIdempotencyStore refusingInside(BooleanSupplier foreignTransaction) {
        return with(sessions.options().refusingInside(foreignTransaction));
    }

    /**
     * This store with coalesced reads. They begin where more than sixteen callers of this very view read at the same
     * time, or fewer that wait longer for connections than for answers. One statement then serves the callers that come
     * while others read. No caller waits for others to come. What is read and promised is the same. Worth it where many
     * threads replay, most of all over a network or with a small pool; make one view for all operations. H2 reads one
     * record after the other. Where a statement for many fails, each reads for itself: a dead database is noticed in up
     * to twice the time.
     *
     * <p>Only callers of one database share a statement, and one of their own threads sends it. Where the data source or
     * the {@code search_path} depends on the calling thread, such as on its tenant, callers of different tenants have to
     * name different databases: otherwise one is answered with the other's record.
     *
     * @param database names what the calling thread is routed to, by a value with {@code equals} and {@code hashCode};
     *     always the same value where all threads mean one table, such as {@code () -> "orders"}. Asked once for each
     *     read, on the thread of the caller; what it throws, the read throws
     * @return the store
     */
    public JdbiIdempotencyStore withCoalescedReads(Supplier<?> database) {
        return withCoalescedReads(CoalescedReads.FEW, database);
    }

    /** The same with another number of callers of a database that read alone. */
    JdbiIdempotencyStore withCoalescedReads(int few, Supplier<?> database) {
        return with(sessions.options().withCoalescing(new Coalescing(few, database)));
    }

    private JdbiIdempotencyStore with(StoreOptions other) {
        return new JdbiIdempotencyStore(sessions.with(other));
    }

    /** How many groups have callers that read at this moment. */
    int groupsOfReads() {
        return sessions.groupsOfReads();
    }

    /**
     * This store for work that wants plain JDBC: the guarded connection of the transaction. A store made from a
     * {@link DataSource} then makes no handle at all.
     *
     * @return the store
     */
    public IdempotencyStore<Connection> connections() {
        return new ConnectionStore(this, sessions);
    }

    /**
     * Creates the table and its index if they are missing: for demonstrations and tests. In production, copy the file
     * {@code io/counterpoint/idempotency/jdbc/postgresql.sql} (or {@code h2.sql}) of this module into the migrations.
     *
     * @return this
     */
    public JdbiIdempotencyStore createTableIfMissing() {
        sessions.requireNotInside();
        Dialect dialect = sessions.dialect();
        sessions.connections().jdbi().useHandle(handle -> {
            Connections.requireNotBegun(handle.getConnection(), dialect);
            Schema.create(handle, dialect);
        });
        return checkTable();
    }

    /**
     * Checks, when an application starts, the table that the statements would use: its columns, primary key, persistence,
     * triggers, rules, inheritance and partitions. Then it writes records and reads them back, and rolls back: what is read
     * has to be what was written. Check constraints and policies are not judged: what they refuse or hide fails its call,
     * and is never answered wrongly.
     *
     * <p>Operations that record last are built after it only, and only where {@link #withTable} names the table with its
     * schema. Where the data source picks the database by the calling thread, only the database of this thread is checked.
     *
     * @return this
     * @throws IllegalStateException if anything is wrong; the message names all of it, and what to do about each
     */
    public JdbiIdempotencyStore checkTable() {
        sessions.checkTable();
        return this;
    }

    @Override
    public Session<Handle> open(IdempotencyKey key) {
        return sessions.open(Borrowed::handle);
    }

    @Override
    public Session<Handle> openForClaim(IdempotencyKey key, Duration maxWait) {
        return sessions.openForClaim(key, maxWait, Borrowed::handle);
    }

    @Override
    public Optional<IdempotencyRecord> read(IdempotencyKey key) {
        return sessions.read(key);
    }

    @Override
    public Fault classify(Throwable thrown) {
        return sessions.storeDialect().classify(thrown);
    }

    @Override
    public Optional<Failure> describe(Throwable thrown) {
        return DatabaseErrors.describe(thrown, classify(thrown));
    }

    @Override
    public Optional<String> remedy(Throwable thrown) {
        return sessions.storeDialect().known().flatMap(dialect -> DatabaseErrors.remedy(thrown, dialect));
    }

    @Override
    public boolean keepsEveryInsert() {
        return sessions.keepsEveryInsert();
    }

    @Override
    public boolean hasGlobalLocks() {
        return sessions.storeDialect().known().map(Dialect::hasGlobalLocks).orElse(true);
    }

    @Override
    public int purgeExpired(int batch) {
        return sessions.purge(batch);
    }

    @Override
    public String toString() {
        return "JdbiIdempotencyStore[" + sessions.storeDialect()
                + (sessions.isChecked() ? ", checked]" : ", not checked]");
    }
}
