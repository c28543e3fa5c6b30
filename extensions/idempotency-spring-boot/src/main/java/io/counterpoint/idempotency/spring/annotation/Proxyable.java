package io.counterpoint.idempotency.spring.annotation;

import java.lang.reflect.Method;
import java.lang.reflect.Modifier;
import java.util.List;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.Flow;
import java.util.concurrent.Future;
import java.util.stream.BaseStream;
import org.springframework.util.ClassUtils;

/** Refuses methods that a proxy cannot intercept, or whose result is not there when they return. */
final class Proxyable {

    private static final List<Class<?>> LATER =
            List.of(Future.class, CompletionStage.class, Flow.Publisher.class, BaseStream.class);

    private static final List<String> LATER_BY_NAME =
            List.of("org.reactivestreams.Publisher", "kotlinx.coroutines.flow.Flow");

    private Proxyable() {}

    static void require(Method method, Class<?> type) {
        if (Modifier.isPrivate(method.getModifiers())) {
            throw new InvalidIdempotentMethodException(
                    method, "a private method is not intercepted.", "Make it public.");
        }
        if (Modifier.isStatic(method.getModifiers())) {
            throw new InvalidIdempotentMethodException(
                    method, "a static method is not intercepted.", "Make it a method of a bean.");
        }
        if (Modifier.isFinal(method.getModifiers())) {
            throw new InvalidIdempotentMethodException(
                    method, "a final method is not intercepted.", "Take the word final away.");
        }
        if (Modifier.isFinal(type.getModifiers())) {
            throw new InvalidIdempotentMethodException(
                    method,
                    "its class " + type.getName() + " is final, and Spring makes no proxy of it.",
                    "Take the word final away; a record is always final.");
        }
        requireResultAtReturn(method);
    }

    private static void requireResultAtReturn(Method method) {
        for (Class<?> parameter : method.getParameterTypes()) {
            if (parameter.getName().equals("kotlin.coroutines.Continuation")) {
                throw new InvalidIdempotentMethodException(
                        method, "a suspending function returns before its work ends.", "Make it a plain function.");
            }
        }
        Class<?> result = method.getReturnType();
        boolean later = LATER.stream().anyMatch(it -> it.isAssignableFrom(result))
                || ClassUtils.getAllInterfacesForClassAsSet(result).stream()
                        .anyMatch(it -> LATER_BY_NAME.contains(it.getName()))
                || LATER_BY_NAME.contains(result.getName());
        if (later) {
            throw new InvalidIdempotentMethodException(
                    method,
                    "it returns " + result.getName() + ", whose work goes on after the method has returned.",
                    "Return the result itself.");
        }
    }
}
