package io.counterpoint.idempotency.spring.boot;

import io.counterpoint.idempotency.servlet.IdempotentRequest;
import jakarta.servlet.http.HttpServletRequest;
import jakarta.servlet.http.HttpServletResponse;
import java.util.Optional;
import org.jspecify.annotations.Nullable;
import org.springframework.core.MethodParameter;
import org.springframework.http.HttpStatusCode;
import org.springframework.http.ProblemDetail;
import org.springframework.http.ResponseEntity;
import org.springframework.web.ErrorResponse;
import org.springframework.web.context.request.NativeWebRequest;
import org.springframework.web.context.request.RequestContextHolder;
import org.springframework.web.context.request.ServletRequestAttributes;
import org.springframework.web.method.support.AsyncHandlerMethodReturnValueHandler;
import org.springframework.web.method.support.ModelAndViewContainer;
import org.springframework.web.servlet.HandlerInterceptor;
import org.springframework.web.servlet.ModelAndView;
import org.springframework.web.servlet.function.AsyncServerResponse;
import org.springframework.web.servlet.function.HandlerFunction;
import org.springframework.web.servlet.function.ServerRequest;
import org.springframework.web.servlet.function.ServerResponse;
import org.springframework.web.servlet.mvc.method.annotation.StreamingResponseBody;

/**
 * Reports to the filter which status a handler method chose, before another part of Spring MVC creates the response and
 * possibly sets a different one, such as 406. It handles no return values, but Spring MVC first offers each one to all
 * handlers of this kind.
 */
final class ChosenStatus implements AsyncHandlerMethodReturnValueHandler, HandlerInterceptor {

    @Override
    public boolean supportsReturnType(MethodParameter type) {
        return false;
    }

    @Override
    public void handleReturnValue(
            @Nullable Object value, MethodParameter type, ModelAndViewContainer model, NativeWebRequest request) {
        throw new IllegalStateException("Handles no values.");
    }

    /** Called once the method has returned. */
    @Override
    public boolean isAsyncReturnValue(@Nullable Object value, MethodParameter type) {
        if (RequestContextHolder.getRequestAttributes() instanceof ServletRequestAttributes current) {
            IdempotentRequest.find(current.getRequest()).ifPresent(known -> {
                known.chose(statusOf(value, current.getResponse()));
                if ((value instanceof ResponseEntity<?> entity ? entity.getBody() : value)
                        instanceof StreamingResponseBody) {
                    // What it throws is not the handler's choice, but is answered as if it were.
                    known.goesOnElsewhere();
                }
            });
        }
        return false;
    }

    /** The handler being called may be that of a forward. */
    @Override
    public boolean preHandle(HttpServletRequest request, HttpServletResponse response, Object handler) {
        WatchedTasks.seeThoseOf(request);
        IdempotentRequest.find(request).ifPresent(known -> known.chose(0));
        return true;
    }

    /** For a method that returned nothing, no value was offered. */
    @Override
    public void postHandle(
            HttpServletRequest request, HttpServletResponse response, Object handler, @Nullable ModelAndView model) {
        IdempotentRequest.find(request).ifPresent(known -> known.chose(response.getStatus()));
    }

    /**
     * Calls a functional endpoint. Its response is written afterwards, without asynchronous processing if another
     * thread has already completed it.
     */
    static <T extends ServerResponse> T of(ServerRequest request, HandlerFunction<T> endpoint) throws Exception {
        T chosen = endpoint.handle(request);
        if (chosen != null) {
            IdempotentRequest.find(request.servletRequest()).ifPresent(known -> {
                if (chosen instanceof AsyncServerResponse) {
                    known.goesOnElsewhere();
                } else {
                    known.chose(chosen.statusCode().value());
                }
            });
        }
        return chosen;
    }

    private static int statusOf(@Nullable Object value, @Nullable HttpServletResponse response) {
        HttpStatusCode status = value instanceof ResponseEntity<?> entity
                ? entity.getStatusCode()
                : value instanceof ErrorResponse error
                        ? error.getStatusCode()
                        : value instanceof ModelAndView model ? model.getStatus() : null;
        return Optional.ofNullable(status)
                .map(HttpStatusCode::value)
                .orElseGet(() -> value instanceof ProblemDetail problem
                        ? problem.getStatus()
                        : response == null ? 0 : response.getStatus());
    }
}
