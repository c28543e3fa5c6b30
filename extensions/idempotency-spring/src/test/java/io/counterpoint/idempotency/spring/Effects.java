package io.counterpoint.idempotency.spring;

import java.util.function.LongSupplier;

/** The domain of the tests, as a service. */
public interface Effects {

    /** Writes an effect. */
    void write(String name);

    /** Whether there is one. */
    boolean isThere(String name);

    /** Opens an account, whose name is unique. */
    void open(String account);

    /** Changes an account, and returns its version, which a flush may still change. */
    LongSupplier change(String account);
}
