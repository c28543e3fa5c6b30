package io.counterpoint.idempotency.spring.boot;

import jakarta.servlet.http.HttpServletRequest;
import java.lang.reflect.Method;
import java.util.List;
import java.util.Optional;
import java.util.stream.Stream;
import org.springframework.context.ApplicationContext;
import org.springframework.core.annotation.AnnotatedElementUtils;
import org.springframework.web.accept.ContentNegotiationManager;
import org.springframework.web.bind.annotation.ExceptionHandler;
import org.springframework.web.context.request.ServletWebRequest;
import org.springframework.web.method.HandlerMethod;
import org.springframework.web.servlet.mvc.method.annotation.ExceptionHandlerExceptionResolver;

/** The application's handlers that name an exception of the library, which catch-all handlers do not. */
final class NamingHandlers extends ExceptionHandlerExceptionResolver {

    private static final String OURS = "io.counterpoint.idempotency.";
    private static final String NEGOTIATION = "mvcContentNegotiationManager";

    /** It calls no handler, so it needs nothing to call one with. */
    NamingHandlers(ApplicationContext context) {
        setApplicationContext(context);
        if (context.containsBean(NEGOTIATION)) {
            setContentNegotiationManager(context.getBean(NEGOTIATION, ContentNegotiationManager.class));
        }
        setArgumentResolvers(List.of());
        setReturnValueHandlers(List.of());
        afterPropertiesSet();
    }

    /**
     * Whether the handler that Spring would choose for the request names the exception. If Spring prefers a handler
     * that does not, such as one for {@link Exception}, that handler would hide the outcome.
     *
     * @param thrown the exception thrown by the controller
     * @param known the library's exception among its causes
     */
    boolean name(HandlerMethod controller, Exception thrown, Throwable known, HttpServletRequest request) {
        return Optional.ofNullable(getExceptionHandlerMethod(controller, thrown, new ServletWebRequest(request)))
                .filter(chosen -> exceptionsOf(chosen.getMethod())
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
