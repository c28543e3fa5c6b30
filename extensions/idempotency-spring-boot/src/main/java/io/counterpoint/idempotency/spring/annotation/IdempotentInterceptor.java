package io.counterpoint.idempotency.spring.annotation;

import io.counterpoint.idempotency.Attempt;
import io.counterpoint.idempotency.Operation;
import io.counterpoint.idempotency.Outcome;
import io.counterpoint.idempotency.annotation.internal.ResultForm;
import java.lang.reflect.UndeclaredThrowableException;
import org.aopalliance.intercept.MethodInterceptor;
import org.aopalliance.intercept.MethodInvocation;
import org.jspecify.annotations.Nullable;
import org.springframework.aop.ProxyMethodInvocation;
import org.springframework.aop.framework.AopProxyUtils;

/** Executes the operation of an annotated method around its calls. */
final class IdempotentInterceptor implements MethodInterceptor {

    private final IdempotentMethods methods;

    IdempotentInterceptor(IdempotentMethods methods) {
        this.methods = methods;
    }

    @Override
    public @Nullable Object invoke(MethodInvocation invocation) throws Throwable {
        Object target = invocation.getThis();
        Class<?> type =
                target == null ? invocation.getMethod().getDeclaringClass() : AopProxyUtils.ultimateTargetClass(target);
        IdempotentMethod method = methods.find(invocation.getMethod(), type);
        if (method == null) {
            return invocation.proceed();
        }
        @Nullable Object[] arguments = invocation.getArguments();
        boolean http = method.usesHttpAttempt();
        Attempt ofHttp = http ? HttpAttempts.current() : null;
        Attempt attempt = method.attempt(
                methods.contextForText(method, arguments, ofHttp),
                methods.context(method, arguments, ofHttp),
                arguments,
                methods::callerScope);
        Outcome<Object> outcome = methods.observer()
                .observe(
                        method.operation(),
                        () -> execute(methods.operation(method), attempt, method.form(), invocation));
        return method.form().returned(http ? HttpAttempts.resultOf(outcome) : outcome.orElseThrow());
    }

    private static <C> Outcome<Object> execute(
            Operation<C, Object> operation, Attempt attempt, ResultForm form, MethodInvocation invocation)
            throws Exception {
        return operation.<Exception>execute(attempt, handle -> stored(form, run(invocation)));
    }

    @SuppressWarnings("NullAway") // The operation refuses a null with a message of its own.
    private static Object stored(ResultForm form, @Nullable Object returned) {
        return form.stored(returned);
    }

    /** Each run goes through the interceptors behind this one from the start. */
    private static @Nullable Object run(MethodInvocation invocation) throws Exception {
        try {
            return OneCall.proceed(((ProxyMethodInvocation) invocation).invocableClone());
        } catch (Exception | Error thrown) {
            throw thrown;
        } catch (Throwable thrown) {
            throw new UndeclaredThrowableException(thrown);
        }
    }
}
