package io.counterpoint.idempotency.spring.annotation;

import io.counterpoint.idempotency.annotation.Idempotent;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * Which {@link Idempotent} methods are not protected: their duplicates are counted, and each call runs as without the
 * annotation.
 *
 * @param counter counts them; null where all methods are protected
 * @param protectedOperations the operations that are protected all the same
 */
public record CountedMethods(@Nullable DuplicateCounter counter, Set<String> protectedOperations) {

    /** The counter of an operation that is not protected; null if it is. */
    @Nullable
    DuplicateCounter of(String operation) {
        return protectedOperations.contains(operation) ? null : counter;
    }
}
