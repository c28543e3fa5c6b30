package io.counterpoint.idempotency.jakarta;

import io.counterpoint.idempotency.servlet.ResourceRequest;
import jakarta.annotation.Priority;
import jakarta.ws.rs.container.ContainerRequestContext;
import jakarta.ws.rs.container.ContainerResponseContext;
import jakarta.ws.rs.container.ContainerResponseFilter;
import jakarta.ws.rs.ext.Provider;
import java.io.IOException;

/** Adds the headers of {@link ResourceFilter} to responses, after all other filters, when the status is final. */
@Provider
@Priority(Integer.MIN_VALUE)
@SuppressWarnings("exports")
public final class AnswerFilter implements ContainerResponseFilter {

    /** Called by JAX-RS. */
    public AnswerFilter() {}

    @Override
    public void filter(ContainerRequestContext request, ContainerResponseContext response) throws IOException {
        if (request.getProperty(ResourceFilter.BEGUN) != null) {
            ResourceRequest.end(request, response);
        }
    }
}
