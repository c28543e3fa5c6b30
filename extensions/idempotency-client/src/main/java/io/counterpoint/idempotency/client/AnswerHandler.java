package io.counterpoint.idempotency.client;

import java.net.http.HttpResponse.BodyHandler;
import java.net.http.HttpResponse.BodySubscriber;
import java.net.http.HttpResponse.BodySubscribers;
import java.net.http.HttpResponse.ResponseInfo;
import java.nio.ByteBuffer;
import java.util.List;
import java.util.concurrent.Flow;
import org.jspecify.annotations.Nullable;

/** Lets the caller's handler read what is for the caller, reads problems itself, and discards the rest. For one answer. */
final class AnswerHandler<T> implements BodyHandler<T> {

    private final BodyHandler<T> callers;

    /** Written where the body is read, and read after the answer is complete. */
    private volatile @Nullable Problem problem;

    private volatile boolean forCaller;

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

    @Override
    public BodySubscriber<T> apply(ResponseInfo info) {
        if (info.headers()
                .firstValue("Content-Type")
                .filter(Problem::isDocument)
                .isPresent()) {
            return BodySubscribers.mapping(BodySubscribers.ofByteArray(), document -> readProblem(info, document));
        }
        forCaller = isForCaller(info, Problem.untyped(info.statusCode()));
        return forCaller ? callers.apply(info) : discarded();
    }

    // The caller gets no response whose body is null because of this.
    @SuppressWarnings("NullAway")
    private static <T> BodySubscriber<T> discarded() {
        return BodySubscribers.mapping(BodySubscribers.discarding(), nothing -> null);
    }

    // As above.
    @SuppressWarnings("NullAway")
    private T readProblem(ResponseInfo info, byte[] document) {
        Problem read = Problem.parse(info.statusCode(), document);
        problem = read;
        forCaller = isForCaller(info, read);
        return forCaller ? readAgain(info, document) : null;
    }

    /** Gives the caller's handler the bytes of a problem that is the service's own. */
    private T readAgain(ResponseInfo info, byte[] document) {
        BodySubscriber<T> subscriber = callers.apply(info);
        subscriber.onSubscribe(new Flow.Subscription() {
            @Override
            public void request(long items) {
                // All there is comes at once.
            }

            @Override
            public void cancel() {
                // Nothing to end.
            }
        });
        subscriber.onNext(List.of(ByteBuffer.wrap(document)));
        subscriber.onComplete();
        return subscriber.getBody().toCompletableFuture().join();
    }

    private static boolean isForCaller(ResponseInfo info, Problem problem) {
        boolean retryAfter = info.headers().firstValue(Reply.RETRY_AFTER).isPresent();
        return Reply.isForCaller(problem, retryAfter, Reply.isReplay(info.headers()::firstValue));
    }
}
