package io.counterpoint.idempotency.spring.boot;

import io.counterpoint.idempotency.servlet.IdempotencyFilter;

/** Customizes the registered filter, for example with routes whose responses the filter stores. */
@FunctionalInterface
public interface FilterCustomizer {

    /**
     * Customizes the filter. Called after the properties are applied.
     *
     * @param filter the filter's builder
     */
    void customize(IdempotencyFilter.Builder filter);
}
