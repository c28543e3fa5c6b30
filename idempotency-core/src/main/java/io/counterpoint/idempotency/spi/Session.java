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
     * @return true if another session was claiming the key when this one was opened
     */
    boolean probablyClaimed();

    /**
     * Whether it is this session's turn to work on its key. It is not if another session of this process that was
     * opened for a claim is still open after the longest wait.
     *
     * @return false if such a session is open; true if the store never makes sessions wait
     */
    boolean hasTurn();

    /**
     * Runs one step in its own transaction, in one round trip. A change that returns a warning is not trusted, as in
     * {@link #inTransaction}.
     *
     * @param <T> the result of the step
     * @param step calls exactly one method of the steps; called only if there is a connection
     * @return the result of the step; the transaction is then committed
     */
    <T> T autoCommit(Function<? super RecordSteps, ? extends T> step);

    /**
     * Claims a key in its own transaction. A caller that becomes the leader then locks the record as the first step of
     * {@link #inTransaction}. A store may begin that transaction, and take that lock, in the same round trip.
     *
     * @param pending the record to insert
     * @param retention as in {@link RecordSteps#claim}
     * @param lockWait as in that method
     * @param durability as in that method
     * @return the record that was found; empty if this one was inserted, which is then committed
     */
    Optional<IdempotencyRecord> claimAndLock(
            Pending pending, Duration retention, Duration lockWait, Durability durability);

    /**
     * Runs a body in one transaction, and commits it if the body returns and has not committed it by {@link
     * RecordSteps#commitWith}. It rolls back if that returned anything but {@link LastStep.Result#DONE}.
     *
     * <p>If the body throws before, the commit is never sent, and the transaction is rolled back as far as the connection
     * allows. The same object is thrown; an exception of the rollback is suppressed in it. If the database has aborted
     * the transaction without the body's knowledge, this throws instead of committing. An exception of the commit
     * is {@linkplain Fault#provesRollback() classified} by the answer to the commit. A commit that returns a warning is
     * not trusted: this throws, and the fault is {@link Fault#CONNECTION_LOST}.
     *
     * <p>Callbacks that run after the commit cannot change its result. Their exceptions are kept for {@link
     * #afterCommitFailure}. Closing the session rolls back anything that they began in the database.
     *
     * @param <T> the result of the body
     * @param body the steps, with the domain's work between them
     * @return the result of the body
     */
    <T> T inTransaction(BiFunction<? super RecordSteps, ? super WorkScope<C>, ? extends T> body);

    /**
     * Whether the commit of the latest transaction may have been sent. If it was not sent, an exception of the body
     * proves a rollback.
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
     * Whether another thread of the work was executing a call when the latest transaction's work ended. Nothing is
     * committed then.
     *
     * @return also false if the store cannot detect that, which is the default
     */
    default boolean isOutlived() {
        return false;
    }

    /**
     * Returns the connection. Never throws, not even an error. A second close does nothing. It never ends a
     * transaction whose end was not observed: it closes the connection for good instead.
     */
    @Override
    void close();
}
