package io.counterpoint.idempotency.spi;

import io.counterpoint.idempotency.Failure;
import io.counterpoint.idempotency.IdempotencyKey;
import io.counterpoint.idempotency.MisuseException;
import java.time.Duration;
import java.util.Collection;
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
     * Opens a session for a key: borrows one connection.
     *
     * @param key the key of all steps of the session
     * @return the session; the caller closes it
     * @throws IllegalStateException if the caller is inside an open transaction or handle of the same database access:
     *     this session would deadlock with it, or the record would share its fate
     */
    Session<C> open(IdempotencyKey key);

    /**
     * Opens a session for a claim. A store may let callers in this process that claim the same key wait for each other
     * before it borrows a connection: they need not hold one each while they wait. That decides nothing.
     *
     * @param key the key
     * @param maxWait the longest such wait; the caller then gets its connection anyway
     * @return the session; the caller closes it
     * @throws MisuseException as {@link #open}
     */
    Session<C> openForClaim(IdempotencyKey key, Duration maxWait);

    /**
     * Refuses what {@link #open} refuses before it borrows a connection: for decorators that answer a caller from a session of
     * another. By default: nothing.
     *
     * @throws MisuseException as {@link #open}
     */
    default void requireNotInside() {}

    /**
     * Reads a record in a session of its own.
     *
     * @param key the key
     * @return the record as it is committed now, if there is one
     * @throws MisuseException as {@link #open}
     */
    Optional<IdempotencyRecord> read(IdempotencyKey key);

    /**
     * Waits until all that was committed before in the database of a key is as durable as a commit. The engine asks for it
     * between a read of a record and an answer from it that no write of its own stands behind. By default it does nothing:
     * what a read has shown counts.
     *
     * @param key the key that was read
     * @throws RuntimeException if that is not certain; the engine reads again. A {@link MisuseException} ends the call
     */
    default void awaitDurable(IdempotencyKey key) {}

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
    Optional<Failure> describe(Throwable thrown);

    /**
     * What somebody has to do before the store's statements can succeed: its table is missing, or the role has no right to
     * it. By default: nothing.
     *
     * @param thrown what a step of the store threw
     * @return what is wrong and what to do, without keys and values; empty where to ask again may help
     */
    default Optional<String> remedy(Throwable thrown) {
        return Optional.empty();
    }

    /**
     * Whether an insert that is answered without an error is known to have inserted its record: nothing beside this store,
     * such as a trigger or a rule, can leave it out. Operations that {@linkplain
     * io.counterpoint.idempotency.Operation.Protocol#RECORD_LAST record last} ask for it when they are built.
     *
     * @return whether it is known
     */
    boolean keepsEveryInsert();

    /**
     * Refuses, when an application starts, what would make its calls fail, such as a missing table. By default: nothing.
     *
     * @return this
     * @throws IllegalStateException if anything is wrong; the message says what, and what to do about it
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
     * The store of all sessions of one call. The engine asks once for each call, before anything else: what it throws,
     * the call throws. By default: this store. A store over several databases returns that of the key.
     *
     * @param key the key of the call
     * @return the store that the call uses until it ends
     */
    default IdempotencyStore<C> storeFor(IdempotencyKey key) {
        return this;
    }

    /**
     * Whether one session reaches the records of all these keys. By default it does. A store that keeps scopes in several
     * databases says no where it does not, and the batch is refused.
     *
     * @param keys the keys
     * @return whether they are in one database
     */
    default boolean isOneDatabase(Collection<IdempotencyKey> keys) {
        return true;
    }

    /**
     * Which other transactions a lock on a record keeps from it. By default every one. Elsewhere the engine believes only
     * the acknowledged commit of a transaction that has changed the record. Such a store promises the following.
     *
     * <ul>
     *   <li>Of two transactions that have changed or locked one record, and change it, at most one commits, whichever
     *       nodes they ran on. The other is a {@link Fault#CONFLICT}. A transaction that inserts a record and removes it has
     *       changed it.
     *   <li>{@link RecordSteps#replaceToken} and {@link RecordSteps#confirm} change the bytes of the record, also where
     *       the clock has not gone on: else nothing would be compared.
     *   <li>{@link #read} and the first {@link RecordSteps#lock} of a transaction wait until their node has whatever was
     *       committed anywhere before. Other steps may show a state of the past.
     *   <li>A transaction that the database has ended, and silently begun anew, is a {@link Fault#CONFLICT}, or its last
     *       step is not {@link LastStep.Result#DONE}. Except for {@link LockScope#NODE}, the second shows that the work
     *       has ended its transaction: whatever else ends one, the database answers with an error.
     * </ul>
     *
     * @return their reach
     */
    default LockScope lockScope() {
        return LockScope.GLOBAL;
    }

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
}
