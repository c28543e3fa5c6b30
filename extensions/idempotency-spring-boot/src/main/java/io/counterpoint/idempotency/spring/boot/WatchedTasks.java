package io.counterpoint.idempotency.spring.boot;

import io.counterpoint.idempotency.servlet.IdempotentRequest;
import jakarta.servlet.http.HttpServletRequest;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;
import org.springframework.core.Ordered;
import org.springframework.web.context.request.NativeWebRequest;
import org.springframework.web.context.request.async.CallableProcessingInterceptor;
import org.springframework.web.servlet.config.annotation.AsyncSupportConfigurer;
import org.springframework.web.servlet.config.annotation.InterceptorRegistry;
import org.springframework.web.servlet.config.annotation.WebMvcConfigurer;

/** Reports to the filter what Spring MVC's own threads do for a request and which status its handler chose. */
final class WatchedTasks implements WebMvcConfigurer, CallableProcessingInterceptor {

    /** Not a request attribute, because those are gone if the request has timed out or its client has disconnected. */
    private static final ThreadLocal<IdempotentRequest.@Nullable Binding> BINDING = new ThreadLocal<>();

    /** Registered last, so that exceptions that others throw after the handler occur after this one. */
    @Override
    public void addInterceptors(InterceptorRegistry registry) {
        registry.addInterceptor(new ChosenStatus()).order(Ordered.LOWEST_PRECEDENCE);
    }

    @Override
    public void configureAsyncSupport(AsyncSupportConfigurer configurer) {
        configurer.registerCallableInterceptors(this);
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
