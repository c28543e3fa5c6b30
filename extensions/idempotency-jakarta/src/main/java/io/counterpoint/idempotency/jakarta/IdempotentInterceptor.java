package io.counterpoint.idempotency.jakarta;

import io.counterpoint.idempotency.Attempt;
import io.counterpoint.idempotency.Operation;
import io.counterpoint.idempotency.Outcome;
import jakarta.annotation.Priority;
import jakarta.inject.Inject;
import jakarta.interceptor.AroundInvoke;
import jakarta.interceptor.Interceptor;
import jakarta.interceptor.InvocationContext;
import java.sql.Connection;
import org.jspecify.annotations.Nullable;

/**
 * Executes the operation of an annotated method around its calls, outside of the container's transactions, which have 200, and
 * of {@link SeparateTransactions}. Those of Quarkus for security have 150 and come first: who may not call gets no replay.
 */
@Interceptor
@IdempotentBinding
@Priority(IdempotentInterceptor.PRIORITY)
class IdempotentInterceptor {

    static final int PRIORITY = Interceptor.Priority.PLATFORM_BEFORE + 180;

    private final IdempotentMethods methods;

    @Inject
    IdempotentInterceptor(IdempotentMethods methods) {
        this.methods = methods;
    }

    @AroundInvoke
    @Nullable
    Object execute(InvocationContext invocation) throws Exception {
        methods.requireFilter();
        IdempotentMethod method = methods.of(invocation.getMethod());
        HttpAttempts http = method.usesHttpAttempt() ? methods.http() : null;
        @Nullable Object[] arguments = invocation.getParameters().clone();
        Attempt attempt = method.attempt(arguments, http == null ? null : http.current(method), methods::callerScope);
        Operation<Connection, Object> operation = methods.operation(method);
        try {
            Outcome<Object> outcome = operation.<Exception>execute(attempt, handle -> {
                invocation.setParameters(arguments.clone());
                return stored(method, OneCall.proceed(invocation));
            });
            return method.form().returned(http == null ? outcome.orElseThrow() : http.resultOf(method, outcome));
        } finally {
            // An interceptor in front may repeat the call, which must then have the same key.
            invocation.setParameters(arguments);
        }
    }

    @SuppressWarnings("NullAway") // the operation rejects null with its own message
    private static Object stored(IdempotentMethod method, @Nullable Object returned) {
        return method.form().stored(returned);
    }
}
