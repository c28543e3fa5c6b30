package io.counterpoint.idempotency.spring.annotation;

import io.counterpoint.idempotency.annotation.Idempotent;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * Determines which {@link Idempotent} methods are not protected: their duplicates are counted, and each call runs as it
 * would without the annotation.
 *
 * @param counter counts them; null if all methods are protected
 * @param protectedOperations the operations that are still protected
 */
public record CountedMethods(@Nullable DuplicateCounter counter, Set<String> protectedOperations) {

    /** Returns the counter of an operation that is not protected; null if it is. */
    @Nullable
    DuplicateCounter of(String operation) {
        return protectedOperations.contains(operation) ? null : counter;
    }
}
