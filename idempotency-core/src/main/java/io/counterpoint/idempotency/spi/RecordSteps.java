package io.counterpoint.idempotency.spi;

import io.counterpoint.idempotency.Failure;
import io.counterpoint.idempotency.IdempotencyKey;
import io.counterpoint.idempotency.spi.IdempotencyRecord.Payload;
import io.counterpoint.idempotency.spi.IdempotencyRecord.Protocol;
import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.UUID;

/**
 * The atomic steps on records within one transaction. None of them makes protocol decisions.
 *
 * <p>{@link #succeed}, {@link #fail}, {@link #release}, {@link #replaceToken} and {@link #changeProtocol} are
 * compare-and-set operations on (key, {@code Pending}, token): they return false and change nothing if the record is
 * absent, terminal or under a different token. They wait for a lock on the record, up to a limit set by the store.
 *
 * <p>A commit survives a crash of the database if, in its transaction, one of these or {@link #confirm} returned true,
 * or {@link #claim} inserted a record with {@link Durability#DURABLE}.
 *
 * <p>{@link IdempotencyStore#classify} recognizes whatever a step throws; the transaction can then only be rolled back.
 * Under isolation stricter than READ COMMITTED, a step may encounter a change made since its transaction began or while
 * it waited. It may then fail with {@link Fault#CONFLICT}.
 */
public interface RecordSteps {

    /**
     * Inserts a record, or returns the existing one regardless of its age. Waits for a transaction that has inserted
     * the key and not ended, but not for one that is updating its record.
     *
     * @param record the record to insert, in any state
     * @param retention how long, from now, the record answers retries before a purge may delete it
     * @param lockWait the maximum wait for another transaction; positive
     * @param durability whether the insert may be lost, as a whole, when the database crashes
     * @return the existing record; empty if this one was inserted
     */
    Optional<IdempotencyRecord> claim(
            IdempotencyRecord record, Duration retention, Duration lockWait, Durability durability);

    /**
     * Reads a record as last committed, without waiting.
     *
     * @param key the key
     * @return the record, if there is one
     */
    Optional<IdempotencyRecord> read(IdempotencyKey key);

    /**
     * Locks a record until the transaction ends and reads it under the lock, when no other transaction that wrote it is
     * still undecided.
     *
     * @param key the key
     * @param lockWait the maximum wait for the lock; zero to fail at once with {@link Fault#LOCK_TIMEOUT}
     * @return the record, if there is one
     */
    Optional<IdempotencyRecord> lock(IdempotencyKey key, Duration lockWait);

    /**
     * Changes a record from {@code Pending} to {@code Succeeded}. After {@link #claim} or {@link #lock} in this
     * transaction, the database's transaction must still be the same, if the database can show that.
     *
     * @param key the key
     * @param token the leader's token
     * @param result the encoded result; if empty, the plan stored with the claim, if any, is the result
     * @return whether the record was changed
     */
    boolean succeed(IdempotencyKey key, UUID token, Optional<Payload> result);

    /**
     * Performs the last step of {@link Session#inTransaction} and the commit, which a store may send in one message.
     * Nothing is sent afterwards, and no step may follow. An exception thrown once the commit may have been sent is
     * {@linkplain Fault#provesRollback() classified} by the reply.
     *
     * @param step the step
     * @return the result; unless it is {@link LastStep.Result#DONE}, the transaction is rolled back when the body ends
     * @throws IllegalStateException if the step runs alone in its own transaction
     * @throws BeforeCommitException if a participant in the transaction threw before the step was sent
     */
    LastStep.Result commitWith(LastStep step);

    /**
     * Returns whether work that threw has ended the transaction of an earlier {@link #claim}, {@link #lock} or {@link
     * #beginUnclaimed}, as far as the database and its driver reveal that. Only a rollback may follow.
     *
     * @param key the key
     * @param thrown the exception thrown by the work
     * @return true if it has: its earlier changes may be committed
     */
    boolean hasEnded(IdempotencyKey key, Throwable thrown);

    /**
     * Begins a transaction without a claim or lock, which ends with {@link LastStep.Insert}, {@link LastStep.InsertAll}
     * or {@link LastStep.RequireNotEnded}. A store whose database can end a transaction without an error marks this
     * one, so that its end can be noticed. Other stores do nothing.
     *
     * @param key the key
     */
    void beginUnclaimed(IdempotencyKey key);

    /**
     * Requests the turn to work on a key, as the first step of a transaction without a claim or lock. The turn only
     * decides who works; the record's key decides what is committed. This step never waits, and the turn lasts until
     * the transaction ends. By default, every transaction has it.
     *
     * @param key the key
     * @return false if another transaction has it, as far as the store can see
     */
    default boolean takeTurn(IdempotencyKey key) {
        return true;
    }

    /**
     * Reads a record like {@link #read}, as the only other step of a transaction that did not get a {@linkplain
     * #takeTurn turn} and can only be rolled back. A store may roll it back in the same message.
     *
     * @param key the key
     * @return the record, if there is one
     */
    default Optional<IdempotencyRecord> readWithoutTurn(IdempotencyKey key) {
        return read(key);
    }

    /**
     * Changes a record from {@code Pending} to {@code Failed}.
     *
     * @param key the key
     * @param token the leader's token
     * @param failure why
     * @return whether the record was changed
     */
    boolean fail(IdempotencyKey key, UUID token, Failure failure);

    /**
     * Removes a {@code Pending} record.
     *
     * @param key the key
     * @param token the leader's token
     * @return whether the record was removed
     */
    boolean release(IdempotencyKey key, UUID token);

    /**
     * Sets the token of a {@code Pending} record and the time of its last change, so that its age restarts at zero. If
     * locks are not {@linkplain IdempotencyStore#lockScope global}, that time advances regardless of the clock.
     *
     * @param key the key
     * @param token the current token
     * @param fresh the token from now on; the current one to restart only the age
     * @return whether the record was changed
     */
    boolean replaceToken(IdempotencyKey key, UUID token, UUID fresh);

    /**
     * Sets the protocol and the token of a {@code Pending} record, its stored plan and the time of its last change.
     * Used to store what has become known about an external attempt.
     *
     * @param key the key
     * @param token the current token
     * @param fresh the token from now on
     * @param protocol the protocol from now on
     * @param plan the plan from now on; if empty, the current one stays
     * @return whether the record was changed
     */
    boolean changeProtocol(IdempotencyKey key, UUID token, UUID fresh, Protocol protocol, Optional<Payload> plan);

    /**
     * Changes only the time of a record's last change, in any state, even a terminal one. Because this is a write, the
     * commit that follows proves that everything before it in the database's history is as durable as that commit. If
     * locks are not {@linkplain IdempotencyStore#lockScope global}, that time advances regardless of the clock.
     *
     * @param key the key
     * @param token the record's token
     * @return whether there is a record with that token
     */
    boolean confirm(IdempotencyKey key, UUID token);

    // ---- many records --------------------------------------------------------------------------------------------

    /**
     * Reads like {@link #read}, for many keys. By default, one after the other; a store may use one statement.
     *
     * @param keys distinct keys
     * @return the records; a key without a record has no entry
     */
    default Map<IdempotencyKey, IdempotencyRecord> readAll(List<IdempotencyKey> keys) {
        Map<IdempotencyKey, IdempotencyRecord> found = new HashMap<>();
        for (IdempotencyKey key : keys) {
            read(key).ifPresent(record -> found.put(key, record));
        }
        return found;
    }

    /**
     * Claims like {@link #claim}, for many keys, durably and within a larger transaction. By default, one after the
     * other; a store may use one statement, which must insert <em>in the order of the list</em>, because callers with
     * overlapping keys would otherwise deadlock.
     *
     * @param records records of different keys, in the order of the keys
     * @param retention as in {@link #claim}
     * @param lockWait the maximum wait for each other transaction; positive
     * @return the existing records; a record that was inserted has no entry
     */
    default Map<IdempotencyKey, IdempotencyRecord> claimAll(
            List<? extends IdempotencyRecord> records, Duration retention, Duration lockWait) {
        Map<IdempotencyKey, IdempotencyRecord> found = new HashMap<>();
        for (IdempotencyRecord record : records) {
            claim(record, retention, lockWait, Durability.DURABLE).ifPresent(there -> found.put(record.key(), there));
        }
        return found;
    }
}
