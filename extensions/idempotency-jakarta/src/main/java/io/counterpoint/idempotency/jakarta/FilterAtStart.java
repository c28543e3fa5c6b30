package io.counterpoint.idempotency.jakarta;

import io.counterpoint.idempotency.servlet.IdempotencyFilter;
import io.counterpoint.idempotency.servlet.RoutePolicy;
import io.counterpoint.idempotency.servlet.ScopeResolver;
import io.counterpoint.idempotency.servlet.UnusedKey;
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
import jakarta.servlet.http.HttpServletRequest;
import java.io.IOException;
import java.net.URI;
import java.util.EnumSet;
import java.util.Optional;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * Registers the filter for the header {@code Idempotency-Key}, with the settings that it has with Spring. A servlet
 * container finds this class where {@code idempotency-servlet} is there.
 */
public final class FilterAtStart implements ServletContainerInitializer, Filter {

    private @Nullable IdempotencyFilter filter;

    /** For the servlet container. */
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
            throw RequiredRoutes.refusal("another filter is named idempotency");
        }
    }

    /** Reads the settings: Quarkus may have called {@link #onStartup} before it knows them. */
    @Override
    public void init(FilterConfig config) {
        if (!Settings.isSet("idempotency.http.enabled", true)) {
            return;
        }
        RequiredRoutes.requireServlets(config.getServletContext().getServletRegistrations().values().stream()
                .flatMap(servlet -> servlet.getMappings().stream())
                .toList());
        IdempotencyFilter.Builder builder = IdempotencyFilter.scopedBy(FilterAtStart::scopeOf);
        for (String policy : new String[] {"required", "optional", "off"}) {
            Settings.all("idempotency.http." + policy).forEach(path -> builder.route(path, policy(policy)));
        }
        builder.elsewhere(policy(Settings.of("idempotency.http.elsewhere").orElse("optional")))
                .retryAfter(Settings.duration("idempotency.http.retry-after", "1s"));
        Settings.of("idempotency.http.documentation").map(URI::create).ifPresent(builder::documentation);
        builder.unusedKey(
                switch (Settings.of("idempotency.http.unused-key").orElse("warn")) {
                    case "ignore" -> UnusedKey.IGNORE;
                    case "warn" -> UnusedKey.WARN;
                    case "fail" -> UnusedKey.FAIL;
                    default ->
                        throw new IllegalArgumentException(
                                "Expected warn, fail or ignore in idempotency.http.unused-key");
                });
        filter = builder.build();
    }

    private static RoutePolicy policy(String name) {
        RoutePolicy policy = switch (name) {
            case "required" -> RoutePolicy.required();
            case "optional" -> RoutePolicy.optional();
            case "off" -> RoutePolicy.off();
            default -> throw new IllegalArgumentException("Expected required, optional or off, found [" + name + "]");
        };
        policy = policy.maxRequestBody(Settings.size("idempotency.http.max-request-body", "8MB"));
        policy = Settings.of("idempotency.http.key-lifetime")
                .map(Settings::duration)
                .map(policy::keyLifetime)
                .orElse(policy);
        return Settings.isSet("idempotency.http.strict-keys", false) ? policy.strictKeys() : policy;
    }

    /** Whom the container has authenticated, and nothing that a client sends. */
    private static Optional<String> scopeOf(HttpServletRequest request) {
        return ScopeResolver.principal().scopeOf(request).or(IdempotentMethods::anonymous);
    }

    @Override
    public void doFilter(ServletRequest request, ServletResponse response, FilterChain chain)
            throws IOException, ServletException {
        if (filter == null) {
            chain.doFilter(request, response);
        } else {
            filter.doFilter(request, response, chain);
        }
    }
}
