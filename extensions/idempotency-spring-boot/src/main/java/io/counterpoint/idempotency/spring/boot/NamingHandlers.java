package io.counterpoint.idempotency.spring.boot;

import java.lang.reflect.Method;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.stream.Stream;
import org.springframework.context.ApplicationContext;
import org.springframework.core.MethodIntrospector;
import org.springframework.core.annotation.AnnotatedElementUtils;
import org.springframework.util.ClassUtils;
import org.springframework.util.function.SingletonSupplier;
import org.springframework.web.bind.annotation.ExceptionHandler;
import org.springframework.web.method.ControllerAdviceBean;

/** The application's handlers that name an exception of the library, which catch-all handlers do not. */
final class NamingHandlers {

    private static final String OURS = "io.counterpoint.idempotency.";

    private final SingletonSupplier<List<ControllerAdviceBean>> advices;
    private final Map<Class<?>, List<Class<?>>> named = new ConcurrentHashMap<>();

    NamingHandlers(ApplicationContext context) {
        this.advices = SingletonSupplier.of(() -> ControllerAdviceBean.findAnnotatedBeans(context));
    }

    /** Whether a controller, or an advice that applies to it, has a handler that names the exception. */
    boolean name(Class<?> controller, Throwable thrown) {
        return named(controller).anyMatch(type -> type.isInstance(thrown))
                || advices.obtain().stream()
                        .filter(advice -> advice.isApplicableToBeanType(controller))
                        .flatMap(advice -> advice.getBeanType() == null ? Stream.empty() : named(advice.getBeanType()))
                        .anyMatch(type -> type.isInstance(thrown));
    }

    private Stream<Class<?>> named(Class<?> type) {
        return named
                .computeIfAbsent(
                        ClassUtils.getUserClass(type),
                        user -> MethodIntrospector.selectMethods(
                                        user,
                                        (Method method) ->
                                                AnnotatedElementUtils.hasAnnotation(method, ExceptionHandler.class)
                                                        ? method
                                                        : null)
                                .keySet()
                                .stream()
                                .flatMap(NamingHandlers::exceptionsOf)
                                .filter(exception -> exception.getName().startsWith(OURS))
                                .toList())
                .stream();
    }

    /** As resolved by Spring: from the annotation, or else from the parameters. */
    private static Stream<Class<?>> exceptionsOf(Method method) {
        ExceptionHandler annotation = AnnotatedElementUtils.findMergedAnnotation(method, ExceptionHandler.class);
        return annotation == null || annotation.value().length == 0
                ? Stream.of(method.getParameterTypes())
                : Stream.of(annotation.value());
    }
}
