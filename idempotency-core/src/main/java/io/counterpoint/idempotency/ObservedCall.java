package io.counterpoint.idempotency;

import io.counterpoint.idempotency.internal.Rethrow;
import java.util.Objects;
import java.util.function.Consumer;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/** A call made by an observer. Its caller gets what it returned or threw, regardless of what the observer does. */
final class ObservedCall<T> implements Supplier<T> {

    private final Supplier<T> call;
    private final Thread caller = Thread.currentThread();
    private boolean made;
    private @Nullable T answer;
    private @Nullable Throwable thrown;

    private ObservedCall(Supplier<T> call) {
        this.call = call;
    }

    static <T> T by(Consumer<ObservedCall<T>> observer, Supplier<T> call) {
        ObservedCall<T> observed = new ObservedCall<>(call);
        try {
            observer.accept(observed);
        } catch (Throwable ignored) {
            // Exceptions of the call are rethrown below. Those of the observer are ignored, as with listeners.
        }
        return observed.get();
    }

    /** Makes the call, the first time only. Another thread would continue alongside the caller. */
    @Override
    public T get() {
        if (Thread.currentThread() != caller) {
            throw new IllegalStateException("An observer must make the call on its caller's thread.");
        }
        if (!made) {
            made = true;
            try {
                answer = call.get();
            } catch (Throwable leaves) {
                thrown = leaves;
            }
        }
        if (thrown != null) {
            throw Rethrow.unchanged(thrown);
        }
        return Objects.requireNonNull(answer);
    }
}
