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
 * The dialect for MariaDB 10.6 and later, and MySQL 8.0.17 and later, with any driver. The application provides the
 * driver.
 *
 * <pre>{@code
 * JdbiIdempotencyStore store = JdbiIdempotencyStore.builder(pool).dialect(MariaDbDialect.mariaDb()).build();
 * }</pre>
 *
 * <p>It does not change the isolation level of the domain's transactions: REPEATABLE READ, the default, and READ
 * COMMITTED are both suitable. {@code checkTable} rejects READ UNCOMMITTED.
 *
 * <p>A deadlock ends a transaction here, as does a lock timeout with {@code innodb_rollback_on_timeout}, and the next
 * statement silently begins another one. A savepoint that is set once, at the start, reveals this. If it is gone after
 * the work, the call reports an unknown outcome, and nothing of the work is committed. If you let such errors propagate
 * out of the work, it runs again. If the savepoint is gone before the work, the claims are repeated.
 *
 * <p>Lock timeouts are rounded up to whole seconds. MySQL does not reveal to its sessions whether a transaction has
 * begun, so a connection that is handed out in the middle of one is detected only on MariaDB. Galera needs {@link
 * #galera()}. Other clusters with several primaries are rejected, because their locks apply to only one server.
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
            "ANALYZE LOCAL",
            "ANALYZE NO_WRITE_TO_BINLOG",
            "CHECK TABLE",
            "OPTIMIZE",
            "REPAIR",
            "FLUSH",
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
     * Returns the dialect for MariaDB.
     *
     * @return the dialect, for the table {@link RecordTable#DEFAULT}
     */
    public static MariaDbDialect mariaDb() {
        return new MariaDbDialect(Server.MARIADB, RecordTable.DEFAULT);
    }

    /**
     * Returns the dialect for Galera nodes. Callers of one key may be on different nodes. Locks apply to only one node,
     * so conflicts between two transactions are resolved when they commit. Reads that a decision depends on see what
     * all nodes have committed.
     *
     * <p>A leader on another node looks dead once the grace period is over, even while it works. Choose a grace period
     * that is longer than the longest work, and keep the clocks of the nodes synchronized.
     *
     * @return the dialect, for the table {@link RecordTable#DEFAULT}
     */
    public static MariaDbDialect galera() {
        return new MariaDbDialect(Server.GALERA, RecordTable.DEFAULT);
    }

    /**
     * Returns the dialect for MySQL.
     *
     * @return the dialect, for the table {@link RecordTable#DEFAULT}
     */
    public static MariaDbDialect mySql() {
        return new MariaDbDialect(Server.MYSQL, RecordTable.DEFAULT);
    }

    /**
     * Returns the dialect for MySQL with Group Replication and a single primary. A primary that is cut off may not
     * notice and continue to lock records that it cannot commit, so only an acknowledged commit proves anything.
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
     * With autocommit, reads before it inserts: an insert would wait for a leader that holds its record, and a
     * condition in the insert would lock the gap of a missing record. In a transaction, a read would open the snapshot
     * from which the domain reads before the claim has waited, so there it inserts first.
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
     * A record that a leader holds exists; only its outcome is unknown. Earlier claims of the transaction must not be
     * lost because of the wait.
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

    /** The first step of a transaction also sets the savepoint. Unless the insert throws, it has inserted its row. */
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

    /** The first existing record fails all inserts. */
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

    /** Returns combined statements if the server supports compound blocks, with either driver. */
    @Override
    public Optional<CombinedStatements> combined(Connection connection) {
        return blocks;
    }

    @Override
    public boolean turnsAutoCommitOff(Connection connection) throws SQLException {
        return blocks.isPresent() && DriverUrl.followsServer(connection);
    }

    // ---- transactions --------------------------------------------------------------------------------------------

    /** With autocommit on, no transaction can have begun, so no query is needed. */
    @Override
    public boolean hasBegun(Connection connection) throws SQLException {
        return server.showsTransactions()
                && !connection.getAutoCommit()
                && LockBound.single(connection, "SELECT @@in_transaction").equals("1");
    }

    /** Sets the level of only the next transaction. */
    @Override
    public void isolate(Connection connection, int level) throws SQLException {
        LockBound.execute(connection, "SET TRANSACTION ISOLATION LEVEL " + Catalogue.isolation(level));
    }

    /** Costs a round trip at the start and one at the end, because a deadlock can silently end a transaction. */
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
        return MariaDbErrors.isReadOnly(thrown) || Dialect.super.isReadOnly(thrown);
    }

    @Override
    public boolean isOutOfReach(SQLException thrown) {
        return MariaDbErrors.VALUE_REFUSED.contains(thrown.getErrorCode()) || Dialect.super.isOutOfReach(thrown);
    }

    @Override
    public Set<String> implicitCommits() {
        return IMPLICIT_COMMITS;
    }

    @Override
    public LockScope lockScope() {
        return server.lockScope();
    }

    /**
     * A failed statement either leaves the transaction unchanged or ends it together with its savepoint, so there is
     * nothing to check.
     */
    @Override
    public void requireCommittable(Connection connection) {}

    // ---- errors --------------------------------------------------------------------------------------------------

    @Override
    public Fault classify(SQLException thrown) {
        return MariaDbErrors.classify(thrown, Dialect.super.classify(thrown));
    }
}
