package io.counterpoint.idempotency.jdbc.guard;

/**
 * A JDBC object that belongs to a guarded connection.
 *
 * @param <D> its type
 */
abstract class Guarded<D> {

    /**
     * The guard of the transaction in which the object was created. A connection gets a new one with each transaction.
     */
    Guard guard;

    final D delegate;

    Guarded(Guard guard, D delegate) {
        this.guard = guard;
        this.delegate = delegate;
    }
}
