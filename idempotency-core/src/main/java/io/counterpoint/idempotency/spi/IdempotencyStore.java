package io.counterpoint.idempotency.spi;

import io.counterpoint.idempotency.Failure;
import io.counterpoint.idempotency.IdempotencyKey;
import io.counterpoint.idempotency.MisuseException;
import java.time.Duration;
import java.util.Collection;
import java.util.Optional;
import java.util.function.Function;

/**
 * Stores records and provides transactions that domain code can join. Implementations are safe for use by many threads.
 *
 * <p>The testkit publishes the contract as tests, which every store must pass.
 *
 * @param <C> the handle that domain code gets
 */
public interface IdempotencyStore<C> {

    /**
     * Opens a session for a key: borrows one connection.
     *
     * @param key the key of all steps of the session
     * @return the session; the caller closes it
     * @throws IllegalStateException if the caller is inside an open transaction or handle of the same database access,
     *     because this session would deadlock with it, or the record would share its outcome
     */
    Session<C> open(IdempotencyKey key);

    /**
     * Opens a session for a claim. A store may let callers in this process that claim the same key wait for each other
     * before it borrows a connection, so that they don't each hold one while they wait. That decides nothing.
     *
     * @param key the key
     * @param maxWait the longest such wait, after which the caller gets its connection anyway
     * @return the session; the caller closes it
     * @throws MisuseException as {@link #open}
     */
    Session<C> openForClaim(IdempotencyKey key, Duration maxWait);

    /**
     * Rejects whatever {@link #open} rejects before it borrows a connection: for decorators that serve a caller from
     * another caller's session. By default: nothing.
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
     * Waits until everything that was committed before in a key's database is as durable as a commit. The engine calls
     * it after it has read a record, before it returns an outcome that is not backed by one of its own writes. By
     * default, it does nothing: the engine relies on the read.
     *
     * @param key the key that was read
     * @throws RuntimeException if that is not certain; the engine reads again. A {@link MisuseException} ends the call
     */
    default void awaitDurable(IdempotencyKey key) {}

    /**
     * Classifies what a thrown object proves about the transaction in which it was thrown.
     *
     * @param thrown an object thrown by a session, a step, or domain code; its causes are inspected
     * @return the kind of fault; {@link Fault#UNRECOGNISED} if in doubt
     */
    Fault classify(Throwable thrown);

    /**
     * Describes a database exception in the same way for every database: with the codes {@link Failure#CONSTRAINT},
     * {@link Failure#CONFLICT}, {@link Failure#TIMEOUT}, {@link Failure#UNAVAILABLE} and {@link Failure#ERROR}, and
     * without any text from the database, which may contain keys and values.
     *
     * @param thrown what the work threw
     * @return the description; empty if it is not an exception of the database or its driver
     */
    Optional<Failure> describe(Throwable thrown);

    /**
     * What has to be fixed before the store's statements can succeed, such as a missing table or privilege. By default:
     * nothing.
     *
     * @param thrown an object thrown by a step of the store
     * @return what is wrong and what to do, without keys and values; empty if a retry may help
     */
    default Optional<String> remedy(Throwable thrown) {
        return Optional.empty();
    }

    /**
     * Whether an insert without an error is known to have inserted its record, because nothing else, such as a trigger
     * or a rule, can discard it. Operations that {@linkplain io.counterpoint.idempotency.Operation.Protocol#RECORD_LAST
     * record last} require it when they are built.
     *
     * @return whether it is known
     */
    boolean keepsEveryInsert();

    /**
     * Checks at application startup for anything that would make calls fail, such as a missing table. By default:
     * nothing.
     *
     * @return this
     * @throws IllegalStateException if anything is wrong; the message tells you what, and how to fix it
     */
    default IdempotencyStore<C> checkTable() {
        return this;
    }

    /**
     * Deletes terminal records that are past their retention, counted from the claim and from the last change.
     *
     * @param batch the most records to delete; positive
     * @return how many were deleted
     */
    int purgeExpired(int batch);

    /**
     * The store of all sessions of one call. The engine calls it once per call, before anything else. The call throws
     * whatever it throws. By default: this store. A store over several databases returns the key's store.
     *
     * @param key the key of the call
     * @return the store that the call uses until it ends
     */
    default IdempotencyStore<C> storeFor(IdempotencyKey key) {
        return this;
    }

    /**
     * Whether one session can access the records of all these keys. By default it does. A store that keeps scopes in
     * several databases returns false if they are not together, and the batch is rejected.
     *
     * @param keys the keys
     * @return whether they are in the same database
     */
    default boolean isOneDatabase(Collection<IdempotencyKey> keys) {
        return true;
    }

    /**
     * Which other transactions a lock on a record excludes. By default every one. If locks are not global, the engine
     * trusts only the acknowledged commit of a transaction that has changed the record. Such a store promises the
     * following.
     *
     * <ul>
     *   <li>If two transactions have changed or locked the same record and change it, at most one of them commits,
     *       regardless of the nodes they ran on. The other is a {@link Fault#CONFLICT}. A transaction that inserts a
     *       record and removes it has changed it.
     *   <li>{@link RecordSteps#replaceToken} and {@link RecordSteps#confirm} change the bytes of the record even if the
     *       clock has not advanced; otherwise nothing would be compared.
     *   <li>{@link #read} and the first {@link RecordSteps#lock} of a transaction wait until their node has everything
     *       that was committed on any node before. Other steps may return an earlier state.
     *   <li>If the database has ended a transaction and silently begun another, that is a {@link Fault#CONFLICT}, or
     *       its last step is not {@link LastStep.Result#DONE}. Except for {@link LockScope#NODE}, the latter shows that
     *       the work has ended its transaction, because the database reports an error if anything else ends it.
     * </ul>
     *
     * @return their reach
     */
    default LockScope lockScope() {
        return LockScope.GLOBAL;
    }

    /**
     * Returns this store with another view of its handle.
     *
     * @param <D> the handle that domain code gets
     * @param view creates that handle from this store's
     * @return the store; it shares everything with this one
     */
    default <D> IdempotencyStore<D> mapped(Function<? super C, ? extends D> view) {
        return new MappedStore<>(this, view);
    }
}
