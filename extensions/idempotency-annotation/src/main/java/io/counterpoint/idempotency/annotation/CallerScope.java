package io.counterpoint.idempotency.annotation;

import java.util.Optional;

/**
 * Identifies the caller, for methods whose {@link Idempotent#scope} is not set. A bean of this type replaces the
 * default, which uses the authenticated principal.
 */
@FunctionalInterface
public interface CallerScope {

    /**
     * Returns the scope of the current call.
     *
     * @return the scope including its kind, such as {@code tenant:7}; empty if the caller is unknown, in which case the
     *     call is rejected
     */
    Optional<String> current();
}
