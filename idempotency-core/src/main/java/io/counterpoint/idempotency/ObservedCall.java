package io.counterpoint.idempotency;

import io.counterpoint.idempotency.internal.Rethrow;
import java.util.Objects;
import java.util.function.Consumer;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/** A call that an observer makes. What it has returned or thrown is what its caller gets, whatever the observer does. */
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
            // What the call has thrown is thrown below. What the observer throws changes nothing, as with listeners.
        }
        return observed.get();
    }

    /** Makes it, the first time. Another thread would go on beside the caller. */
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
