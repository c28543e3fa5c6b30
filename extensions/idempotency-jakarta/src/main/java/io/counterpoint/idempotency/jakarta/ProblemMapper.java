package io.counterpoint.idempotency.jakarta;

import io.counterpoint.idempotency.IdempotencyException;
import io.counterpoint.idempotency.annotation.IncompleteKeyException;
import io.counterpoint.idempotency.annotation.UnknownCallerException;
import io.counterpoint.idempotency.http.ProblemType;
import io.counterpoint.idempotency.servlet.ResourceRequest;
import jakarta.annotation.Priority;
import jakarta.enterprise.inject.spi.CDI;
import jakarta.servlet.http.HttpServletRequest;
import jakarta.ws.rs.Priorities;
import jakarta.ws.rs.core.Response;
import jakarta.ws.rs.ext.ExceptionMapper;
import jakarta.ws.rs.ext.Provider;
import java.util.Optional;

/** Maps exceptions of operations to problems. An application's own mapper for this exception takes precedence. */
@SuppressWarnings("exports")
@Provider
@Priority(Priorities.USER + 1000)
public final class ProblemMapper implements ExceptionMapper<IdempotencyException> {

    /** Called by JAX-RS. */
    public ProblemMapper() {}

    @Override
    public Response toResponse(IdempotencyException exception) {
        return Settings.hasFilter()
                ? ResourceRequest.problem(request(), exception)
                : Response.serverError().build();
    }

    private static Optional<HttpServletRequest> request() {
        return CDI.current().select(HttpAttempts.class).get().find();
    }

    /** The response to a call that is rejected before it begins, with the status of its problem. */
    private static Response refused(ProblemType problem, String detail) {
        return Settings.hasFilter()
                ? ResourceRequest.problem(request(), problem, detail)
                : Response.status(problem.status()).build();
    }

    /** Maps the exception of a call whose caller is unknown. */
    @Provider
    @Priority(Priorities.USER + 1000)
    public static final class OfUnknownCaller implements ExceptionMapper<UnknownCallerException> {

        /** Called by JAX-RS. */
        public OfUnknownCaller() {}

        @Override
        public Response toResponse(UnknownCallerException exception) {
            return refused(ProblemType.CALLER_UNKNOWN, "A key belongs to a caller. Authenticate first.");
        }
    }

    /** Maps the exception of a call whose key lacks a value. */
    @Provider
    @Priority(Priorities.USER + 1000)
    public static final class OfIncompleteKey implements ExceptionMapper<IncompleteKeyException> {

        /** Called by JAX-RS. */
        public OfIncompleteKey() {}

        @Override
        public Response toResponse(IncompleteKeyException exception) {
            return refused(
                    ProblemType.REQUEST_MALFORMED,
                    "A value that its key is computed from is missing. Nothing was done.");
        }
    }
}
