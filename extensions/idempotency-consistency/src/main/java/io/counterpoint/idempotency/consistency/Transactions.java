package io.counterpoint.idempotency.consistency;

import io.counterpoint.idempotency.IdempotencyClock;
import io.counterpoint.idempotency.IdempotencyKey;
import io.counterpoint.idempotency.consistency.internal.DatabaseProduct;
import io.counterpoint.idempotency.internal.Backoff;
import io.counterpoint.idempotency.jdbc.Isolation;
import io.counterpoint.idempotency.jdbc.JdbiIdempotencyStore;
import io.counterpoint.idempotency.spi.Fault;
import io.counterpoint.idempotency.spi.LastStep;
import io.counterpoint.idempotency.spi.LockScope;
import io.counterpoint.idempotency.spi.Session;
import java.time.Duration;
import java.util.concurrent.atomic.AtomicBoolean;
import org.jdbi.v3.core.Handle;
import org.jdbi.v3.core.HandleCallback;
import org.jdbi.v3.core.HandleConsumer;

/**
 * Runs transactions at a chosen isolation level, with a bounded number of retries after serialization failures and
 * deadlocks. Immutable and thread-safe.
 *
 * <pre>{@code
 * Transactions transactions = Transactions.on(JdbiIdempotencyStore.on(jdbi));
 * int left = transactions.inTransaction(SERIALIZABLE, handle -> debit(handle, workspace, 1));
 * }</pre>
 *
 * <p>Promised: the work is run again only if its transaction is known to have been rolled back because of a conflict,
 * and never if the outcome of a commit is unknown. Conflicts are SQLSTATE 40001 and 40P01, H2's 90131, and the errors
 * 1213 and 1020 of MariaDB and MySQL. Conditions: the work acts only on its handle, because every run but the last is
 * undone, and lets database exceptions propagate. If it swallows the exception of a deadlock on MariaDB or MySQL, or on
 * H2 if the store's table exists, nothing is committed and the call throws {@link CommitUnknownException}. Not
 * promised: that a call happens once. A caller that repeats a call repeats its effect; use an idempotency key to
 * prevent that. Commits are as durable as the database's own settings make them.
 *
 * <p>It uses only the store's connections: the store's table need not exist.
 */
public final class Transactions {

    /** A placeholder: the sessions access no records. */
    private static final IdempotencyKey KEY =
            IdempotencyKey.inScope("transactions").operation("transaction").value("none");

    private final JdbiIdempotencyStore store;
    private final int retries;
    private final IdempotencyClock clock;

    private Transactions(JdbiIdempotencyStore store, int retries, IdempotencyClock clock) {
        this.store = store;
        this.retries = retries;
        this.clock = clock;
    }

    /**
     * Returns transactions in a store's database, with 20 retries.
     *
     * @param store the store
     * @return the transactions
     */
    public static Transactions on(JdbiIdempotencyStore store) {
        return new Transactions(store, 20, IdempotencyClock.system());
    }

    /**
     * Returns these transactions with a different number of retries. Pauses between them are random and grow to half a
     * second.
     *
     * @param most the maximum number of retries, from 0 to 1000
     * @return the transactions
     * @throws IllegalArgumentException if out of range
     */
    public Transactions withRetries(int most) {
        if (most < 0 || most > 1000) {
            throw new IllegalArgumentException("The number of retries must be between 0 and 1000, found " + most + ".");
        }
        return new Transactions(store, most, clock);
    }

    /** Returns these transactions with a different clock for the pauses. */
    Transactions withClock(IdempotencyClock other) {
        return new Transactions(store, retries, other);
    }

    /**
     * Runs work in one transaction and commits it.
     *
     * @param <T> the type of the result
     * @param <X> the type of exception that the work throws
     * @param isolation the level
     * @param work the work; its handle cannot be used to end the transaction
     * @return what the last run returned, which is committed
     * @throws X the work's exception, rethrown as is; its transaction is rolled back
     * @throws ConflictException if every run encountered a conflict, or the thread was interrupted between two runs
     * @throws CommitUnknownException if the reply to the commit was lost
     * @throws IllegalStateException if called inside an open handle or transaction of this thread, or the database does
     *     not enforce the level: SERIALIZABLE on Galera; REPEATABLE_READ on MySQL, and on MariaDB without {@code
     *     innodb_snapshot_isolation}
     */
    public <T, X extends Exception> T inTransaction(Isolation isolation, HandleCallback<T, X> work) throws X {
        // The store does not declare checked exceptions of the work: they pass through it, and this method declares
        // them.
        @SuppressWarnings("unchecked")
        HandleCallback<T, RuntimeException> body = (HandleCallback<T, RuntimeException>) (HandleCallback<T, ?>) work;
        JdbiIdempotencyStore isolated = store.toBuilder().isolation(isolation).build();
        Backoff backoff = new Backoff(Duration.ofMillis(4), Duration.ofMillis(500));
        for (int runs = 1; ; runs++) {
            AtomicBoolean returned = new AtomicBoolean();
            try (Session<Handle> session = isolated.open(KEY)) {
                return session.inTransaction((transaction, scope) -> {
                    requireKept(isolation, scope.handle());
                    transaction.beginUnclaimed(KEY);
                    T answer = body.withHandle(scope.handle());
                    returned.set(true);
                    if (transaction.commitWith(new LastStep.RequireNotEnded(KEY)) != LastStep.Result.DONE) {
                        throw CommitUnknownException.ended();
                    }
                    return answer;
                });
            } catch (CommitUnknownException ended) {
                throw ended;
            } catch (Throwable thrown) {
                Fault fault = store.classify(thrown);
                if (returned.get() && !fault.provesRollback()) {
                    throw new CommitUnknownException(thrown);
                }
                if (fault != Fault.CONFLICT) {
                    throw thrown;
                }
                if (runs > retries || !paused(backoff.pause(runs))) {
                    throw new ConflictException(runs, thrown);
                }
            }
        }
    }

    /** Rejects a level with the same name that permits anomalies which it prevents on other databases. */
    private void requireKept(Isolation isolation, Handle handle) {
        if (isolation == Isolation.SERIALIZABLE && store.lockScope() != LockScope.GLOBAL) {
            throw new IllegalStateException(
                    "SERIALIZABLE applies to one node only, but several nodes of this database take writes: at"
                            + " READ_COMMITTED, change the rows that a decision is based on.");
        }
        if (isolation == Isolation.REPEATABLE_READ && DatabaseProduct.overwritesWhatASnapshotHides(handle)) {
            throw new IllegalStateException(
                    "At REPEATABLE_READ, this database silently overwrites what others have committed since the"
                            + " snapshot. Use SERIALIZABLE, or SELECT … FOR UPDATE at READ_COMMITTED, or set"
                            + " innodb_snapshot_isolation = ON if the server has it.");
        }
    }

    /**
     * Runs work without a result in one transaction, like {@link #inTransaction}.
     *
     * @param <X> the type of exception that the work throws
     * @param isolation the level
     * @param work the work
     * @throws X the work's exception
     */
    public <X extends Exception> void useTransaction(Isolation isolation, HandleConsumer<X> work) throws X {
        inTransaction(isolation, handle -> {
            work.useHandle(handle);
            return true;
        });
    }

    private boolean paused(Duration pause) {
        try {
            clock.sleep(pause);
            return true;
        } catch (InterruptedException interrupted) {
            Thread.currentThread().interrupt();
            return false;
        }
    }
}
