package io.counterpoint.idempotency.jdbc;

import io.counterpoint.idempotency.IdempotencyKey;
import io.counterpoint.idempotency.jdbc.Connections.Borrowed;
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
            StoreOptions options,
            @Nullable Permit permit) {
        this.dialect = dialect;
        this.borrowed = borrowed;
        this.view = view;
        this.connection = borrowed.guard().delegate();
        this.isolation = options.isolation();
        this.relaxedClaims = options.relaxedClaims();
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
        Optional<CombinedStatements> combined = isolation.isPresent() ? Optional.empty() : watched(this::combined);
        if (combined.isEmpty()) {
            return autoCommit(steps -> steps.claim(pending, retention, lockWait, durability));
        }
        switchAutoCommit(false);
        return watched(() -> {
            CombinedClaim claim = new CombinedClaim(dialect, combined.get(), connection, this::rollback);
            Optional<IdempotencyRecord> found =
                    claim.claim(pending, stepAlone().terms(retention, lockWait, durability));
            begun = claim.lock();
            return found;
        });
    }

    private Optional<LockedRecord> taken() {
        Optional<LockedRecord> lock = begun;
        begun = Optional.empty();
        return lock;
    }

    private Optional<CombinedStatements> combined() {
        try {
            return dialect.combined(connection);
        } catch (SQLException thrown) {
            throw StoreException.of("Could not ask for the driver", connection, thrown);
        }
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
                throw StoreException.of("Could not read records together", connection, thrown);
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
                StoreException failed = StoreException.of("Could not purge", connection, thrown);
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
                throw StoreException.of("Could not set the isolation level", connection, thrown);
            }
        }
    }

    private void requireCommittable() {
        try {
            dialect.requireCommittable(connection);
        } catch (SQLException thrown) {
            throw StoreException.of("The transaction cannot be committed", connection, thrown);
        }
    }

    private void commit(JdbiTransaction transaction) {
        SQLException warned;
        try {
            connection.clearWarnings();
            warned = transaction.commit();
        } catch (SQLException thrown) {
            StoreException failed = StoreException.of("Could not commit", connection, thrown);
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
            throw StoreException.of("Could not begin a transaction", connection, thrown);
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
     * Whether the connection is as it came. What a callback has begun after the end is rolled back. Turning autocommit
     * on would commit an open transaction, so a transaction whose end was not seen is never ended by that.
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
}
