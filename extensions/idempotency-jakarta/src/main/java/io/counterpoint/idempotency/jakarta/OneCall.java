package io.counterpoint.idempotency.jakarta;

import jakarta.annotation.Priority;
import jakarta.interceptor.AroundInvoke;
import jakarta.interceptor.Interceptor;
import jakarta.interceptor.InvocationContext;
import java.util.Objects;
import java.util.concurrent.atomic.AtomicInteger;
import org.jspecify.annotations.Nullable;

/**
 * The last interceptor in front of an annotated method. It lets one call per run pass: the writes of a failed call are
 * still in the run's transaction, and a second call would repeat them.
 */
@Interceptor
@IdempotentBinding
@Priority(Integer.MAX_VALUE)
class OneCall {

    private static final String CALLS = OneCall.class.getName();
    private static final String THROWN = CALLS + ".thrown";

    @AroundInvoke
    @Nullable
    Object call(InvocationContext invocation) throws Exception {
        AtomicInteger calls = (AtomicInteger)
                Objects.requireNonNull(invocation.getContextData().get(CALLS));
        if (calls.incrementAndGet() > 1) {
            throw refusal(invocation);
        }
        try {
            return invocation.proceed();
        } catch (Throwable thrown) {
            invocation.getContextData().put(THROWN, thrown);
            throw thrown;
        }
    }

    /** Performs a run, which fails if more than one call was attempted, even if an interceptor hides that. */
    static @Nullable Object proceed(InvocationContext invocation) throws Exception {
        AtomicInteger calls = new AtomicInteger();
        invocation.getContextData().put(CALLS, calls);
        invocation.getContextData().remove(THROWN);
        Object returned = invocation.proceed();
        if (calls.get() > 1) {
            throw refusal(invocation);
        }
        return returned;
    }

    /** What the first call threw is the cause, so that a conflict is still one, after which the operation runs again. */
    private static IllegalStateException refusal(InvocationContext invocation) {
        return new IllegalStateException(
                invocation.getMethod().getDeclaringClass().getName() + "."
                        + invocation.getMethod().getName()
                        + " was called twice in one run of its operation, because an interceptor inside @Idempotent"
                        + " repeats it. The run is rolled back. Give that interceptor a priority below "
                        + IdempotentInterceptor.PRIORITY + ", or name its exceptions in retryOn.",
                (Throwable) invocation.getContextData().get(THROWN));
    }
}
