package io.counterpoint.idempotency.jdbc.session;

import io.counterpoint.idempotency.IdempotencyKey;
import io.counterpoint.idempotency.MisuseException;
import io.counterpoint.idempotency.internal.KeyedPermits;
import io.counterpoint.idempotency.jdbc.spi.ClaimOptions;
import io.counterpoint.idempotency.jdbc.spi.CombinedStatements;
import io.counterpoint.idempotency.jdbc.spi.Dialect;
import io.counterpoint.idempotency.jdbc.spi.InsertResult;
import io.counterpoint.idempotency.jdbc.spi.LockedRecord;
import io.counterpoint.idempotency.spi.Durability;
import io.counterpoint.idempotency.spi.Fault;
import io.counterpoint.idempotency.spi.IdempotencyRecord;
import io.counterpoint.idempotency.spi.IdempotencyRecord.Pending;
import io.counterpoint.idempotency.spi.RecordSteps;
import io.counterpoint.idempotency.spi.Session;
import io.counterpoint.idempotency.spi.StoreException;
import io.counterpoint.idempotency.spi.WorkScope;
import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import java.util.Optional;
import java.util.function.BiFunction;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * Steps and transactions on one borrowed connection. The session begins and ends them on the connection itself,
 * regardless of the mode in which a pool hands it out and of the state that Jdbi assumes; domain code gets a guarded
 * view of it.
 *
 * @param <C> the handle that the work gets
 */
public final class JdbcSession<C> implements Session<C> {

    /**
     * How often a purge is retried after colliding with another one, which the server rejects under strict isolation.
     */
    private static final int PURGE_TRIES = 5;

    /** The origin of the connection whose transaction is open on this thread. */
    private static final ThreadLocal<@Nullable Object> INSIDE = new ThreadLocal<>();

    private final Dialect dialect;
    private final Connection connection;
    private final LentConnection<C> lent;
    private final boolean keepsEveryInsert;
    private final StoreOptions options;
    private final KeyedPermits<IdempotencyKey>.@Nullable Permit permit;

    /** The lock with which the next transaction has already begun. */
    private Optional<LockedRecord> begun = Optional.empty();

    private @Nullable TransactionEnd latest;

    private boolean closed;

    public JdbcSession(
            LentConnection<C> lent,
            boolean keepsEveryInsert,
            StoreOptions options,
            KeyedPermits<IdempotencyKey>.@Nullable Permit permit) {
        this.dialect = lent.dialect;
        this.connection = lent.connection;
        this.lent = lent;
        this.keepsEveryInsert = keepsEveryInsert;
        this.options = options;
        this.permit = permit;
    }

    @Override
    public boolean probablyClaimed() {
        return permit != null && permit.hasPredecessor();
    }

    @Override
    public boolean hasTurn() {
        return permit == null || permit.isHeld();
    }

    @Override
    public <T> T autoCommit(Function<? super RecordSteps, ? extends T> step) {
        lent.switchAutoCommit(true);
        return lent.watched(() -> step.apply(stepAlone()));
    }

    @Override
    public Optional<Throwable> afterCommitFailure() {
        return latest == null ? Optional.empty() : latest.afterCommitFailure();
    }

    @Override
    public boolean commitMayBeSent() {
        return latest != null && latest.mayBeSent();
    }

    @Override
    public boolean isOutlived() {
        return lent.isOutlived();
    }

    private JdbcTransaction stepAlone() {
        return new JdbcTransaction(lent, null, options, Optional.empty(), false);
    }

    @Override
    public Optional<IdempotencyRecord> claimAndLock(
            Pending pending, Duration retention, Duration lockWait, Durability durability) {
        Optional<CombinedStatements> combined = options.isolation().isPresent()
                ? Optional.empty()
                : lent.watched(() -> StoreFailures.unlessRefused(
                        "Could not identify the driver", dialect, connection, lent::combined));
        if (combined.isEmpty()) {
            return autoCommit(steps -> steps.claim(pending, retention, lockWait, durability));
        }
        lent.begin(true);
        return lent.watched(
                () -> claimAndLock(combined.get(), pending, stepAlone().terms(retention, lockWait, durability)));
    }

    /** Sends a claim, its commit and the lock of the next transaction in one round trip. */
    private Optional<IdempotencyRecord> claimAndLock(
            CombinedStatements statements, Pending pending, ClaimOptions terms) {
        begun = Optional.empty();
        InsertResult inserted;
        try {
            inserted = lent.first(() -> statements.claimAndLock(connection, pending, terms));
        } catch (SQLException thrown) {
            requireClaimed(pending, StoreFailures.of(pending.key(), "claim", dialect, connection, thrown));
            return Optional.empty();
        }
        begun = inserted.transaction().map(name -> new LockedRecord(pending, name));
        return inserted.inserted() ? Optional.empty() : readAndEnd(statements, pending.key());
    }

    private Optional<IdempotencyRecord> readAndEnd(CombinedStatements statements, IdempotencyKey key) {
        try {
            return JdbcTransaction.found(statements.readAndEnd(connection, key), key);
        } catch (SQLException thrown) {
            StoreException failed = StoreFailures.of(key, "read", dialect, connection, thrown);
            lent.rollback(failed);
            throw failed;
        }
    }

    /**
     * Handles the failure of one of the combined statements. The record shows whether the claim was committed before
     * it. If the table cannot be read at all, the claim has failed as well, because it reads the table first.
     */
    private void requireClaimed(Pending pending, StoreException failed) {
        if (failed.fault() == Fault.CONNECTION_LOST) {
            throw failed;
        }
        lent.rollback(failed);
        Optional<IdempotencyRecord> record = Optional.empty();
        try {
            record = dialect.read(connection, pending.key());
            connection.rollback();
        } catch (SQLException thrown) {
            StoreException unread = StoreFailures.of(pending.key(), "read", dialect, connection, thrown);
            lent.rollback(unread);
            if (unread.fault() != Fault.STATEMENT_REFUSED) {
                unread.addSuppressed(failed);
                throw new StoreException(
                        pending.key() + ": no reply whether the record was claimed", Fault.CONNECTION_LOST, unread);
            }
        }
        if (record.filter(found -> found.token().equals(pending.token())).isEmpty()) {
            throw failed;
        }
    }

    @Override
    public <T> T inTransaction(BiFunction<? super RecordSteps, ? super WorkScope<C>, ? extends T> body) {
        Object outer = INSIDE.get();
        INSIDE.set(lent.from.origin());
        try {
            return committed(body);
        } finally {
            INSIDE.set(outer);
        }
    }

    /** Whether this thread is in a transaction that a session began on a connection from this origin. */
    static boolean isInside(Object origin) {
        return INSIDE.get() == origin;
    }

    private <T> T committed(BiFunction<? super RecordSteps, ? super WorkScope<C>, ? extends T> body) {
        TransactionEnd end = new TransactionEnd(lent);
        JdbcTransaction transaction = new JdbcTransaction(lent, end, options, begun, keepsEveryInsert);
        latest = end;
        begun = Optional.empty();
        try {
            begin();
            T answer = body.apply(transaction, WorkScope.of(this::view));
            end.bodyReturned();
            return answer;
        } catch (Throwable thrown) {
            if (!end.isOver()) {
                if (thrown instanceof VirtualMachineError) {
                    lent.struckByError();
                }
                lent.rollback(thrown);
            }
            throw thrown;
        }
    }

    /** Commits a statement that touches no table. */
    public void awaitDurable(IdempotencyKey key) {
        String barrier = barrier(dialect);
        lent.switchAutoCommit(true);
        boolean unused = lent.watched(() -> StoreFailures.unlessRefused(
                key + ": could not wait until what it read was durable",
                dialect,
                connection,
                () -> Sql.commits(connection, barrier, dialect::isHarmless)));
    }

    /** The statement that {@link #awaitDurable} commits. */
    public static String barrier(Dialect dialect) {
        return dialect.barrier()
                .orElseThrow(() -> new MisuseException(
                        "durableReplays(true) needs a database that can commit without a change, but "
                                + dialect.getClass().getSimpleName() + " has no statement for it: use PostgreSQL, or"
                                + " remove the option."));
    }

    /** Runs a purge, which may collide with another one. */
    public int purge(Connections.Question<Integer> purging) {
        lent.switchAutoCommit(true);
        return lent.watched(() -> purgeUnlessItConflicts(purging));
    }

    private int purgeUnlessItConflicts(Connections.Question<Integer> purging) {
        for (int tries = 1; ; tries++) {
            try {
                return purging.ask(connection);
            } catch (SQLException thrown) {
                StoreException failed = StoreFailures.of("Could not purge", dialect, connection, thrown);
                if (tries == PURGE_TRIES || failed.fault() != Fault.CONFLICT) {
                    throw failed;
                }
            }
        }
    }

    private C view() {
        lent.begun();
        return lent.view();
    }

    private void begin() {
        lent.guard().begin();
        lent.begin(options.isolation().isEmpty());
        options.isolation().ifPresent(lent::isolate);
    }

    /** Returns the connection and the permit. */
    @Override
    public void close() {
        if (closed) {
            return;
        }
        closed = true;
        try {
            lent.giveBack();
        } finally {
            if (permit != null) {
                permit.release();
            }
        }
    }
}
