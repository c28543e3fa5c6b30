package io.counterpoint.idempotency.spi;

import io.counterpoint.idempotency.Failure;
import io.counterpoint.idempotency.IdempotencyKey;
import io.counterpoint.idempotency.spi.IdempotencyRecord.Pending;
import io.counterpoint.idempotency.spi.StoreTransaction.Durability;
import java.time.Duration;
import java.util.Optional;
import java.util.function.Function;

/**
 * Where records are kept, and transactions that the domain can join. Implementations are safe for use by many threads.
 *
 * <p>The contract is published as tests, in the testkit: a store that does not pass them is wrong.
 *
 * @param <C> the handle that domain code gets
 */
public interface IdempotencyStore<C> {

    /**
     * Borrows one connection.
     *
     * @return the session; the caller closes it
     * @throws IllegalStateException if the caller is inside an open transaction or handle of the same database access,
     *     with which this session would deadlock, or whose fate the record would share
     */
    Session<C> open();

    /**
     * Borrows one connection to claim a key. A store may let those who want to claim the same key wait for each other
     * first, so that they do not wait with a connection each. That saves connections and decides nothing.
     *
     * @param key the key
     * @param patience how long this caller may be made to wait; it then gets its connection all the same
     * @return the session; the caller closes it
     * @throws IllegalStateException as {@link #open()}
     */
    default Session<C> open(IdempotencyKey key, Duration patience) {
        return open();
    }

    /**
     * Reads a record in a session of its own.
     *
     * @param key the key
     * @return the record as it is committed now, if there is one
     */
    default Optional<IdempotencyRecord> read(IdempotencyKey key) {
        try (Session<C> session = open()) {
            return session.alone(transaction -> transaction.read(key));
        }
    }

    /**
     * What a thrown object says about the transaction in which it was thrown.
     *
     * @param thrown what a session, a step, or domain code threw; its causes are looked at
     * @return the kind of fault; {@link Fault#UNRECOGNISED} where in doubt
     */
    Fault classify(Throwable thrown);

    /**
     * Describes what the database threw, in words that are the same for every database: the codes
     * {@link Failure#CONSTRAINT}, {@link Failure#CONFLICT}, {@link Failure#TIMEOUT}, {@link Failure#UNAVAILABLE} and
     * {@link Failure#ERROR}, without any text of the database, which may contain keys and values.
     *
     * @param thrown what the work threw
     * @return the description; empty where this is no exception of the database or of its driver
     */
    default Optional<Failure> describe(Throwable thrown) {
        return Optional.empty();
    }

    /**
     * Deletes terminal records that are past their retention, counted from the claim and from the last change.
     *
     * @param batch the most records to delete; positive
     * @return how many were deleted
     */
    int purgeExpired(int batch);

    /**
     * This store with another view of its handle.
     *
     * @param <D> the handle that domain code gets
     * @param view makes that handle from this store's
     * @return the store; it shares everything with this one
     */
    default <D> IdempotencyStore<D> mapped(Function<? super C, ? extends D> view) {
        return new MappedStore<>(this, view);
    }

    /**
     * One borrowed connection, used by one thread at a time.
     *
     * @param <C> the handle that domain code gets
     */
    interface Session<C> extends AutoCloseable {

        /**
         * Whether there probably is a record already of the key for which this session was
         * {@linkplain #open(IdempotencyKey, Duration) opened}, so that to read it is cheaper than to claim the key in
         * vain. A guess; where in doubt, false.
         *
         * @return true if another session for the key was open when this one was asked for
         */
        default boolean seemsClaimed() {
            return false;
        }

        /**
         * Runs one step in a transaction of its own, in one round trip. A change that the database answers with a warning
         * is not believed, as in {@link #inTransaction}.
         *
         * @param <T> what the step answers
         * @param step calls exactly one method of the transaction; reached only if there is a connection
         * @return what the step returned; the transaction is then committed
         */
        <T> T alone(Function<? super StoreTransaction<C>, ? extends T> step);

        /**
         * Claims a key in a transaction of its own, for a caller who will, if it leads, lock the record first thing in
         * {@link #inTransaction}. A store may begin that transaction, and take that lock, in the same round trip.
         *
         * @param pending the record to insert
         * @param retention as for {@link StoreTransaction#claim}
         * @param lockWait as there
         * @param durability as there
         * @return whether the record was inserted, which is then committed, or what was found
         */
        default Claim claimToLead(Pending pending, Duration retention, Duration lockWait, Durability durability) {
            return alone(transaction -> transaction.claim(pending, retention, lockWait, durability));
        }

        /**
         * Runs a body in one transaction, and commits it if the body returns.
         *
         * <p>If the body throws, the commit is never sent, the transaction is rolled back as far as the connection allows,
         * and the same object is thrown on, with anything that the roll-back threw suppressed in it. If the database
         * has aborted the transaction behind the body's back, this throws instead of believing in the commit. What is
         * thrown after the body returned is {@linkplain Fault#provesRollback() classified} by what the commit's answer
         * proves. A commit that the database answers with a warning is not believed: this throws, and the fault is
         * {@link Fault#LOST}.
         *
         * <p>Callbacks that run after the commit cannot change its answer: what they throw is kept for {@link
         * #afterCommitFailure}, and what they begin in the database is rolled back when the session is closed.
         *
         * @param <T> what the body answers
         * @param body the steps, and the domain between them
         * @return what the body returned
         */
        <T> T inTransaction(Function<? super StoreTransaction<C>, ? extends T> body);

        /**
         * What callbacks threw that ran after the commit of the latest transaction.
         *
         * @return the first of it, with the others suppressed in it; empty if nothing was thrown
         */
        default Optional<Throwable> afterCommitFailure() {
            return Optional.empty();
        }

        /**
         * Gives the connection back. Throws nothing, not even an error. To close it again does nothing. A transaction that
         * was not seen to end is never ended by this: its connection is closed for good instead.
         */
        @Override
        void close();
    }

    /** What went wrong, as far as the protocol cares. */
    enum Fault {
        /** A serialization failure or a deadlock: nothing is committed, and to run again helps. */
        CONFLICT(true, true),
        /** A lock was not given within its bound: nothing is committed, and to run again may help. */
        LOCKED(true, true),
        /** The database gave the transaction up, by a time-out or for want of resources; the connection is alive. */
        CANCELLED(true, true),
        /** The database refused the transaction, and would again: a constraint, a missing table, a missing right. */
        REFUSED(false, true),
        /**
         * The connection was lost, or there was none, or a commit was answered with a warning. A commit on its way may have
         * arrived or not.
         */
        LOST(true, false),
        /** Anything else. It proves nothing about a commit. */
        UNRECOGNISED(false, false);

        private final boolean passing;
        private final boolean provesRollback;

        Fault(boolean passing, boolean provesRollback) {
            this.passing = passing;
            this.provesRollback = provesRollback;
        }

        /**
         * Whether a further run may succeed.
         *
         * @return true if it may
         */
        public boolean passing() {
            return passing;
        }

        /**
         * Whether the commit that threw this is known to have changed nothing.
         *
         * @return true if it is
         */
        public boolean provesRollback() {
            return provesRollback;
        }
    }
}
