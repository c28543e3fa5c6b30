package io.counterpoint.idempotency.spring.boot;

import io.counterpoint.idempotency.internal.CallEffects;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import org.jspecify.annotations.Nullable;
import org.springframework.beans.factory.config.InstantiationAwareBeanPostProcessor;
import org.springframework.boot.web.servlet.ServletRegistrationBean;
import org.springframework.transaction.ConfigurableTransactionManager;
import org.springframework.transaction.TransactionExecution;
import org.springframework.transaction.TransactionExecutionListener;
import org.springframework.transaction.UnexpectedRollbackException;
import org.springframework.web.method.support.HandlerMethodReturnValueHandler;
import org.springframework.web.servlet.FrameworkServlet;
import org.springframework.web.servlet.function.RouterFunction;
import org.springframework.web.servlet.function.support.RouterFunctionMapping;
import org.springframework.web.servlet.handler.AbstractHandlerMapping;
import org.springframework.web.servlet.mvc.method.annotation.RequestMappingHandlerAdapter;

/** Lets the filter know which status a handler has chosen, and that its thread has committed something. */
final class WatchedHandlers implements InstantiationAwareBeanPostProcessor {

    /**
     * The interceptor stands behind all others, so that what they throw after the handler comes after it. It is no
     * WebMvcConfigurer's, since an application that extends WebMvcConfigurationSupport asks none.
     */
    @Override
    public boolean postProcessAfterInstantiation(Object bean, String name) {
        if (bean instanceof AbstractHandlerMapping mapping) {
            mapping.setInterceptors(new ChosenStatus());
        }
        return true;
    }

    @Override
    public Object postProcessAfterInitialization(Object bean, String name) {
        if (bean instanceof ConfigurableTransactionManager manager) {
            manager.addListener(new Commits());
        } else if (bean instanceof RequestMappingHandlerAdapter adapter) {
            List<HandlerMethodReturnValueHandler> handlers = new ArrayList<>(List.of(new ChosenStatus()));
            handlers.addAll(Objects.requireNonNullElse(adapter.getReturnValueHandlers(), List.of()));
            adapter.setReturnValueHandlers(handlers);
        } else if (bean instanceof RouterFunctionMapping mapping) {
            RouterFunction<?> routes = mapping.getRouterFunction();
            mapping.setRouterFunction(routes == null ? null : routes.filter(ChosenStatus::of));
        } else {
            watchContextOf(bean instanceof ServletRegistrationBean<?> registered ? registered.getServlet() : bean);
        }
        return bean;
    }

    /** The context of another DispatcherServlet has its own handlers, which the post-processors of this one do not see. */
    private void watchContextOf(@Nullable Object servlet) {
        if (servlet instanceof FrameworkServlet own) {
            own.setContextInitializers(
                    below -> below.addBeanFactoryPostProcessor(beans -> beans.addBeanPostProcessor(this)));
        }
    }

    /** A commit that failed may still have taken effect. */
    private static final class Commits implements TransactionExecutionListener {
        @Override
        public void afterCommit(TransactionExecution transaction, @Nullable Throwable failure) {
            if (!transaction.isReadOnly() && !(failure instanceof UnexpectedRollbackException)) {
                CallEffects.committed();
            }
        }
    }
}
