package io.counterpoint.idempotency.spring.annotation;

import io.counterpoint.idempotency.Attempt;
import io.counterpoint.idempotency.Operation;
import io.counterpoint.idempotency.Outcome;
import io.counterpoint.idempotency.annotation.InvalidIdempotentMethodException;
import io.counterpoint.idempotency.annotation.internal.ResultForm;
import io.counterpoint.idempotency.memory.InMemoryIdempotencyStore;
import io.counterpoint.idempotency.spring.SpringIdempotencyStore;
import java.lang.reflect.UndeclaredThrowableException;
import java.util.concurrent.Callable;
import org.aopalliance.intercept.MethodInterceptor;
import org.aopalliance.intercept.MethodInvocation;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.springframework.aop.ProxyMethodInvocation;
import org.springframework.aop.framework.AopProxyUtils;

/** Executes the operation of an annotated method around its calls. */
final class IdempotentInterceptor implements MethodInterceptor {

    private static final Logger LOG = LoggerFactory.getLogger(IdempotentInterceptor.class);

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
        Outcome<Object> outcome = execute(method, attempt, invocation);
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

    private Outcome<Object> execute(IdempotentMethod method, Attempt attempt, MethodInvocation invocation)
            throws Exception {
        Operation<?, Object> operation = methods.operation(method);
        MethodTransaction transaction = methods.transaction(method);
        return transaction == null
                ? execute(operation, attempt, method, () -> run(invocation))
                : SpringIdempotencyStore.<Outcome<Object>, Exception>defined(
                        transaction, () -> execute(operation, attempt, method, () -> run(transaction, invocation)));
    }

    private static <C> Outcome<Object> execute(
            Operation<C, Object> operation, Attempt attempt, IdempotentMethod method, Callable<@Nullable Object> run)
            throws Exception {
        return operation.<Exception>execute(attempt, handle -> {
            requireTransaction(handle, method);
            return stored(method.form(), run.call());
        });
    }

    /** Otherwise what the method writes could be committed twice, or without its record. Tests use a store in memory. */
    private static void requireTransaction(Object handle, IdempotentMethod method) {
        if (!(handle instanceof InMemoryIdempotencyStore.Transaction) && !SpringIdempotencyStore.isWorking()) {
            throw new InvalidIdempotentMethodException(
                    method.method(),
                    "the store that the application defines begins no transaction of Spring, so what the method writes"
                            + " would commit separately from its record.",
                    "Define it with SpringIdempotencyStore.on(transactionManager).");
        }
    }

    /** Applies the rollback rules of {@code @Transactional} to an exception, which the operation cannot do. */
    private static @Nullable Object run(MethodTransaction transaction, MethodInvocation invocation) throws Exception {
        try {
            return run(invocation);
        } catch (Exception thrown) {
            if (!transaction.rollbackOn(thrown)) {
                LOG.error(
                        "{}: @Transactional would commit when this is thrown, but an idempotent operation that throws"
                                + " is rolled back. Add rollbackFor, or return a result for what must be committed.",
                        transaction.getName(),
                        thrown);
            }
            throw thrown;
        }
    }

    @SuppressWarnings("NullAway") // the operation rejects null with its own message
    private static Object stored(ResultForm form, @Nullable Object returned) {
        return form.stored(returned);
    }

    /** Each run passes through the interceptors behind this one from the start. */
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
