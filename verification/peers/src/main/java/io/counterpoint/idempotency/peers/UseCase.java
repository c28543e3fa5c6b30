package io.counterpoint.idempotency.peers;

/** Books payments, protected by one library. */
interface UseCase extends AutoCloseable {

    /**
     * Books a payment, or answers as the library answers a retry.
     *
     * @throws Exception whatever the library lets through to its caller
     */
    Answer book(String key, String request) throws Exception;

    /** Does now what the library's documentation leaves to a job in the background. */
    default void runJob() {}

    @Override
    default void close() {}
}
