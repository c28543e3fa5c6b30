package io.counterpoint.idempotency.client;

import io.counterpoint.idempotency.spi.Characters;
import java.time.Duration;
import java.util.Optional;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * The answer to one try.
 *
 * @param problem status and type
 * @param retryAfter the header of that name
 * @param keyLifetime the header {@code Idempotency-Key-Lifetime}, in seconds
 * @param replayed whether it is a stored answer
 * @param response null where the answer is not for the caller: a problem, or a status that is tried again
 */
record Reply<R>(
        Problem problem,
        Optional<String> retryAfter,
        Optional<Duration> keyLifetime,
        boolean replayed,
        @Nullable R response) {

    static final String RETRY_AFTER = "Retry-After";

    private static final String LIFETIME = "Idempotency-Key-Lifetime";

    private static final String REPLAYED = "Idempotent-Replayed";

    static <R> Reply<R> of(Problem problem, Function<String, Optional<String>> header, @Nullable R response) {
        return new Reply<>(
                problem,
                header.apply(RETRY_AFTER),
                header.apply(LIFETIME).flatMap(RetryAfter::seconds),
                isReplay(header),
                response);
    }

    /** Whether the answer is for the caller, because it is the service's own and no other try follows. */
    static boolean isForCaller(Problem problem, boolean retryAfter, boolean replayed) {
        return problem.type().isEmpty() && (replayed || !isTransient(problem.status(), retryAfter));
    }

    static boolean isReplay(Function<String, Optional<String>> header) {
        return header.apply(REPLAYED)
                .filter(value -> Characters.equalsIgnoringAsciiCase(value, "true"))
                .isPresent();
    }

    /** Whether another try may get another answer, by the status alone. */
    private static boolean isTransient(int status, boolean retryAfter) {
        return switch (status) {
            case Status.TIMEOUT, Status.TOO_EARLY, Status.TOO_MANY_REQUESTS -> true;
            case Status.CONFLICT -> retryAfter;
            default -> status >= Status.SERVER_ERROR;
        };
    }
}
