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
     * Returns whether the key of this session {@linkplain IdempotencyStore#openForClaim probably} has a record already,
     * so that reading it is cheaper than a failing claim. This is a guess; false if in doubt.
     *
     * @return true if another session was claiming the key when this one was requested
     */
    boolean probablyClaimed();

    /**
     * Returns whether it is this session's turn to work on its key. It is not if another session of this process that
     * was opened for a claim is still open after the maximum wait.
     *
     * @return false if such a session is open; true if the store lets nobody wait
     */
    boolean hasTurn();

    /**
     * Runs one step in its own transaction, in one round trip. A change to which the database replies with a warning is
     * not trusted, as in {@link #inTransaction}.
     *
     * @param <T> the result of the step
     * @param step calls exactly one method of the steps; invoked only if there is a connection
     * @return the result of the step, whose transaction is committed
     */
    <T> T autoCommit(Function<? super RecordSteps, ? extends T> step);

    /**
     * Claims a key in its own transaction. The leader then locks the record as the first step of {@link
     * #inTransaction}; a store may begin that transaction and take that lock in the same round trip.
     *
     * @param pending the record to insert
     * @param retention as in {@link RecordSteps#claim}
     * @param lockWait as in {@link RecordSteps#claim}
     * @param durability as in {@link RecordSteps#claim}
     * @return the existing record; empty if this one was inserted and committed
     */
    Optional<IdempotencyRecord> claimAndLock(
            Pending pending, Duration retention, Duration lockWait, Durability durability);

    /**
     * Runs a body in one transaction and commits it when the body returns, unless the body has already called {@link
     * RecordSteps#commitWith}. If that returned anything but {@link LastStep.Result#DONE}, the transaction is rolled
     * back.
     *
     * <p>If the body throws before that, the commit is never sent and the transaction is rolled back as far as the
     * connection allows. The exception is rethrown as is, with any exception of the rollback suppressed in it. If the
     * database aborted the transaction without the body's knowledge, this method throws instead of committing. An
     * exception of the commit is {@linkplain Fault#provesRollback() classified} by the reply to the commit. A commit to
     * which the database replies with a warning is not trusted: this method throws, and the fault is {@link
     * Fault#CONNECTION_LOST}.
     *
     * <p>Callbacks that run after the commit cannot change its outcome. Their exceptions are available from {@link
     * #afterCommitFailure}. Closing the session rolls back anything that they began in the database.
     *
     * @param <T> the result of the body
     * @param body the steps, and the domain work between them
     * @return the result of the body
     */
    <T> T inTransaction(BiFunction<? super RecordSteps, ? super WorkScope<C>, ? extends T> body);

    /**
     * Returns whether the commit of the latest transaction may have been sent. An exception of the body before that
     * proves a rollback.
     *
     * @return false only if it was not sent and never will be
     */
    boolean commitMayBeSent();

    /**
     * Returns the exceptions of callbacks that ran after the commit of the latest transaction.
     *
     * @return the first exception, with the others suppressed in it; empty if there was none
     */
    Optional<Throwable> afterCommitFailure();

    /**
     * Returns whether another thread of the work was still using the connection when the latest transaction's work
     * ended. Nothing is committed in that case.
     *
     * @return whether one was; false if the store cannot detect this, which is the default
     */
    default boolean isOutlived() {
        return false;
    }

    /**
     * Returns the connection. Throws nothing, not even an error. A second call has no effect. If the end of a
     * transaction was not observed, this does not end it but closes the connection for good.
     */
    @Override
    void close();
}
