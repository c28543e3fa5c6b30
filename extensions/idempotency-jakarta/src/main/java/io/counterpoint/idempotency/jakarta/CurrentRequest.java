package io.counterpoint.idempotency.jakarta;

import jakarta.enterprise.context.RequestScoped;
import jakarta.servlet.http.HttpServletRequest;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/** The current JAX-RS request, if no servlet serves it. */
@RequestScoped
class CurrentRequest {

    private @Nullable HttpServletRequest request;

    /** Sets the request. */
    void is(HttpServletRequest begun) {
        request = begun;
    }

    Optional<HttpServletRequest> find() {
        return Optional.ofNullable(request);
    }
}
