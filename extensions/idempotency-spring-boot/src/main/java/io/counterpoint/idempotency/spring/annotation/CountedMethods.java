package io.counterpoint.idempotency.spring.annotation;

import io.counterpoint.idempotency.annotation.Idempotent;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * The {@link Idempotent} methods that are not protected: their duplicates are counted, and each call runs as if it had
 * no annotation.
 *
 * @param counter counts them; null if all methods are protected
 * @param protectedOperations the operations that are protected anyway
 */
public record CountedMethods(@Nullable DuplicateCounter counter, Set<String> protectedOperations) {

    /** The counter of an operation that is not protected; null if it is. */
    @Nullable
    DuplicateCounter of(String operation) {
        return protectedOperations.contains(operation) ? null : counter;
    }
}
