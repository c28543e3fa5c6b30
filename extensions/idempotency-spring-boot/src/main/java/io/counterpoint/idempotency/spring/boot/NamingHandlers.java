package io.counterpoint.idempotency.spring.boot;

import java.lang.reflect.Method;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.ConcurrentHashMap;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.springframework.context.ApplicationContext;
import org.springframework.core.annotation.AnnotatedElementUtils;
import org.springframework.util.ClassUtils;
import org.springframework.util.function.SingletonSupplier;
import org.springframework.web.bind.annotation.ExceptionHandler;
import org.springframework.web.method.ControllerAdviceBean;
import org.springframework.web.method.annotation.ExceptionHandlerMethodResolver;

/** The application's handlers that name an exception of the library, which catch-all handlers do not. */
final class NamingHandlers {

    private static final String OURS = "io.counterpoint.idempotency.";

    private final SingletonSupplier<List<ControllerAdviceBean>> advices;
    private final Map<Class<?>, ExceptionHandlerMethodResolver> resolvers = new ConcurrentHashMap<>();

    NamingHandlers(ApplicationContext context) {
        this.advices = SingletonSupplier.of(() -> ControllerAdviceBean.findAnnotatedBeans(context));
    }

    /**
     * Whether the handler that Spring would choose names the exception: the first one in the controller, or else in the
     * advices that apply to it. If Spring prefers a handler that does not, such as one for {@link Exception}, that
     * handler would hide the outcome.
     *
     * @param thrown the exception thrown by the controller
     * @param known the library's exception among its causes
     */
    boolean name(Class<?> controller, Exception thrown, Throwable known) {
        return Stream.concat(
                        Stream.<@Nullable Class<?>>of(controller),
                        advices.obtain().stream()
                                .filter(advice -> advice.isApplicableToBeanType(controller))
                                .map(ControllerAdviceBean::getBeanType))
                .filter(Objects::nonNull)
                .map(type -> resolvers
                        .computeIfAbsent(ClassUtils.getUserClass(type), ExceptionHandlerMethodResolver::new)
                        .resolveMethodByThrowable(thrown))
                .filter(Objects::nonNull)
                .findFirst()
                .filter(method -> exceptionsOf(method)
                        .anyMatch(type -> type.getName().startsWith(OURS) && type.isInstance(known)))
                .isPresent();
    }

    /** As resolved by Spring: from the annotation, or else from the parameters. */
    private static Stream<Class<?>> exceptionsOf(Method method) {
        ExceptionHandler annotation = AnnotatedElementUtils.findMergedAnnotation(method, ExceptionHandler.class);
        return annotation == null || annotation.value().length == 0
                ? Stream.of(method.getParameterTypes())
                : Stream.of(annotation.value());
    }
}
