package io.counterpoint.idempotency.jakarta;

import io.counterpoint.idempotency.IdempotencyException;
import io.counterpoint.idempotency.servlet.ResourceRequest;
import jakarta.annotation.Priority;
import jakarta.enterprise.inject.spi.CDI;
import jakarta.ws.rs.Priorities;
import jakarta.ws.rs.core.Response;
import jakarta.ws.rs.ext.ExceptionMapper;
import jakarta.ws.rs.ext.Provider;

/** Makes problems of what annotated methods throw. An application's own mapper of this exception comes first. */
@SuppressWarnings("exports")
@Provider
@Priority(Priorities.USER + 1000)
public final class ProblemMapper implements ExceptionMapper<IdempotencyException> {

    /** For JAX-RS. */
    public ProblemMapper() {}

    @Override
    public Response toResponse(IdempotencyException exception) {
        return Settings.hasFilter()
                ? ResourceRequest.problem(
                        CDI.current().select(HttpAttempts.class).get().find(), exception)
                : Response.serverError().build();
    }
}
