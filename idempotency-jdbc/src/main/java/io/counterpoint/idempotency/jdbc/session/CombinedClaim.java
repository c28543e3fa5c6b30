package io.counterpoint.idempotency.jdbc.session;

import io.counterpoint.idempotency.IdempotencyKey;
import io.counterpoint.idempotency.jdbc.spi.ClaimOptions;
import io.counterpoint.idempotency.jdbc.spi.CombinedStatements;
import io.counterpoint.idempotency.jdbc.spi.Dialect;
import io.counterpoint.idempotency.jdbc.spi.InsertResult;
import io.counterpoint.idempotency.jdbc.spi.LockedRecord;
import io.counterpoint.idempotency.spi.Fault;
import io.counterpoint.idempotency.spi.IdempotencyRecord;
import io.counterpoint.idempotency.spi.IdempotencyRecord.Pending;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.Optional;
import java.util.function.Consumer;

/** A claim, its commit, and the lock of the next transaction, sent in one round trip. */
final class CombinedClaim {

    private final Dialect dialect;
    private final CombinedStatements statements;
    private final Connection connection;
    private final Consumer<Throwable> rollback;
    private Optional<LockedRecord> lock = Optional.empty();

    CombinedClaim(Dialect dialect, CombinedStatements statements, Connection connection, Consumer<Throwable> rollback) {
        this.dialect = dialect;
        this.statements = statements;
        this.connection = connection;
        this.rollback = rollback;
    }

    /** Returns the record that was found; empty if this one was inserted. */
    Optional<IdempotencyRecord> claim(Pending pending, ClaimOptions options) {
        InsertResult inserted;
        try {
            inserted = statements.claimAndLock(connection, pending, options);
        } catch (SQLException thrown) {
            requireClaimed(
                    pending,
                    StoreException.of(pending.key() + ": could not claim the record", dialect, connection, thrown));
            return Optional.empty();
        }
        lock = inserted.transaction().map(name -> new LockedRecord(pending, name));
        return inserted.inserted() ? Optional.empty() : readAndEnd(pending.key());
    }

    /** The lock with which the next transaction has begun, if it was given. */
    Optional<LockedRecord> lock() {
        return lock;
    }

    private Optional<IdempotencyRecord> readAndEnd(IdempotencyKey key) {
        try {
            return JdbcTransaction.found(statements.readAndEnd(connection, key), key);
        } catch (SQLException thrown) {
            StoreException failed = StoreException.of(key + ": could not read the record", dialect, connection, thrown);
            rollback.accept(failed);
            throw failed;
        }
    }

    /**
     * One of the combined statements has failed. The record shows whether the claim came before it. If the table cannot
     * be read at all, the claim has failed as well, since it reads the table first.
     */
    private void requireClaimed(Pending pending, StoreException failed) {
        if (failed.fault() == Fault.CONNECTION_LOST) {
            throw failed;
        }
        rollback.accept(failed);
        Optional<IdempotencyRecord> record = Optional.empty();
        try {
            record = dialect.read(connection, pending.key());
            connection.rollback();
        } catch (SQLException thrown) {
            StoreException unread =
                    StoreException.of(pending.key() + ": could not read the record", dialect, connection, thrown);
            rollback.accept(unread);
            if (unread.fault() != Fault.STATEMENT_REFUSED) {
                unread.addSuppressed(failed);
                throw new StoreException(
                        pending.key() + ": no answer whether the record was claimed", Fault.CONNECTION_LOST, unread);
            }
        }
        if (record.filter(found -> found.token().equals(pending.token())).isEmpty()) {
            throw failed;
        }
    }
}
