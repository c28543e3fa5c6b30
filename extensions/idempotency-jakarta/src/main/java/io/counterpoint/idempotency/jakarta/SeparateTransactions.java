package io.counterpoint.idempotency.jakarta;

import jakarta.annotation.Priority;
import jakarta.interceptor.AroundInvoke;
import jakarta.interceptor.Interceptor;
import jakarta.interceptor.InvocationContext;
import jakarta.transaction.Transactional;
import jakarta.transaction.Transactional.TxType;
import java.lang.reflect.Method;
import org.jspecify.annotations.Nullable;

/** Rejects separate transactions inside the work of an operation, before the container begins one. */
final class SeparateTransactions {

    /** Precedes the container's interceptor, which has 200. */
    static final int PRIORITY = Interceptor.Priority.PLATFORM_BEFORE + 190;

    private SeparateTransactions() {}

    static void refuseInside(String method, String kind) {
        if (JtaConnection.isWorking()) {
            throw new SeparateTransactionException(method, kind);
        }
    }

    private static @Nullable Object refuseInside(InvocationContext invocation, TxType kind) throws Exception {
        Method method = invocation.getMethod();
        refuseInside(method.getDeclaringClass().getName() + "." + method.getName(), kind.name());
        return invocation.proceed();
    }

    @Interceptor
    @Transactional(TxType.REQUIRES_NEW)
    @Priority(PRIORITY)
    static class RequiresNew {
        @AroundInvoke
        @Nullable
        Object call(InvocationContext invocation) throws Exception {
            return refuseInside(invocation, TxType.REQUIRES_NEW);
        }
    }

    @Interceptor
    @Transactional(TxType.NOT_SUPPORTED)
    @Priority(PRIORITY)
    static class NotSupported {
        @AroundInvoke
        @Nullable
        Object call(InvocationContext invocation) throws Exception {
            return refuseInside(invocation, TxType.NOT_SUPPORTED);
        }
    }
}
