package io.counterpoint.idempotency.jakarta;

import io.counterpoint.idempotency.servlet.IdempotencyFilter;
import jakarta.servlet.DispatcherType;
import jakarta.servlet.Filter;
import jakarta.servlet.FilterChain;
import jakarta.servlet.FilterConfig;
import jakarta.servlet.FilterRegistration;
import jakarta.servlet.ServletContainerInitializer;
import jakarta.servlet.ServletContext;
import jakarta.servlet.ServletException;
import jakarta.servlet.ServletRequest;
import jakarta.servlet.ServletResponse;
import java.io.IOException;
import java.util.EnumSet;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * Registers the filter for the header {@code Idempotency-Key}, with the same settings as with Spring. Servlet
 * containers discover this class if {@code idempotency-servlet} is present.
 */
@SuppressWarnings("exports")
public final class FilterAtStart implements ServletContainerInitializer, Filter {

    private @Nullable IdempotencyFilter filter;

    /** Called by the servlet container. */
    public FilterAtStart() {}

    @Override
    public void onStartup(@Nullable Set<Class<?>> unused, ServletContext context) {
        if (!Settings.hasFilter()) {
            return;
        }
        FilterRegistration.Dynamic registration = context.addFilter("idempotency", this);
        if (registration != null) {
            registration.setAsyncSupported(true);
            registration.addMappingForUrlPatterns(
                    EnumSet.of(DispatcherType.REQUEST, DispatcherType.FORWARD, DispatcherType.ASYNC), false, "/*");
            RequiredRoutes.filtered();
        } else if (RequiredRoutes.exist()) {
            throw RequiredRoutes.refusal("another filter is already named idempotency");
        }
    }

    /** Reads the settings here, because Quarkus may call {@link #onStartup} before they are available. */
    @Override
    public void init(FilterConfig config) {
        filter = HttpFilter.isEnabled() ? HttpFilter.get() : null;
    }

    @Override
    public void doFilter(ServletRequest request, ServletResponse response, FilterChain chain)
            throws IOException, ServletException {
        if (filter == null) {
            chain.doFilter(request, response);
        } else {
            request.setAttribute(HttpFilter.SEEN, true);
            filter.doFilter(request, response, chain);
        }
    }
}
