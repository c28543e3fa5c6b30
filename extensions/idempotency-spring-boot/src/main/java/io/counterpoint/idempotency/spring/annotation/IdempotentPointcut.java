package io.counterpoint.idempotency.spring.annotation;

import java.lang.reflect.Method;
import org.springframework.aop.ClassFilter;
import org.springframework.aop.MethodMatcher;
import org.springframework.aop.Pointcut;
import org.springframework.aop.support.StaticMethodMatcher;

/** Matches annotated methods. Matching a class validates all of its methods before a proxy is created. */
record IdempotentPointcut(IdempotentMethods methods) implements Pointcut {
    @Override
    public ClassFilter getClassFilter() {
        return methods::areIn;
    }

    @Override
    public MethodMatcher getMethodMatcher() {
        return new StaticMethodMatcher() {
            @Override
            public boolean matches(Method method, Class<?> targetClass) {
                return methods.find(method, targetClass) != null;
            }
        };
    }
}
