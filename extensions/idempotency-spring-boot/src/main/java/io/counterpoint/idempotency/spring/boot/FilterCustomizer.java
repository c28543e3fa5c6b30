package io.counterpoint.idempotency.spring.boot;

import io.counterpoint.idempotency.servlet.IdempotencyFilter;

/** Changes the filter that is registered, for example with routes whose responses the filter stores. */
@FunctionalInterface
public interface FilterCustomizer {

    /**
     * Changes the filter. Called after the properties are applied.
     *
     * @param filter the filter's builder
     */
    void customize(IdempotencyFilter.Builder filter);
}
