package io.counterpoint.idempotency.examples.appplatform;

import io.counterpoint.idempotency.examples.appplatform.http.Replies;
import io.counterpoint.idempotency.examples.appplatform.usecase.Refusal;
import io.counterpoint.idempotency.servlet.IdempotencyFilter;
import jakarta.servlet.FilterChain;
import jakarta.servlet.ServletException;
import jakarta.servlet.http.HttpFilter;
import jakarta.servlet.http.HttpServletRequest;
import jakarta.servlet.http.HttpServletRequestWrapper;
import jakarta.servlet.http.HttpServletResponse;
import java.io.IOException;
import java.util.Collections;
import java.util.Enumeration;
import org.jspecify.annotations.Nullable;

/**
 * Runs before the filter that claims keys. The transaction id is the key, so this hides the header
 * {@code Idempotency-Key}. A request without a valid transaction id is refused.
 */
final class TransactionIdFilter extends HttpFilter {
    private static final long serialVersionUID = 1L;

    @Override
    protected void doFilter(HttpServletRequest request, HttpServletResponse response, FilterChain chain)
            throws IOException, ServletException {
        if (request.getMethod().equals("POST")) {
            try {
                String unused = Inputs.header(request, Parameter.TRANSACTION);
            } catch (Refusal refusal) {
                Replies.refusal(response, refusal);
                return;
            }
        }
        chain.doFilter(new WithoutKeyHeader(request), response);
    }

    private static final class WithoutKeyHeader extends HttpServletRequestWrapper {

        WithoutKeyHeader(HttpServletRequest request) {
            super(request);
        }

        private static boolean isHidden(String name) {
            return name.equalsIgnoreCase(IdempotencyFilter.KEY);
        }

        @Override
        public @Nullable String getHeader(String name) {
            return isHidden(name) ? null : super.getHeader(name);
        }

        @Override
        public Enumeration<String> getHeaders(String name) {
            return isHidden(name) ? Collections.emptyEnumeration() : super.getHeaders(name);
        }

        @Override
        public Enumeration<String> getHeaderNames() {
            return Collections.enumeration(Collections.list(super.getHeaderNames()).stream()
                    .filter(name -> !isHidden(name))
                    .toList());
        }
    }
}
