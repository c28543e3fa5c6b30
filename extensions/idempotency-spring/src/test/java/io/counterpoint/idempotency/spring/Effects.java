package io.counterpoint.idempotency.spring;

/** The domain of the tests, as a service. */
public interface Effects {

    /** Writes an effect. */
    void write(String name);

    /** Whether there is one. */
    boolean isThere(String name);
}
