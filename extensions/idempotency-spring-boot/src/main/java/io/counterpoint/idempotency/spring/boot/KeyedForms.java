package io.counterpoint.idempotency.spring.boot;

import jakarta.servlet.http.HttpServletRequest;
import org.springframework.core.Ordered;
import org.springframework.web.filter.FormContentFilter;

/**
 * Spring's filter for forms of PUT, PATCH and DELETE, but for those with a key: it would read the body before the filter for
 * keys does, which compares it and gives the handler the form's fields itself.
 */
final class KeyedForms extends FormContentFilter implements Ordered {

    /** Where Spring Boot has it. */
    private static final int ORDER = -9900;

    @Override
    protected boolean shouldNotFilter(HttpServletRequest request) {
        return request.getHeader("Idempotency-Key") != null;
    }

    @Override
    public int getOrder() {
        return ORDER;
    }
}
