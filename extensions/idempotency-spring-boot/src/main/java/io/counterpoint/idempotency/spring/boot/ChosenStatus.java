package io.counterpoint.idempotency.spring.boot;

import io.counterpoint.idempotency.servlet.IdempotentRequest;
import jakarta.servlet.http.HttpServletRequest;
import jakarta.servlet.http.HttpServletResponse;
import org.jspecify.annotations.Nullable;
import org.springframework.core.MethodParameter;
import org.springframework.http.ProblemDetail;
import org.springframework.http.ResponseEntity;
import org.springframework.web.ErrorResponse;
import org.springframework.web.context.request.NativeWebRequest;
import org.springframework.web.context.request.async.WebAsyncUtils;
import org.springframework.web.method.support.AsyncHandlerMethodReturnValueHandler;
import org.springframework.web.method.support.HandlerMethodReturnValueHandler;
import org.springframework.web.method.support.ModelAndViewContainer;

/**
 * Tells the filter which status a handler method has chosen, before another part of Spring MVC makes the answer and may set
 * one of its own, such as 406. Then it does what a return value handler of Spring MVC or of the application does.
 */
class ChosenStatus implements HandlerMethodReturnValueHandler {

    final HandlerMethodReturnValueHandler handler;

    private ChosenStatus(HandlerMethodReturnValueHandler handler) {
        this.handler = handler;
    }

    static HandlerMethodReturnValueHandler before(HandlerMethodReturnValueHandler handler) {
        return handler instanceof AsyncHandlerMethodReturnValueHandler
                ? new OfLater(handler)
                : new ChosenStatus(handler);
    }

    @Override
    public boolean supportsReturnType(MethodParameter type) {
        return handler.supportsReturnType(type);
    }

    @Override
    public void handleReturnValue(
            @Nullable Object value, MethodParameter type, ModelAndViewContainer model, NativeWebRequest request)
            throws Exception {
        HttpServletRequest http = request.getNativeRequest(HttpServletRequest.class);
        IdempotentRequest known =
                http == null ? null : IdempotentRequest.find(http).orElse(null);
        if (known == null) {
            handler.handleReturnValue(value, type, model, request);
            return;
        }
        known.chose(statusOf(value, request));
        handler.handleReturnValue(value, type, model, request);
        if (WebAsyncUtils.getAsyncManager(request).isConcurrentHandlingStarted()) {
            // The result comes later, and with it the choice.
            known.chose(0);
        }
    }

    private static int statusOf(@Nullable Object value, NativeWebRequest request) {
        if (value instanceof ResponseEntity<?> entity) {
            return entity.getStatusCode().value();
        }
        if (value instanceof ErrorResponse error) {
            return error.getStatusCode().value();
        }
        if (value instanceof ProblemDetail problem) {
            return problem.getStatus();
        }
        HttpServletResponse response = request.getNativeResponse(HttpServletResponse.class);
        return response == null ? 0 : response.getStatus();
    }

    private static final class OfLater extends ChosenStatus implements AsyncHandlerMethodReturnValueHandler {

        OfLater(HandlerMethodReturnValueHandler handler) {
            super(handler);
        }

        @Override
        public boolean isAsyncReturnValue(@Nullable Object value, MethodParameter type) {
            return ((AsyncHandlerMethodReturnValueHandler) handler).isAsyncReturnValue(value, type);
        }
    }
}
