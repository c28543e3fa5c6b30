package io.counterpoint.idempotency.peers;

/** Books payments, protected by one library. */
interface UseCase extends AutoCloseable {

    /**
     * Books a payment, or responds as the library does to a retry.
     *
     * @throws Exception whatever the library passes on to its caller
     */
    Answer book(String key, String request) throws Exception;

    /** Runs now what the library's documentation leaves to a background job. */
    default void runJob() {}

    @Override
    default void close() {}
}
