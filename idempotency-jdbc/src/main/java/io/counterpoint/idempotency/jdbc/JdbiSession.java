package io.counterpoint.idempotency.jdbc;

import io.counterpoint.idempotency.IdempotencyKey;
import io.counterpoint.idempotency.jdbc.Connections.Borrowed;
import io.counterpoint.idempotency.jdbc.Dialect.ClaimOptions;
import io.counterpoint.idempotency.jdbc.Dialect.InsertResult;
import io.counterpoint.idempotency.jdbc.Dialect.LockedRecord;
import io.counterpoint.idempotency.jdbc.KeyedMutex.Permit;
import io.counterpoint.idempotency.spi.Durability;
import io.counterpoint.idempotency.spi.Fault;
import io.counterpoint.idempotency.spi.IdempotencyRecord;
import io.counterpoint.idempotency.spi.IdempotencyRecord.Pending;
import io.counterpoint.idempotency.spi.RecordSteps;
import io.counterpoint.idempotency.spi.Session;
import io.counterpoint.idempotency.spi.WorkScope;
import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.Set;
import java.util.function.BiFunction;
import java.util.function.Function;
import java.util.function.Supplier;
import org.jdbi.v3.core.Handle;
import org.jdbi.v3.core.Jdbi;
import org.jdbi.v3.core.transaction.TransactionIsolationLevel;
import org.jspecify.annotations.Nullable;

/**
 * One borrowed connection. It begins and ends transactions on the connection itself, whatever mode a pool hands it out
 * in and whatever Jdbi believes; domain code gets a guarded view of it.
 */
final class JdbiSession<C> implements Session<C> {

    /** How often a purge is repeated that met another one: under strict isolation the server refuses it then. */
    private static final int PURGE_TRIES = 5;

    /** The database in a transaction of which this thread is. */
    private static final ThreadLocal<@Nullable Jdbi> INSIDE = new ThreadLocal<>();

    private final Dialect dialect;
    private final Borrowed borrowed;
    private final Function<? super Borrowed, ? extends C> view;
    private final Connection connection;
    private final Optional<TransactionIsolationLevel> isolation;
    private final boolean relaxedClaims;
    private final boolean autoCommit;
    private final @Nullable Permit permit;
    /** The lock with which the transaction has begun that is to come next. */
    private Optional<LockedRecord> begun = Optional.empty();

    /** What callbacks threw after the commit. */
    private @Nullable Throwable afterCommit;

    /**
     * Whether the connection has to be ended: its transaction was not seen to end, or the driver may have been in the
     * middle of a message. JDBC commits an open transaction when autocommit is switched on.
     */
    private boolean broken;

    private OptionalInt isolationBefore = OptionalInt.empty();

    private boolean closed;

    JdbiSession(
            Dialect dialect,
            Borrowed borrowed,
            Function<? super Borrowed, ? extends C> view,
            Optional<TransactionIsolationLevel> isolation,
            boolean relaxedClaims,
            @Nullable Permit permit) {
        this.dialect = dialect;
        this.borrowed = borrowed;
        this.view = view;
        this.connection = borrowed.guard().delegate();
        this.isolation = isolation;
        this.relaxedClaims = relaxedClaims;
        this.autoCommit = borrowed.guard().initialAutoCommit();
        this.permit = permit;
    }

    @Override
    public boolean probablyClaimed() {
        return permit != null && permit.hasPredecessor();
    }

    @Override
    public <T> T autoCommit(Function<? super RecordSteps, ? extends T> step) {
        switchAutoCommit(true);
        return watched(() -> step.apply(stepAlone()));
    }

    /** An error may have struck in the middle of a message. */
    private <T> T watched(Supplier<T> calls) {
        try {
            return calls.get();
        } catch (Error thrown) {
            broken |= dialect.losesStepByErrors();
            throw thrown;
        }
    }

    @Override
    public Optional<Throwable> afterCommitFailure() {
        return Optional.ofNullable(afterCommit);
    }

    private JdbiTransaction stepAlone() {
        return new JdbiTransaction(dialect, connection, true, relaxedClaims);
    }

    @Override
    public Optional<IdempotencyRecord> claimAndLock(
            Pending pending, Duration retention, Duration lockWait, Durability durability) {
        if (isolation.isPresent() || !watched(this::claimsAndLocks)) {
            return autoCommit(steps -> steps.claim(pending, retention, lockWait, durability));
        }
        switchAutoCommit(false);
        return watched(() -> claimTogether(pending, retention, lockWait, durability));
    }

    private Optional<IdempotencyRecord> claimTogether(
            Pending pending, Duration retention, Duration lockWait, Durability durability) {
        ClaimOptions terms = stepAlone().terms(retention, lockWait, durability);
        InsertResult inserted;
        try {
            inserted = dialect.claimAndLock(connection, pending, terms);
        } catch (SQLException thrown) {
            return claimed(pending, failed(pending.key() + ": could not claim the record", connection, thrown));
        }
        begun = inserted.transaction().map(name -> new LockedRecord(pending, name));
        return inserted.done() ? Optional.empty() : readAndEnd(pending.key());
    }

    private Optional<IdempotencyRecord> readAndEnd(IdempotencyKey key) {
        try {
            Optional<IdempotencyRecord> record = dialect.readAndEnd(connection, key);
            return JdbiTransaction.found(record, key);
        } catch (SQLException thrown) {
            StoreException failed = failed(key + ": could not read the record", connection, thrown);
            rollback(failed);
            throw failed;
        }
    }

    private Optional<LockedRecord> taken() {
        Optional<LockedRecord> lock = begun;
        begun = Optional.empty();
        return lock;
    }

    private boolean claimsAndLocks() {
        try {
            return dialect.claimsAndLocks(connection);
        } catch (SQLException thrown) {
            throw failed("Could not ask for the driver", connection, thrown);
        }
    }

    /**
     * A statement of several has failed. Whether the claim was one of those before it, the record tells; if the table
     * cannot be read at all, the claim has failed as well, since it reads the table first.
     */
    private Optional<IdempotencyRecord> claimed(Pending pending, StoreException failed) {
        if (failed.fault() == Fault.CONNECTION_LOST) {
            throw failed;
        }
        rollback(failed);
        Optional<IdempotencyRecord> record = Optional.empty();
        try {
            record = dialect.read(connection, pending.key());
            connection.rollback();
        } catch (SQLException thrown) {
            StoreException unread = failed(pending.key() + ": could not read the record", connection, thrown);
            rollback(unread);
            if (unread.fault() != Fault.STATEMENT_REFUSED) {
                unread.addSuppressed(failed);
                throw new StoreException(
                        pending.key() + ": no answer whether the record was claimed", Fault.CONNECTION_LOST, unread);
            }
        }
        if (record.filter(found -> found.token().equals(pending.token())).isPresent()) {
            return Optional.empty();
        }
        throw failed;
    }

    @Override
    public <T> T inTransaction(BiFunction<? super RecordSteps, ? super WorkScope<C>, ? extends T> body) {
        Jdbi outer = INSIDE.get();
        INSIDE.set(borrowed.jdbi());
        try {
            return committed(body);
        } finally {
            INSIDE.set(outer);
        }
    }

    /** Whether this thread is in a transaction that a session began on that database. */
    static boolean isInside(Jdbi jdbi) {
        return INSIDE.get() == jdbi;
    }

    private <T> T committed(BiFunction<? super RecordSteps, ? super WorkScope<C>, ? extends T> body) {
        JdbiTransaction transaction = new JdbiTransaction(dialect, connection, false, false).holding(taken());
        T answer;
        try {
            begin();
            answer = body.apply(transaction, WorkScope.of(() -> view.apply(borrowed)));
            requireCommittable();
        } catch (Throwable thrown) {
            // The driver may have been in the middle of a message, and would read another caller's answer next.
            broken |= thrown instanceof VirtualMachineError && dialect.losesStepByErrors();
            rollback(thrown);
            throw thrown;
        }
        commit(transaction);
        return answer;
    }

    Map<IdempotencyKey, IdempotencyRecord> readAll(Set<IdempotencyKey> keys) {
        switchAutoCommit(true);
        return watched(() -> {
            try {
                return dialect.readAll(connection, keys);
            } catch (SQLException thrown) {
                throw failed("Could not read records together", connection, thrown);
            }
        });
    }

    int purge(int batch) {
        switchAutoCommit(true);
        return watched(() -> purgeUnlessItConflicts(batch));
    }

    private int purgeUnlessItConflicts(int batch) {
        for (int tries = 1; ; tries++) {
            try {
                return dialect.sweep().purge(connection, batch);
            } catch (SQLException thrown) {
                StoreException failed = failed("Could not purge", connection, thrown);
                if (tries == PURGE_TRIES || failed.fault() != Fault.CONFLICT) {
                    throw failed;
                }
            }
        }
    }

    private void begin() {
        switchAutoCommit(false);
        if (isolation.isPresent()) {
            try {
                if (isolationBefore.isEmpty()) {
                    isolationBefore = dialect.isolationToRestore(connection);
                }
                dialect.isolate(connection, isolation.get());
            } catch (SQLException thrown) {
                throw failed("Could not set the isolation level", connection, thrown);
            }
        }
    }

    private void requireCommittable() {
        try {
            dialect.requireCommittable(connection);
        } catch (SQLException thrown) {
            throw failed("The transaction cannot be committed", connection, thrown);
        }
    }

    private void commit(JdbiTransaction transaction) {
        SQLException warned;
        try {
            connection.clearWarnings();
            warned = sendCommit(transaction);
        } catch (SQLException thrown) {
            StoreException failed = failed("Could not commit", connection, thrown);
            rollback(failed);
            throw failed;
        } catch (RuntimeException refused) {
            rollback(refused);
            throw refused;
        } catch (Error thrown) {
            broken |= dialect.losesStepByErrors();
            rollback(thrown);
            throw thrown;
        }
        afterCommit = null;
        try {
            borrowed.ended(Handle::commit);
        } catch (RuntimeException | Error thrown) {
            afterCommit = thrown;
        }
        if (warned != null) {
            throw new StoreException("The database answered the commit with a warning", Fault.CONNECTION_LOST, warned);
        }
    }

    /**
     * PostgreSQL warns where it gave up waiting for its standby: the commit may be lost with this server.
     *
     * @return the warning, if there was one
     */
    private @Nullable SQLException sendCommit(JdbiTransaction transaction) throws SQLException {
        try {
            if (!transaction.endsTogether()) {
                throw transaction.notItsOwn();
            }
        } catch (CommitWarning warning) {
            return warning;
        }
        if (!transaction.hasCommitted()) {
            connection.commit();
            return answered(connection::getWarnings);
        }
        // Sends nothing, but pools keep books.
        return answered(() -> {
            connection.commit();
            return null;
        });
    }

    /** Whatever goes wrong after the commit was answered says nothing of it. */
    private static @Nullable SQLException answered(AfterCommit step) {
        try {
            return step.run();
        } catch (SQLException thrown) {
            throw new StoreException(
                    "The commit was answered, and then the connection failed", Fault.CONNECTION_LOST, thrown);
        }
    }

    private interface AfterCommit {
        @Nullable
        SQLException run() throws SQLException;
    }

    private void rollback(Throwable because) {
        try {
            connection.rollback();
        } catch (SQLException | RuntimeException | Error thrown) {
            broken = true;
            suppress(because, thrown);
        }
        try {
            borrowed.ended(Handle::rollback);
        } catch (RuntimeException | Error thrown) {
            suppress(because, thrown);
        }
    }

    private static void suppress(Throwable thrown, Throwable also) {
        if (thrown != also) {
            thrown.addSuppressed(also);
        }
    }

    private void switchAutoCommit(boolean wanted) {
        try {
            if (connection.getAutoCommit() != wanted) {
                connection.setAutoCommit(wanted);
            }
        } catch (SQLException thrown) {
            throw failed("Could not begin a transaction", connection, thrown);
        } catch (Error thrown) {
            broken |= dialect.losesStepByErrors();
            throw thrown;
        }
    }

    /** Gives the connection back, and the permit. */
    @Override
    public void close() {
        if (closed) {
            return;
        }
        closed = true;
        try {
            borrowed.close(isAsItWasLent());
        } finally {
            if (permit != null) {
                permit.release();
            }
        }
    }

    /**
     * Whether the connection is as it came. What a callback has begun after the end is rolled back. To permit autocommit on
     * would commit a transaction that is open, so one that was not seen to end is never ended by that.
     */
    private boolean isAsItWasLent() {
        if (broken) {
            return false;
        }
        try {
            if (!connection.isClosed()) {
                restore();
            }
            return true;
        } catch (SQLException | RuntimeException | Error unknown) {
            return false;
        }
    }

    private void restore() throws SQLException {
        if (!connection.getAutoCommit()) {
            connection.rollback();
        }
        if (isolationBefore.isPresent()) {
            connection.setTransactionIsolation(isolationBefore.getAsInt());
        }
        if (connection.getAutoCommit() != autoCommit) {
            connection.setAutoCommit(autoCommit);
        }
    }

    /** What a failed statement or commit proves: an answer of the database counts only while the connection is open. */
    static StoreException failed(String doing, Connection connection, SQLException thrown) {
        Fault fault = SqlErrorClassifier.classify(thrown);
        boolean open;
        try {
            open = !connection.isClosed();
        } catch (SQLException unknown) {
            open = false;
        }
        return new StoreException(doing, open ? fault : Fault.CONNECTION_LOST, thrown);
    }
}
