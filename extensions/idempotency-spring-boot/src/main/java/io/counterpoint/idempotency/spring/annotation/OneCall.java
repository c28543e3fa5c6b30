package io.counterpoint.idempotency.spring.annotation;

import java.util.concurrent.atomic.AtomicInteger;
import org.aopalliance.intercept.MethodInterceptor;
import org.aopalliance.intercept.MethodInvocation;
import org.jspecify.annotations.Nullable;
import org.springframework.aop.ProxyMethodInvocation;

/**
 * The last interceptor in front of an annotated method. It lets one call per run pass: the writes of a failed call are
 * still in the run's transaction, and a second call would repeat them.
 */
final class OneCall implements MethodInterceptor {

    private static final String CALLS = OneCall.class.getName();

    @Override
    public @Nullable Object invoke(MethodInvocation invocation) throws Throwable {
        if (((ProxyMethodInvocation) invocation).getUserAttribute(CALLS) instanceof AtomicInteger calls
                && calls.incrementAndGet() > 1) {
            throw refusal(invocation);
        }
        return invocation.proceed();
    }

    /** Performs a run, which fails if more than one call was attempted, even if an interceptor hides that. */
    static @Nullable Object proceed(MethodInvocation invocation) throws Throwable {
        AtomicInteger calls = new AtomicInteger();
        ((ProxyMethodInvocation) invocation).setUserAttribute(CALLS, calls);
        Object returned = invocation.proceed();
        if (calls.get() > 1) {
            throw refusal(invocation);
        }
        return returned;
    }

    private static IllegalStateException refusal(MethodInvocation invocation) {
        return new IllegalStateException(
                invocation.getMethod().getDeclaringClass().getName()
                        + "."
                        + invocation.getMethod().getName()
                        + " was called twice in one run of its operation, because an interceptor inside @Idempotent "
                        + "repeats it. The run is rolled back. Give that aspect an @Order outside @Idempotent, such as "
                        + "0, or name its exceptions in retryOn.");
    }
}
