package io.counterpoint.idempotency.spi;

import io.counterpoint.idempotency.spi.IdempotencyRecord.Pending;
import java.time.Duration;
import java.util.Optional;
import java.util.function.BiFunction;
import java.util.function.Function;

/**
 * One borrowed connection, used by one thread at a time.
 *
 * @param <C> the handle that domain code gets
 */
public interface Session<C> extends AutoCloseable {

    /**
     * Whether the key of this session {@linkplain IdempotencyStore#openForClaim probably} has a record already, so that
     * reading it is cheaper than a claim that fails. A guess; false in doubt.
     *
     * @return true if another session claimed the key when this one was asked for
     */
    boolean probablyClaimed();

    /**
     * Whether it is this session's turn to work on its key. It is not where another session of this process that was
     * opened for a claim is still open, and the longest wait for it has passed.
     *
     * @return false if such a session is open; true where the store lets nobody wait
     */
    boolean hasTurn();

    /**
     * Runs one step in a transaction of its own, in one round trip. A change that the database answers with a warning is
     * not believed, as in {@link #inTransaction}.
     *
     * @param <T> the result of the step
     * @param step calls exactly one method of the steps; called only if there is a connection
     * @return the result of the step; the transaction is then committed
     */
    <T> T autoCommit(Function<? super RecordSteps, ? extends T> step);

    /**
     * Claims a key in a transaction of its own. A caller that leads then locks the record as the first step of {@link
     * #inTransaction}. A store may begin that transaction, and take that lock, in the same round trip.
     *
     * @param pending the record to insert
     * @param retention as for {@link RecordSteps#claim}
     * @param lockWait as there
     * @param durability as there
     * @return the record that was found; empty if this one was inserted, which is then committed
     */
    Optional<IdempotencyRecord> claimAndLock(
            Pending pending, Duration retention, Duration lockWait, Durability durability);

    /**
     * Runs a body in one transaction, and commits it if the body returns and has not committed it by {@link
     * RecordSteps#commitWith}. It rolls back where that returned anything but {@link LastStep.Result#DONE}.
     *
     * <p>If the body throws before, the commit is never sent, and the transaction is rolled back as far as the connection
     * allows. The same object is thrown; an exception of the rollback is suppressed in it. If the database has aborted
     * the transaction without the body's knowledge, this throws instead of committing. An exception of the commit
     * is {@linkplain Fault#provesRollback() classified} by the answer to the commit. A commit that the
     * database answers with a warning is not believed: this throws, and the fault is {@link Fault#CONNECTION_LOST}.
     *
     * <p>Callbacks that run after the commit cannot change its answer. Their exceptions are kept for {@link
     * #afterCommitFailure}. The close of the session rolls back anything that they began in the database.
     *
     * @param <T> the result of the body
     * @param body the steps, and the domain between them
     * @return the result of the body
     */
    <T> T inTransaction(BiFunction<? super RecordSteps, ? super WorkScope<C>, ? extends T> body);

    /**
     * Whether the commit of the latest transaction may have been sent. What the body threw before proves a rollback.
     *
     * @return false only if it was not sent, and never will be
     */
    boolean commitMayBeSent();

    /**
     * The exceptions of callbacks that ran after the commit of the latest transaction.
     *
     * @return the first, with the others suppressed in it; empty if there was none
     */
    Optional<Throwable> afterCommitFailure();

    /**
     * Whether another thread of the work was in a call when the latest transaction's work ended. Nothing is committed then.
     *
     * @return false also where the store does not see that, which is the default
     */
    default boolean isOutlived() {
        return false;
    }

    /**
     * Gives the connection back. Throws nothing, not even an error. A second close does nothing. It never ends a
     * transaction whose end was not seen: it closes the connection for good instead.
     */
    @Override
    void close();
}
