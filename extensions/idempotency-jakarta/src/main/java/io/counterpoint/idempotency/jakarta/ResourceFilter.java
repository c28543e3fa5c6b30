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
 * The header {@code Idempotency-Key} for resources of JAX-RS, after their callers are authenticated. It ignores
 * requests that the servlet filter has seen. JAX-RS discovers this class, {@link AnswerFilter} and the exception
 * mappers, unless the application lists its classes, in which case it must list these too.
 */
@SuppressWarnings("exports")
@Provider
@Priority(Priorities.AUTHORIZATION + 500)
public final class ResourceFilter implements ContainerRequestFilter {

    /** The property of requests that this has begun. */
    static final String BEGUN = ResourceFilter.class.getName();

    private @Nullable IdempotencyFilter filter;
    private @Nullable Boolean enabled;

    @Context
    private @Nullable ResourceInfo resource;

    /** For JAX-RS. */
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

    /** Not before the first request: Quarkus may make this before it knows the settings. */
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
