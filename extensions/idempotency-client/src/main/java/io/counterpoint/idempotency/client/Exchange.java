package io.counterpoint.idempotency.client;

import java.io.IOException;

/** Sends a request once, with the key in its header. */
@FunctionalInterface
interface Exchange<R> {

    Reply<R> send(CallKey key) throws IOException, InterruptedException;

    /** Returns whether a failure proves that no part of the request has left this process. */
    default boolean isNeverSent(IOException failure) {
        return false;
    }
}
