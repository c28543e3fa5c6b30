package io.counterpoint.idempotency.consistency;

import io.counterpoint.idempotency.function.CheckedSupplier;
import io.counterpoint.idempotency.internal.KeyedPermits;
import java.time.Duration;

/**
 * Serializes callers in one process that write the same contended row, before they borrow a connection. Thread-safe.
 *
 * <pre>{@code
 * int left = mutex.locked(workspace, Duration.ofSeconds(5), () -> transactions.inTransaction(SERIALIZABLE, …));
 * }</pre>
 *
 * <p>This is only an optimization: the database guarantees correctness, including across processes. A caller that has
 * waited for the maximum time continues without the mutex. No order is guaranteed. The mutex is not reentrant: a caller
 * that requests a key it already holds waits, and then continues without it.
 *
 * @param <K> the keys, with {@code equals} and {@code hashCode}
 */
public final class KeyedMutex<K> {

    private final KeyedPermits<K> permits = new KeyedPermits<>();

    /** Creates a mutex that no caller holds. Keys are kept only while they have callers. */
    public KeyedMutex() {}

    /**
     * Runs work exclusively for a key, or concurrently with others once the maximum wait is over. An interrupt ends the
     * wait and stays set.
     *
     * @param <T> the result
     * @param <X> the type of exception that the work throws
     * @param key the contended key, such as a row's key
     * @param maxWait the maximum wait; zero to not wait at all
     * @param work the work: a whole transaction including its retries
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
