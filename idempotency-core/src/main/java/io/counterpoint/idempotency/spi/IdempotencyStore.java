package io.counterpoint.idempotency.spi;

import io.counterpoint.idempotency.Failure;
import io.counterpoint.idempotency.IdempotencyKey;
import io.counterpoint.idempotency.MisuseException;
import java.time.Duration;
import java.util.Collection;
import java.util.Optional;
import java.util.function.Function;

/**
 * Keeps records and runs transactions that domain code can join. Implementations are thread-safe.
 *
 * <p>The contract is published as tests in the testkit: a store that fails them is incorrect.
 *
 * @param <C> the handle that domain code gets
 */
public interface IdempotencyStore<C> {

    /**
     * Opens a session for a key, which borrows one connection.
     *
     * @param key the key of all steps of the session
     * @return the session; the caller closes it
     * @throws IllegalStateException if the caller is inside an open transaction or handle of the same database access:
     *     this session would deadlock with it, or the record would be rolled back with it
     */
    Session<C> open(IdempotencyKey key);

    /**
     * Opens a session for a claim. A store may let callers in this process that claim the same key wait for each other
     * before it borrows a connection, so that they don't each hold one while they wait. This is only an optimization.
     *
     * @param key the key
     * @param maxWait the maximum wait, after which the caller gets its connection anyway
     * @return the session; the caller closes it
     * @throws MisuseException as {@link #open}
     */
    Session<C> openForClaim(IdempotencyKey key, Duration maxWait);

    /**
     * Performs the checks that {@link #open} performs before it borrows a connection, for decorators that answer a
     * caller from another caller's session. By default, does nothing.
     *
     * @throws MisuseException as {@link #open}
     */
    default void requireNotInside() {}

    /**
     * Reads a record in its own session.
     *
     * @param key the key
     * @return the record as currently committed, if there is one
     * @throws MisuseException as {@link #open}
     */
    Optional<IdempotencyRecord> read(IdempotencyKey key);

    /**
     * Waits until everything committed earlier in the database of a key is as durable as a commit. The engine calls
     * this before it answers from a record that it has read but not written. By default, does nothing: what a read
     * returns counts as durable.
     *
     * @param key the key that was read
     * @throws RuntimeException if durability is uncertain; the engine reads again. A {@link MisuseException} ends the
     *     call
     */
    default void awaitDurable(IdempotencyKey key) {}

    /**
     * Returns what an exception says about the transaction in which it was thrown.
     *
     * @param thrown what a session, a step or domain code threw; its causes are inspected
     * @return the kind of fault; {@link Fault#UNRECOGNISED} if in doubt
     */
    Fault classify(Throwable thrown);

    /**
     * Describes a database exception in terms that are the same for every database: the codes {@link
     * Failure#CONSTRAINT}, {@link Failure#CONFLICT}, {@link Failure#TIMEOUT}, {@link Failure#UNAVAILABLE} and {@link
     * Failure#ERROR}. The description contains no text from the database, which may include keys and values.
     *
     * @param thrown the exception thrown by the work
     * @return the description; empty if the exception does not come from the database or its driver
     */
    Optional<Failure> describe(Throwable thrown);

    /**
     * Returns what must be fixed before the store's statements can succeed, such as a missing table or privilege. By
     * default, returns empty.
     *
     * @param thrown what a step of the store threw
     * @return what is wrong and what to do, without keys and values; empty if a retry may help
     */
    default Optional<String> remedy(Throwable thrown) {
        return Optional.empty();
    }

    /**
     * Returns whether an insert that succeeds is known to have inserted its record, because nothing else, such as a
     * trigger or a rule, can suppress it. Operations that {@linkplain
     * io.counterpoint.idempotency.Operation.Protocol#RECORD_LAST record last} check this when they are built.
     *
     * @return whether this is known
     */
    boolean keepsEveryInsert();

    /**
     * Checks at application startup for anything that would make calls fail, such as a missing table. By default,
     * checks nothing.
     *
     * @return this
     * @throws IllegalStateException if anything is wrong; the message says what it is and what to do about it
     */
    default IdempotencyStore<C> checkTable() {
        return this;
    }

    /**
     * Deletes terminal records that are past their retention, counted from the claim and from the last change.
     *
     * @param batch the maximum number of records to delete; positive
     * @return how many were deleted
     */
    int purgeExpired(int batch);

    /**
     * Returns the store for all sessions of one call. The engine calls this once per call, before anything else;
     * exceptions propagate to the caller. By default, returns this store. A store over several databases returns the
     * one for the key.
     *
     * @param key the key of the call
     * @return the store that the call uses until it ends
     */
    default IdempotencyStore<C> storeFor(IdempotencyKey key) {
        return this;
    }

    /**
     * Returns whether one session can reach the records of all these keys. By default, it can. A store that keeps
     * scopes in several databases returns false if it cannot, and the batch is rejected.
     *
     * @param keys the keys
     * @return whether they are in the same database
     */
    default boolean isOneDatabase(Collection<IdempotencyKey> keys) {
        return true;
    }

    /**
     * Returns which other transactions are excluded by a lock on a record. By default, all of them. With any other
     * scope, the engine trusts only the acknowledged commit of a transaction that has changed the record, and the store
     * promises the following.
     *
     * <ul>
     *   <li>If two transactions change or lock the same record and both change it, at most one commits, regardless of
     *       the nodes they ran on. The other gets a {@link Fault#CONFLICT}. A transaction that inserts a record and
     *       removes it again has changed it.
     *   <li>{@link RecordSteps#replaceToken} and {@link RecordSteps#confirm} change the bytes of the record even if the
     *       clock has not advanced; otherwise nothing would be compared.
     *   <li>{@link #read} and the first {@link RecordSteps#lock} of a transaction wait until their node has everything
     *       that was committed earlier on any node. Other steps may return an older state.
     *   <li>A transaction that the database ended and silently restarted is reported as a {@link Fault#CONFLICT}, or
     *       its last step does not return {@link LastStep.Result#DONE}. Except with {@link LockScope#NODE}, the latter
     *       means that the work ended its transaction, because the database reports every other end as an error.
     * </ul>
     *
     * @return the scope of locks
     */
    default LockScope lockScope() {
        return LockScope.GLOBAL;
    }

    /**
     * Returns a view of this store with a different type of handle.
     *
     * @param <D> the handle that domain code gets
     * @param view derives that handle from this store's
     * @return the store, which shares everything with this one
     */
    default <D> IdempotencyStore<D> mapped(Function<? super C, ? extends D> view) {
        return new MappedStore<>(this, view);
    }
}
