package io.counterpoint.idempotency.mariadb;

import io.counterpoint.idempotency.IdempotencyKey;
import io.counterpoint.idempotency.jdbc.spi.ClaimOptions;
import io.counterpoint.idempotency.jdbc.spi.CombinedStatements;
import io.counterpoint.idempotency.jdbc.spi.Dialect;
import io.counterpoint.idempotency.jdbc.spi.InsertResult;
import io.counterpoint.idempotency.jdbc.spi.LockedRecord;
import io.counterpoint.idempotency.jdbc.spi.PurgedBatch;
import io.counterpoint.idempotency.jdbc.spi.RecordChange;
import io.counterpoint.idempotency.jdbc.spi.RecordRow;
import io.counterpoint.idempotency.jdbc.spi.RecordTable;
import io.counterpoint.idempotency.jdbc.spi.TableFacts;
import io.counterpoint.idempotency.jdbc.spi.TransactionName;
import io.counterpoint.idempotency.spi.Fault;
import io.counterpoint.idempotency.spi.IdempotencyRecord;
import io.counterpoint.idempotency.spi.LastStep;
import io.counterpoint.idempotency.spi.LockScope;
import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import java.time.OffsetDateTime;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/**
 * MariaDB 10.6 and later, and MySQL 8.0.17 and later, with any driver. The driver is the application's.
 *
 * <pre>{@code
 * JdbiIdempotencyStore store = JdbiIdempotencyStore.builder(pool).dialect(MariaDbDialect.mariaDb()).build();
 * }</pre>
 *
 * <p>It leaves the isolation level of the domain's transactions as it is: REPEATABLE READ, the default, and READ
 * COMMITTED are both good. READ UNCOMMITTED is refused by {@code checkTable}.
 *
 * <p>A deadlock ends a transaction here, and so does a lock timeout with {@code innodb_rollback_on_timeout}. The next
 * statement silently begins another. A savepoint that is set once, at the start, shows it. Where it is gone after the work,
 * the call throws that its outcome is unknown, and nothing of the work is committed. Let such errors out of the work, and it
 * runs again. Where it is gone before the work, the claims are made again.
 *
 * <p>Locks are waited for in whole seconds, rounded up. MySQL does not tell its sessions whether a transaction has begun,
 * so a connection that is handed out in the middle of one is noticed on MariaDB only. Galera needs {@link #galera()}. Other
 * clusters of several primaries are refused: their locks hold on one server only.
 */
public final class MariaDbDialect implements Dialect {

    private static final Set<String> IMPLICIT_COMMITS = Set.of(
            "BEGIN WORK",
            "START TRANSACTION",
            "CREATE TABLE",
            "CREATE INDEX",
            "ALTER TABLE",
            "DROP TABLE",
            "TRUNCATE",
            "RENAME TABLE",
            "ANALYZE TABLE",
            "OPTIMIZE TABLE",
            "FLUSH TABLES",
            // They would stay with the connection, whose next borrower could not reach the records.
            "LOCK TABLE",
            "LOCK TABLES");

    private final Server server;
    private final RecordTable table;
    private final LockBound bound;
    private final Changes changes;
    private final Reads reads;
    private final Optional<CombinedStatements> blocks;

    private MariaDbDialect(Server server, RecordTable table) {
        this.server = server;
        this.table = table;
        this.bound = new LockBound(server);
        this.changes = new Changes(table, bound);
        this.reads = new Reads(server, table, bound);
        this.blocks = server.block().map(any -> new Blocks(changes, reads, "COMMIT"));
    }

    /**
     * For MariaDB.
     *
     * @return the dialect, for the table {@link RecordTable#DEFAULT}
     */
    public static MariaDbDialect mariaDb() {
        return new MariaDbDialect(Server.MARIADB, RecordTable.DEFAULT);
    }

    /**
     * For nodes of Galera. Callers of one key may be on different nodes. Locks hold on one node only, so which of two
     * transactions stands is decided when they commit. What decides reads what all nodes have committed.
     *
     * <p>A leader on another node looks dead once the grace is over, even while it works. So choose a grace that is longer
     * than the longest work, and keep the clocks of the nodes close.
     *
     * @return the dialect, for the table {@link RecordTable#DEFAULT}
     */
    public static MariaDbDialect galera() {
        return new MariaDbDialect(Server.GALERA, RecordTable.DEFAULT);
    }

    /**
     * For MySQL.
     *
     * @return the dialect, for the table {@link RecordTable#DEFAULT}
     */
    public static MariaDbDialect mySql() {
        return new MariaDbDialect(Server.MYSQL, RecordTable.DEFAULT);
    }

    /**
     * For MySQL with Group Replication and a single primary. A primary that is cut off may not notice it, and goes on locking
     * what it cannot commit. So only an answered commit proves anything.
     *
     * @return the dialect, for the table {@link RecordTable#DEFAULT}
     */
    public static MariaDbDialect mySqlGroup() {
        return new MariaDbDialect(Server.MYSQL_GROUP, RecordTable.DEFAULT);
    }

    // ---- the table -----------------------------------------------------------------------------------------------

    @Override
    public RecordTable table() {
        return table;
    }

    @Override
    public Dialect withTable(RecordTable other) {
        return new MariaDbDialect(server, other);
    }

    @Override
    public String schemaFile() {
        return SchemaFile.path(server);
    }

    @Override
    public String schema() {
        return SchemaFile.script(server, table);
    }

    @Override
    public Optional<TableFacts> facts(Connection connection) throws SQLException {
        return new Catalogue(server, table).facts(connection);
    }

    // ---- steps ---------------------------------------------------------------------------------------------------

    /**
     * Alone, it reads before it inserts: an insert would wait for a leader that holds its record, and a condition in the
     * insert would lock the place of a record that is not there. In a transaction a read would open the snapshot from
     * which the domain reads, before the claim has waited. So there it inserts first.
     */
    @Override
    public InsertResult insert(Connection connection, IdempotencyRecord record, ClaimOptions options)
            throws SQLException {
        if (options.autoCommit()) {
            return !reads.isThere(connection, record.key()) && inserted(connection, record, options)
                    ? InsertResult.COMMITTED
                    : InsertResult.EXISTS;
        }
        if (insertedUnlessHeld(connection, record, options)) {
            return InsertResult.in(StartSavepoint.NAME);
        }
        return InsertResult.EXISTS;
    }

    /**
     * A record that a leader holds is there. Only what it will become is not known. What the transaction has claimed before
     * must not be gone with the wait.
     */
    private boolean insertedUnlessHeld(Connection connection, IdempotencyRecord record, ClaimOptions options)
            throws SQLException {
        try {
            return inserted(connection, record, options);
        } catch (SQLException thrown) {
            if (classify(thrown) != Fault.LOCK_TIMEOUT || !reads.isThere(connection, record.key())) {
                throw thrown;
            }
            if (options.transaction().isPresent()
                    && LockBound.single(connection, "SELECT @@innodb_rollback_on_timeout")
                            .equals("1")) {
                throw StartSavepoint.rolledBack(
                        "while it waited for a lock, because innodb_rollback_on_timeout is ON", thrown);
            }
            return false;
        }
    }

    /** At the first step of a transaction the savepoint is set with it. What does not throw has inserted its row. */
    private boolean inserted(Connection connection, IdempotencyRecord record, ClaimOptions options)
            throws SQLException {
        LockBound.Step<Boolean> step = statement -> {
            int unused = Changes.bindInsert(statement, 1, record, options);
            statement.executeUpdate();
            return true;
        };
        boolean isNamed = options.autoCommit() || options.transaction().isPresent();
        try {
            return isNamed
                    ? bound.with(connection, options.lockWait(), changes.insert(), step)
                    : bound.beginning(connection, options.lockWait(), changes.insert(), step);
        } catch (SQLException thrown) {
            if (thrown.getErrorCode() == MariaDbErrors.DUPLICATE) {
                return false;
            }
            throw thrown;
        }
    }

    /** The first record that is there refuses all. */
    @Override
    public boolean insertEach(Connection connection, List<? extends IdempotencyRecord> records, ClaimOptions options)
            throws SQLException {
        if (records.size() == 1) {
            return Dialect.super.insertEach(connection, records, options);
        }
        return changes.insertEach(connection, records, options);
    }

    @Override
    public Optional<IdempotencyRecord> read(Connection connection, IdempotencyKey key) throws SQLException {
        return reads.read(connection, key);
    }

    @Override
    public Map<IdempotencyKey, IdempotencyRecord> readAll(Connection connection, Set<IdempotencyKey> keys)
            throws SQLException {
        return reads.readAll(connection, keys);
    }

    @Override
    public Optional<LockedRecord> lock(
            Connection connection, IdempotencyKey key, Duration wait, Optional<TransactionName> transaction)
            throws SQLException {
        Optional<IdempotencyRecord> found = transaction.isPresent()
                ? reads.lock(connection, key, wait)
                : StartSavepoint.with(connection, server, () -> reads.lock(connection, key, wait));
        return found.map(record -> new LockedRecord(record, StartSavepoint.NAME));
    }

    @Override
    public boolean change(
            Connection connection,
            RecordChange change,
            IdempotencyKey key,
            UUID token,
            boolean autoCommit,
            @Nullable Object... values)
            throws SQLException {
        if (change != RecordChange.SUCCEED) {
            return changes.change(connection, LOCK_WAIT, change, key, token, values);
        }
        boolean isLocked = values[1] != null;
        return (!isLocked || StartSavepoint.wasThere(connection))
                && changes.change(connection, isLocked ? LockBound.NONE : LOCK_WAIT, change, key, token, values[0]);
    }

    @Override
    public boolean succeedAll(
            Connection connection, List<LastStep.Success> successes, @Nullable TransactionName transaction)
            throws SQLException {
        if (transaction != null && !StartSavepoint.wasThere(connection)) {
            return false;
        }
        for (LastStep.Success one : successes) {
            @Nullable Object[] result = {RecordRow.bytes(Optional.of(one.result()))};
            if (!changes.change(connection, LockBound.NONE, RecordChange.SUCCEED, one.key(), one.token(), result)) {
                return false;
            }
        }
        return true;
    }

    @Override
    public boolean confirm(Connection connection, IdempotencyKey key, UUID token, boolean autoCommit)
            throws SQLException {
        return changes.confirm(connection, key, token);
    }

    @Override
    public PurgedBatch purge(Connection connection, OffsetDateTime from, int batch) throws SQLException {
        return new Purge(server, table).run(connection, from, batch);
    }

    /** Returns combined statements if the server can run compound blocks, with either driver. */
    @Override
    public Optional<CombinedStatements> combined(Connection connection) {
        return blocks;
    }

    @Override
    public boolean turnsAutoCommitOff(Connection connection) throws SQLException {
        return blocks.isPresent() && DriverUrl.followsServer(connection);
    }

    // ---- transactions --------------------------------------------------------------------------------------------

    /** With autocommit nothing can have begun, so that nothing is asked. */
    @Override
    public boolean hasBegun(Connection connection) throws SQLException {
        return server.showsTransactions()
                && !connection.getAutoCommit()
                && LockBound.single(connection, "SELECT @@in_transaction").equals("1");
    }

    /** The level of the next transaction only. */
    @Override
    public void isolate(Connection connection, int level) throws SQLException {
        LockBound.execute(connection, "SET TRANSACTION ISOLATION LEVEL " + Catalogue.isolation(level));
    }

    /** A round trip at the start, and one at the end: the price of a deadlock that ends a transaction silently. */
    @Override
    public Optional<TransactionName> beginNamed(Connection connection) throws SQLException {
        return Optional.of(StartSavepoint.set(connection, server));
    }

    @Override
    public boolean isTransaction(Connection connection, TransactionName transaction) throws SQLException {
        return StartSavepoint.wasThere(connection);
    }

    @Override
    public boolean isReadOnly(SQLException thrown) {
        return thrown.getErrorCode() == MariaDbErrors.READ_ONLY_OPTION
                || thrown.getErrorCode() == MariaDbErrors.READ_ONLY_MODE
                || Dialect.super.isReadOnly(thrown);
    }

    @Override
    public Set<String> implicitCommits() {
        return IMPLICIT_COMMITS;
    }

    @Override
    public LockScope lockScope() {
        return server.lockScope();
    }

    /** A failed statement leaves the transaction as it was, or ends it and its savepoint: there is nothing to unmask. */
    @Override
    public void requireCommittable(Connection connection) {}

    // ---- errors --------------------------------------------------------------------------------------------------

    @Override
    public Fault classify(SQLException thrown) {
        return MariaDbErrors.classify(thrown, Dialect.super.classify(thrown));
    }
}
