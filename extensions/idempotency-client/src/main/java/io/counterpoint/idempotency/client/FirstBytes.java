package io.counterpoint.idempotency.client;

import java.io.ByteArrayOutputStream;
import java.net.http.HttpResponse.BodySubscriber;
import java.nio.ByteBuffer;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.Flow;
import java.util.function.BiFunction;
import org.jspecify.annotations.Nullable;

/** Reads the first bytes of a body, uses them to choose a reader, and passes the whole body to it. */
final class FirstBytes<T> implements BodySubscriber<T> {

    private final int most;
    private final BiFunction<byte[], Boolean, BodySubscriber<T>> chooser;
    private final ByteArrayOutputStream first = new ByteArrayOutputStream();
    private final CompletableFuture<T> body = new CompletableFuture<>();
    private final CompletableFuture<Void> read;
    private Flow.@Nullable Subscription source;
    private @Nullable BodySubscriber<T> reader;

    /**
     * Creates a subscriber that reads at least the given number of bytes.
     *
     * @param most after how many bytes to choose, or earlier at the end of the body; before the first one if negative
     * @param chooser receives what was read, and whether that is the whole body
     * @param read completed at the end of the body, before the reader is notified
     */
    FirstBytes(int most, BiFunction<byte[], Boolean, BodySubscriber<T>> chooser, CompletableFuture<Void> read) {
        this.most = most;
        this.chooser = chooser;
        this.read = read;
    }

    @Override
    public CompletionStage<T> getBody() {
        return body;
    }

    @Override
    public void onSubscribe(Flow.Subscription subscription) {
        source = subscription;
        if (most < 0) {
            choose(false);
        } else {
            subscription.request(1);
        }
    }

    @Override
    public void onNext(List<ByteBuffer> buffers) {
        if (reader != null) {
            reader.onNext(buffers);
            return;
        }
        for (ByteBuffer buffer : buffers) {
            byte[] bytes = new byte[buffer.remaining()];
            buffer.get(bytes);
            first.writeBytes(bytes);
        }
        if (first.size() > most) {
            choose(false);
        } else {
            subscription().request(1);
        }
    }

    @Override
    public void onError(Throwable thrown) {
        if (reader == null) {
            body.completeExceptionally(thrown);
        } else {
            reader.onError(thrown);
        }
    }

    @Override
    public void onComplete() {
        BodySubscriber<T> last = reader == null ? choose(true) : reader;
        read.complete(null);
        last.onComplete();
    }

    private BodySubscriber<T> choose(boolean whole) {
        byte[] bytes = first.toByteArray();
        BodySubscriber<T> chosen = chooser.apply(bytes, whole);
        reader = chosen;
        chosen.getBody().whenComplete((value, thrown) -> {
            if (thrown == null) {
                body.complete(value);
            } else {
                body.completeExceptionally(thrown);
            }
        });
        chosen.onSubscribe(new Rest(chosen, bytes.length == 0 ? null : bytes));
        return chosen;
    }

    private Flow.Subscription subscription() {
        return Objects.requireNonNull(source);
    }

    /** The reader's subscription, which starts with the bytes that were already read. */
    private final class Rest implements Flow.Subscription {
        private final BodySubscriber<T> reader;
        private byte @Nullable [] read;

        Rest(BodySubscriber<T> reader, byte @Nullable [] read) {
            this.reader = reader;
            this.read = read;
        }

        @Override
        public void request(long items) {
            byte[] before = read;
            read = null;
            if (before != null) {
                reader.onNext(List.of(ByteBuffer.wrap(before)));
            }
            long more = before == null || items == Long.MAX_VALUE ? items : items - 1;
            if (more > 0) {
                subscription().request(more);
            }
        }

        @Override
        public void cancel() {
            subscription().cancel();
        }
    }
}
