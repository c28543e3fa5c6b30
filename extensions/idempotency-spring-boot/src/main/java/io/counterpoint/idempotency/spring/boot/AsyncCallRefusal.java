package io.counterpoint.idempotency.spring.boot;

import io.counterpoint.idempotency.spring.SeparateTransaction;
import java.lang.reflect.Method;
import org.aopalliance.intercept.MethodInterceptor;
import org.aopalliance.intercept.MethodInvocation;
import org.jspecify.annotations.Nullable;
import org.springframework.aop.Advisor;
import org.springframework.aop.PointcutAdvisor;
import org.springframework.aop.framework.Advised;
import org.springframework.aop.interceptor.AsyncExecutionInterceptor;
import org.springframework.aop.support.DefaultPointcutAdvisor;
import org.springframework.beans.factory.config.BeanPostProcessor;

/**
 * Rejects {@code @Async} calls made by the work of an operation, because the other thread would commit independently.
 * It is unordered, so it runs after the post-processor of {@code @EnableAsync} and precedes its interceptor. Calls
 * woven by AspectJ are not detected.
 */
final class AsyncCallRefusal implements BeanPostProcessor {

    private static final MethodInterceptor REFUSAL = AsyncCallRefusal::refuseInsideOfWork;

    @Override
    public Object postProcessAfterInitialization(Object bean, String name) {
        if (bean instanceof Advised advised && !advised.isFrozen()) {
            for (Advisor advisor : advised.getAdvisors()) {
                if (advisor instanceof PointcutAdvisor async
                        && advisor.getAdvice() instanceof AsyncExecutionInterceptor) {
                    advised.addAdvisor(0, new DefaultPointcutAdvisor(async.getPointcut(), REFUSAL));
                }
            }
        }
        return bean;
    }

    private static @Nullable Object refuseInsideOfWork(MethodInvocation invocation) throws Throwable {
        Method method = invocation.getMethod();
        SeparateTransaction.requireOutsideOfWork(
                "@Async " + method.getDeclaringClass().getName() + "." + method.getName());
        return invocation.proceed();
    }
}
