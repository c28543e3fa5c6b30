package io.counterpoint.idempotency.spring.boot;

import io.counterpoint.idempotency.servlet.IdempotentRequest;
import jakarta.servlet.http.HttpServletRequest;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;
import org.springframework.web.context.request.NativeWebRequest;
import org.springframework.web.context.request.async.CallableProcessingInterceptor;
import org.springframework.web.context.request.async.DeferredResult;
import org.springframework.web.context.request.async.DeferredResultProcessingInterceptor;
import org.springframework.web.context.request.async.WebAsyncManager;
import org.springframework.web.context.request.async.WebAsyncUtils;

/** Lets the filter know what Spring MVC's own threads do for a request, and whether any other thread takes part. */
final class WatchedTasks implements CallableProcessingInterceptor, DeferredResultProcessingInterceptor {

    /** Not a request attribute, because those are gone if the request has timed out or its client has disconnected. */
    private static final ThreadLocal<IdempotentRequest.@Nullable Binding> BINDING = new ThreadLocal<>();

    /** Sees what the handler of a request may return. */
    static void seeThoseOf(HttpServletRequest request) {
        WebAsyncManager manager = WebAsyncUtils.getAsyncManager(request);
        manager.registerCallableInterceptor(WatchedTasks.class, new WatchedTasks());
        manager.registerDeferredResultInterceptor(WatchedTasks.class, new WatchedTasks());
    }

    /** If the result is already available, Spring MVC does not call the handler's interceptors. */
    @Override
    public <T> void beforeConcurrentHandling(NativeWebRequest request, DeferredResult<T> ofAnotherThread) {
        HttpServletRequest http = request.getNativeRequest(HttpServletRequest.class);
        if (http != null) {
            IdempotentRequest.find(http).ifPresent(IdempotentRequest::goesOnElsewhere);
        }
    }

    @Override
    public <T> void preProcess(NativeWebRequest request, Callable<T> task) {
        HttpServletRequest http = request.getNativeRequest(HttpServletRequest.class);
        if (http != null) {
            BINDING.set(IdempotentRequest.countOnThisThread(http));
        }
    }

    @Override
    public <T> void postProcess(NativeWebRequest request, Callable<T> task, @Nullable Object result) {
        IdempotentRequest.Binding begun = BINDING.get();
        if (begun != null) {
            BINDING.remove();
            begun.close();
        }
    }
}
