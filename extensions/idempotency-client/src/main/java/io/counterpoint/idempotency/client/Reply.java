package io.counterpoint.idempotency.client;

import io.counterpoint.idempotency.spi.Characters;
import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.CompletionStage;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * The response to one try.
 *
 * @param problem status and type
 * @param retryAfter the header of that name
 * @param keyLifetime the header {@code Idempotency-Key-Lifetime}, in seconds
 * @param replayed whether it is a stored response
 * @param mayHaveEffect whether the service reports that the request may have had an effect, regardless of the status
 * @param response the response; null if it is not for the caller: a problem, or a status that is retried
 * @param bodyRead completes when the body has been read completely, which may be left to the caller
 */
record Reply<R>(
        Problem problem,
        Optional<String> retryAfter,
        Optional<Duration> keyLifetime,
        boolean replayed,
        boolean mayHaveEffect,
        @Nullable R response,
        CompletionStage<Void> bodyRead) {

    static final String RETRY_AFTER = "Retry-After";
    static final String CONTENT_ENCODING = "Content-Encoding";

    private static final String LIFETIME = "Idempotency-Key-Lifetime";

    private static final String REPLAYED = "Idempotent-Replayed";

    private static final String MAY_HAVE_EFFECT = "Idempotency-May-Have-Effect";

    static <R> Reply<R> of(
            Problem problem,
            Function<String, Optional<String>> header,
            @Nullable R response,
            CompletionStage<Void> bodyRead) {
        return new Reply<>(
                problem,
                header.apply(RETRY_AFTER),
                header.apply(LIFETIME).flatMap(RetryAfter::seconds),
                isReplay(header),
                isTrue(header, MAY_HAVE_EFFECT),
                response,
                bodyRead);
    }

    /** Whether the response is for the caller, because it is the service's own and no other try follows. */
    static boolean isForCaller(Problem problem, boolean retryAfter, boolean replayed) {
        return problem.type().isEmpty() && (replayed || !isTransient(problem.status(), retryAfter));
    }

    static boolean isReplay(Function<String, Optional<String>> header) {
        return isTrue(header, REPLAYED);
    }

    private static boolean isTrue(Function<String, Optional<String>> header, String name) {
        return header.apply(name)
                .filter(value -> Characters.equalsIgnoringAsciiCase(value, "true"))
                .isPresent();
    }

    /** Whether another try may get a different response, judging by the status alone. */
    private static boolean isTransient(int status, boolean retryAfter) {
        return switch (status) {
            case Status.TIMEOUT, Status.TOO_EARLY, Status.TOO_MANY_REQUESTS -> true;
            case Status.CONFLICT -> retryAfter;
            default -> status >= Status.SERVER_ERROR;
        };
    }
}
