package io.counterpoint.idempotency.jakarta;

import io.counterpoint.idempotency.annotation.InvalidIdempotentMethodException;
import jakarta.annotation.Priority;
import jakarta.interceptor.AroundInvoke;
import jakarta.interceptor.Interceptor;
import jakarta.interceptor.InvocationContext;
import java.lang.reflect.Method;
import java.util.Objects;
import java.util.concurrent.atomic.AtomicInteger;
import org.jspecify.annotations.Nullable;

/**
 * The last interceptor in front of an annotated method. It lets one call per run pass, in the run's transaction: the
 * writes of a failed call are still in it, and a second call would repeat them.
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
            requireTransaction(invocation.getMethod());
            return invocation.proceed();
        } catch (Throwable thrown) {
            invocation.getContextData().put(THROWN, thrown);
            throw thrown;
        }
    }

    /** Otherwise the method's writes could be committed twice, or without their record. */
    private static void requireTransaction(Method method) {
        if (!JtaConnection.isInTransaction()) {
            throw new InvalidIdempotentMethodException(
                    method,
                    "it was called outside the operation's transaction, so what it writes commits separately from its"
                            + " record.",
                    "Produce the Idempotency with a JakartaIdempotencyStore, and give interceptors that change the"
                            + " thread or the transaction a priority below " + IdempotentInterceptor.PRIORITY + ".");
        }
    }

    /** Performs a run, which fails if its one call was refused or repeated, even if an interceptor hides that. */
    static @Nullable Object proceed(InvocationContext invocation) throws Exception {
        AtomicInteger calls = new AtomicInteger();
        invocation.getContextData().put(CALLS, calls);
        invocation.getContextData().remove(THROWN);
        Object returned = invocation.proceed();
        if (calls.get() > 1) {
            throw refusal(invocation);
        }
        if (invocation.getContextData().get(THROWN) instanceof InvalidIdempotentMethodException refused) {
            throw refused;
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
