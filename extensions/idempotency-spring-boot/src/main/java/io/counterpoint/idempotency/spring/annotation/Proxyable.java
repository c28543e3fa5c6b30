package io.counterpoint.idempotency.spring.annotation;

import io.counterpoint.idempotency.annotation.InvalidIdempotentMethodException;
import java.lang.reflect.Method;
import java.lang.reflect.Modifier;
import java.lang.reflect.Type;
import java.util.Arrays;
import java.util.Iterator;
import java.util.List;
import java.util.Set;
import java.util.Spliterator;
import java.util.concurrent.Callable;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.Flow;
import java.util.concurrent.Future;
import java.util.function.Supplier;
import java.util.stream.BaseStream;
import java.util.stream.Stream;
import org.springframework.beans.factory.DisposableBean;
import org.springframework.beans.factory.InitializingBean;
import org.springframework.core.ReactiveAdapterRegistry;
import org.springframework.core.ResolvableType;
import org.springframework.util.ClassUtils;
import org.springframework.util.ReflectionUtils;

/** Refuses methods that a proxy cannot intercept, or whose result is not there when they return. */
final class Proxyable {

    private static final List<Class<?>> LATER = List.of(
            Future.class,
            CompletionStage.class,
            Flow.Publisher.class,
            BaseStream.class,
            Callable.class,
            Supplier.class,
            Runnable.class,
            Iterator.class,
            Spliterator.class);

    private static final List<String> LATER_BY_NAME = List.of(
            "org.reactivestreams.Publisher",
            "kotlinx.coroutines.flow.Flow",
            "org.springframework.web.context.request.async.DeferredResult",
            "org.springframework.web.context.request.async.WebAsyncTask",
            "org.springframework.web.servlet.mvc.method.annotation.ResponseBodyEmitter",
            "org.springframework.web.servlet.mvc.method.annotation.SseEmitter",
            "org.springframework.web.servlet.mvc.method.annotation.StreamingResponseBody");

    /** The container calls them at the object itself. */
    private static final Set<String> LIFECYCLE = Set.of(
            "jakarta.annotation.PostConstruct",
            "jakarta.annotation.PreDestroy",
            InitializingBean.class.getName(),
            DisposableBean.class.getName());

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
        if (Modifier.isFinal(type.getModifiers()) || type.isSealed()) {
            throw new InvalidIdempotentMethodException(
                    method,
                    "its class " + type.getName() + " is final or sealed, and Spring makes no proxy of it.",
                    "Write a class that can have subclasses, not a record, an enum or a lambda.");
        }
        requireCallers(method, type);
    }

    private static void requireCallers(Method method, Class<?> type) {
        if (ReflectionUtils.isObjectMethod(method)) {
            throw new InvalidIdempotentMethodException(
                    method, "equals, hashCode and toString are not always intercepted.", "Give it a name of its own.");
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
                    "the container calls it at the object itself, past the proxy.",
                    "Call it from an ApplicationRunner, which is another bean.");
        }
    }

    static void requireResultAtReturn(Method method, Type result) {
        for (Class<?> parameter : method.getParameterTypes()) {
            if (parameter.getName().equals("kotlin.coroutines.Continuation")) {
                throw new InvalidIdempotentMethodException(
                        method, "a suspending function returns before its work ends.", "Make it a plain function.");
            }
        }
        ResolvableType type = ResolvableType.forType(result);
        if (comesLater(type)) {
            throw new InvalidIdempotentMethodException(
                    method,
                    "it returns " + result.getTypeName() + ", whose work goes on after the method has returned.",
                    "Return the result itself.");
        }
    }

    /** Also a part of a result: a list of futures, an optional callable, an entity of a publisher. */
    private static boolean comesLater(ResolvableType type) {
        Class<?> raw = type.toClass();
        return (raw.isArray() && comesLater(type.getComponentType()))
                || LATER.stream().anyMatch(it -> it.isAssignableFrom(raw))
                || Stream.concat(Stream.of(raw), ClassUtils.getAllInterfacesForClassAsSet(raw).stream())
                        .anyMatch(it -> LATER_BY_NAME.contains(it.getName()))
                || ReactiveAdapterRegistry.getSharedInstance().getAdapter(raw) != null
                || Arrays.stream(type.getGenerics()).anyMatch(Proxyable::comesLater);
    }
}
