package io.counterpoint.idempotency.spring.annotation;

import io.counterpoint.idempotency.annotation.InvalidIdempotentMethodException;
import io.counterpoint.idempotency.annotation.internal.MethodChecks;
import java.lang.reflect.Method;
import java.lang.reflect.Modifier;
import java.lang.reflect.Proxy;
import java.util.Arrays;
import java.util.Set;
import java.util.stream.Stream;
import org.springframework.beans.factory.DisposableBean;
import org.springframework.beans.factory.InitializingBean;
import org.springframework.util.ClassUtils;
import org.springframework.util.ReflectionUtils;

/** Rejects methods that a proxy cannot intercept. */
final class Proxyable {

    /** Methods that the container calls on the target object itself. */
    private static final Set<String> LIFECYCLE = Set.of(
            "jakarta.annotation.PostConstruct",
            "jakarta.annotation.PreDestroy",
            InitializingBean.class.getName(),
            DisposableBean.class.getName());

    private Proxyable() {}

    static void require(Method method, Class<?> type) {
        if (Proxy.isProxyClass(type)) {
            throw new InvalidIdempotentMethodException(
                    method,
                    "its object is generated at run time from an interface, like the repositories of Spring Data.",
                    "Annotate the method of a service that calls it.");
        }
        MethodChecks.requireInterceptable(method);
        if (Modifier.isFinal(type.getModifiers()) || type.isSealed()) {
            throw new InvalidIdempotentMethodException(
                    method,
                    "its class " + type.getName() + " is final or sealed, so Spring cannot proxy it.",
                    "Use a class that can have subclasses, not a record, an enum or a lambda.");
        }
        requireCallers(method, type);
    }

    private static void requireCallers(Method method, Class<?> type) {
        if (ReflectionUtils.isObjectMethod(method)) {
            throw new InvalidIdempotentMethodException(
                    method, "equals, hashCode and toString are not always intercepted.", "Use another method name.");
        }
        String declaring = ClassUtils.getInterfaceMethodIfPossible(method, type)
                .getDeclaringClass()
                .getName();
        if (Stream.concat(
                        Stream.of(declaring),
                        Arrays.stream(method.getAnnotations())
                                .map(it -> it.annotationType().getName()))
                .anyMatch(LIFECYCLE::contains)) {
            throw new InvalidIdempotentMethodException(
                    method,
                    "the container calls it on the object itself, bypassing the proxy.",
                    "Call it from an ApplicationRunner in another bean.");
        }
    }
}
