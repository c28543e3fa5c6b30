package io.counterpoint.idempotency.jakarta;

import io.counterpoint.idempotency.servlet.IdempotencyFilter;
import io.counterpoint.idempotency.servlet.ResourceRequest;
import jakarta.annotation.Priority;
import jakarta.enterprise.inject.spi.CDI;
import jakarta.ws.rs.Priorities;
import jakarta.ws.rs.container.ContainerRequestContext;
import jakarta.ws.rs.container.ContainerRequestFilter;
import jakarta.ws.rs.container.ResourceInfo;
import jakarta.ws.rs.core.Context;
import jakarta.ws.rs.ext.Provider;
import java.io.IOException;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * Handles the header {@code Idempotency-Key} for JAX-RS resources, after their callers are authenticated. It ignores
 * requests that have passed the servlet filter. JAX-RS discovers it, {@link AnswerFilter} and the exception mappers,
 * unless the application lists its classes: in that case, list these too.
 */
@SuppressWarnings("exports")
@Provider
@Priority(Priorities.AUTHORIZATION + 500)
public final class ResourceFilter implements ContainerRequestFilter {

    /** The property of requests that this filter has begun. */
    static final String BEGUN = ResourceFilter.class.getName();

    private @Nullable IdempotencyFilter filter;
    private @Nullable Boolean enabled;

    @Context
    private @Nullable ResourceInfo resource;

    /** Called by JAX-RS. */
    public ResourceFilter() {
        RequiredRoutes.filtered();
    }

    @Override
    public void filter(ContainerRequestContext request) throws IOException {
        if (isEnabled() && request.getProperty(HttpFilter.SEEN) == null) {
            request.setProperty(BEGUN, true);
            CDI.current()
                    .select(CurrentRequest.class)
                    .get()
                    .is(ResourceRequest.begin(filter(), request, Objects.requireNonNull(resource)));
        }
    }

    /**
     * Not evaluated before the first request, because Quarkus may create this filter before the settings are available.
     */
    private synchronized boolean isEnabled() {
        if (enabled == null) {
            enabled = HttpFilter.isEnabled();
        }
        return enabled;
    }

    private synchronized IdempotencyFilter filter() {
        if (filter == null) {
            filter = HttpFilter.get();
        }
        return filter;
    }
}
