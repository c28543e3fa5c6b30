package io.counterpoint.idempotency.client;

import java.net.http.HttpResponse.BodyHandler;
import java.net.http.HttpResponse.BodySubscriber;
import java.net.http.HttpResponse.BodySubscribers;
import java.net.http.HttpResponse.ResponseInfo;
import java.util.concurrent.CompletableFuture;
import org.jspecify.annotations.Nullable;

/**
 * Lets the caller's handler read responses that are for the caller, reads problems itself, and discards the rest.
 * Handles one response.
 */
final class AnswerHandler<T> implements BodyHandler<T> {

    private final BodyHandler<T> callers;

    /** Written while the body is read, and read after the response is complete. */
    private volatile @Nullable Problem problem;

    private volatile boolean forCaller;

    private final CompletableFuture<Void> bodyRead = new CompletableFuture<>();

    AnswerHandler(BodyHandler<T> callers) {
        this.callers = callers;
    }

    Problem problem(int status) {
        Problem found = problem;
        return found == null ? Problem.untyped(status) : found;
    }

    boolean isForCaller() {
        return forCaller;
    }

    /** Completes with the last byte of the body, which a streaming handler reads after the response is returned. */
    CompletableFuture<Void> bodyRead() {
        return bodyRead;
    }

    @Override
    public BodySubscriber<T> apply(ResponseInfo info) {
        boolean document = info.headers()
                .firstValue("Content-Type")
                .filter(Problem::isDocument)
                .isPresent();
        return new FirstBytes<>(
                document ? Problem.MAX_BYTES : -1,
                (bytes, whole) -> reader(
                        info,
                        Problem.of(
                                info.statusCode(),
                                bytes,
                                document && whole,
                                info.headers().firstValue(Reply.CONTENT_ENCODING))),
                bodyRead);
    }

    /** Chooses the reader for the body of a response with this problem. */
    private BodySubscriber<T> reader(ResponseInfo info, Problem found) {
        problem = found;
        boolean retryAfter = info.headers().firstValue(Reply.RETRY_AFTER).isPresent();
        forCaller = Reply.isForCaller(found, retryAfter, Reply.isReplay(info.headers()::firstValue));
        return forCaller ? callers.apply(info) : discarded();
    }

    // The caller never gets a response whose body is null because of this.
    @SuppressWarnings("NullAway")
    private static <T> BodySubscriber<T> discarded() {
        return BodySubscribers.mapping(BodySubscribers.discarding(), nothing -> null);
    }
}
