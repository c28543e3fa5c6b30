package io.counterpoint.idempotency.servlet;

import io.counterpoint.idempotency.IdempotencyException;
import io.counterpoint.idempotency.http.ProblemType;
import jakarta.annotation.Priority;
import jakarta.servlet.http.HttpServletRequest;
import jakarta.ws.rs.Priorities;
import jakarta.ws.rs.core.Context;
import jakarta.ws.rs.core.Response;
import jakarta.ws.rs.ext.ExceptionMapper;
import jakarta.ws.rs.ext.Provider;
import java.nio.charset.StandardCharsets;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * Maps every {@link IdempotencyException} that a JAX-RS resource throws to its problem. Without a mapper, JAX-RS
 * responds with 500 and an HTML page, and the filter never sees the exception.
 *
 * <p>Register it with the application: {@code register(IdempotencyExceptionMapper.class)}. It needs {@code
 * jakarta.ws.rs-api}, which is an optional dependency of this module, and the filter in front of the application. An
 * application's own mapper for this exception takes precedence if it has the default priority.
 */
@SuppressWarnings("exports")
@Provider
@Priority(Priorities.USER + 1000)
public final class IdempotencyExceptionMapper implements ExceptionMapper<IdempotencyException> {

    @Context
    private @Nullable HttpServletRequest request;

    /** Called by JAX-RS. */
    public IdempotencyExceptionMapper() {}

    /**
     * Returns the problem for an exception.
     *
     * @param exception the exception
     * @return its problem; 500 without a body for a request that has not passed the filter or has no key
     */
    @Override
    public Response toResponse(IdempotencyException exception) {
        return response(Optional.ofNullable(request), exception);
    }

    static Response response(Optional<HttpServletRequest> request, IdempotencyException exception) {
        return request.flatMap(IdempotentRequest::find)
                .map(known -> response(known.problemOf(exception)))
                .orElseGet(() -> Response.serverError().build());
    }

    static Response response(Optional<HttpServletRequest> request, ProblemType problem, String detail) {
        return request.flatMap(IdempotentRequest::find)
                .map(known -> response(known.problemOf(problem, detail)))
                .orElseGet(() -> Response.status(problem.status()).build());
    }

    private static Response response(Problems.Answer answer) {
        Response.ResponseBuilder response =
                Response.status(answer.status()).entity(answer.body().getBytes(StandardCharsets.UTF_8));
        answer.headers().forEach(response::header);
        return response.type(Problems.MEDIA_TYPE).build();
    }
}
