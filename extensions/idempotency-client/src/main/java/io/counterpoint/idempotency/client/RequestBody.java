package io.counterpoint.idempotency.client;

import java.io.ByteArrayOutputStream;
import java.net.http.HttpRequest.BodyPublisher;
import java.nio.ByteBuffer;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.Flow;

/** Reads a body publisher once, so that every try sends the same bytes even if the publisher cannot be read again. */
final class RequestBody implements Flow.Subscriber<ByteBuffer> {

    private final int maxBytes;
    private final ByteArrayOutputStream bytes = new ByteArrayOutputStream();
    private final CompletableFuture<byte[]> done = new CompletableFuture<>();
    private final CompletableFuture<Flow.Subscription> subscribed = new CompletableFuture<>();

    private RequestBody(int maxBytes) {
        this.maxBytes = maxBytes;
    }

    /**
     * Returns the bytes of a publisher.
     *
     * @throws IllegalArgumentException if there are too many, or the publisher fails; nothing was sent
     */
    static byte[] of(BodyPublisher publisher, int maxBytes) {
        if (publisher.contentLength() > maxBytes) {
            throw tooLarge(maxBytes);
        }
        RequestBody body = new RequestBody(maxBytes);
        publisher.subscribe(body);
        try {
            return body.done.join();
        } catch (CompletionException failed) {
            if (failed.getCause() instanceof IllegalArgumentException tooLarge) {
                throw tooLarge;
            }
            throw new IllegalArgumentException(
                    "The body publisher could not be read, so nothing was sent. Use a body that can be read.",
                    failed.getCause());
        }
    }

    private static IllegalArgumentException tooLarge(int maxBytes) {
        return new IllegalArgumentException("The body exceeds " + maxBytes + " bytes, the limit for a body that is"
                + " kept for all tries; nothing was sent. Raise maxBody, or send less.");
    }

    @Override
    public void onSubscribe(Flow.Subscription subscription) {
        if (subscribed.complete(subscription)) {
            subscription.request(Long.MAX_VALUE);
        } else {
            subscription.cancel();
        }
    }

    @Override
    public void onNext(ByteBuffer item) {
        if (item.remaining() > maxBytes - bytes.size()) {
            subscribed.join().cancel();
            done.completeExceptionally(tooLarge(maxBytes));
            return;
        }
        byte[] chunk = new byte[item.remaining()];
        item.get(chunk);
        bytes.writeBytes(chunk);
    }

    @Override
    public void onError(Throwable thrown) {
        done.completeExceptionally(
                thrown instanceof IllegalArgumentException ? new IllegalStateException(thrown) : thrown);
    }

    @Override
    public void onComplete() {
        done.complete(bytes.toByteArray());
    }
}
