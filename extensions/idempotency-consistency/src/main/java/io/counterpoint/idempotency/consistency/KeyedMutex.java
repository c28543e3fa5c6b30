package io.counterpoint.idempotency.consistency;

import io.counterpoint.idempotency.function.CheckedSupplier;
import io.counterpoint.idempotency.internal.KeyedPermits;
import java.time.Duration;

/**
 * Serializes callers in one process that write the same contended row, before they take a connection. Thread-safe.
 *
 * <pre>{@code
 * int left = mutex.locked(workspace, Duration.ofSeconds(5), () -> transactions.inTransaction(SERIALIZABLE, …));
 * }</pre>
 *
 * <p>It only saves work: the database decides what is correct, also between processes. A caller that has waited
 * long enough continues without the mutex. It guarantees no order. It is not reentrant: a caller that requests a key
 * that it already holds waits, and then continues without the mutex.
 *
 * @param <K> the keys, with {@code equals} and {@code hashCode}
 */
public final class KeyedMutex<K> {

    private final KeyedPermits<K> permits = new KeyedPermits<>();

    /** Creates a mutex that no caller holds. It keeps keys only while they have callers. */
    public KeyedMutex() {}

    /**
     * Runs work exclusively for a key, or concurrently with others once the longest wait is over. An interrupt ends the
     * wait, and stays set.
     *
     * @param <T> the result
     * @param <X> what the work throws
     * @param key the key of the contended resource, such as a row's key
     * @param maxWait the longest wait; zero means not at all
     * @param work the work: a whole transaction, with its retries
     * @return its result
     * @throws X what it threw
     */
    public <T, X extends Exception> T locked(K key, Duration maxWait, CheckedSupplier<T, X> work) throws X {
        KeyedPermits<K>.Permit permit = permits.acquire(key, maxWait);
        try {
            return work.get();
        } finally {
            permit.release();
        }
    }
}
