package io.counterpoint.idempotency.examples.quarkus;

import io.counterpoint.idempotency.servlet.IdempotencyFilter;
import io.counterpoint.idempotency.servlet.RoutePolicy;
import jakarta.servlet.Filter;
import jakarta.servlet.FilterChain;
import jakarta.servlet.ServletException;
import jakarta.servlet.ServletRequest;
import jakarta.servlet.ServletResponse;
import jakarta.servlet.annotation.WebFilter;
import java.io.IOException;
import java.util.Optional;

/** Takes the header Idempotency-Key from every request. An application takes the scope from its authenticated user. */
@WebFilter("/*")
public class KeyFilter implements Filter {

    private final IdempotencyFilter filter = IdempotencyFilter.scopedBy(request -> Optional.of("everybody"))
            .route("/groups", RoutePolicy.required())
            .build();

    @Override
    public void doFilter(ServletRequest request, ServletResponse response, FilterChain chain)
            throws IOException, ServletException {
        filter.doFilter(request, response, chain);
    }
}
