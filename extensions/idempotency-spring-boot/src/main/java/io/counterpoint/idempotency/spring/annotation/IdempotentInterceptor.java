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
    private final CountedCall counted = new CountedCall();

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
        DuplicateCounter counter = methods.counterOf(method.operation());
        if (counter != null) {
            return counted.invoke(counter, method.operation(), () -> attempt(method, invocation), invocation);
        }
        Attempt attempt = attempt(method, invocation);
        Outcome<Object> outcome = methods.observer()
                .observe(
                        method.operation(),
                        () -> execute(methods.operation(method), attempt, method.form(), invocation));
        return method.form()
                .returned(method.usesHttpAttempt() ? HttpAttempts.resultOf(outcome) : outcome.orElseThrow());
    }

    private Attempt attempt(IdempotentMethod method, MethodInvocation invocation) {
        @Nullable Object[] arguments = invocation.getArguments();
        Attempt ofHttp = method.usesHttpAttempt() ? HttpAttempts.current() : null;
        return method.attempt(
                methods.contextForText(method, arguments, ofHttp),
                methods.context(method, arguments, ofHttp),
                arguments,
                methods::callerScope);
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
