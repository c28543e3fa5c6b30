package io.counterpoint.idempotency.jdbc.guard;

/**
 * An object of JDBC that belongs to a guarded connection.
 *
 * @param <D> its type
 */
abstract class Guarded<D> {

    /** That of the transaction in which the object was made. A connection gets another one with each transaction. */
    Guard guard;

    final D delegate;

    Guarded(Guard guard, D delegate) {
        this.guard = guard;
        this.delegate = delegate;
    }
}
