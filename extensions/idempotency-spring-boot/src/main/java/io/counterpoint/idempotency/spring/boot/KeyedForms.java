package io.counterpoint.idempotency.spring.boot;

import io.counterpoint.idempotency.servlet.IdempotencyFilter;
import jakarta.servlet.http.HttpServletRequest;
import java.util.List;
import org.springframework.core.Ordered;
import org.springframework.web.filter.FormContentFilter;

/**
 * Spring's filter for PUT, PATCH and DELETE forms, except for requests handled by the idempotency filter, which
 * compares the body and provides the form fields itself.
 */
final class KeyedForms extends FormContentFilter implements Ordered {

    /** The same order as in Spring Boot. */
    private static final int ORDER = -9900;

    private final List<IdempotencyFilter> filters;

    KeyedForms(List<IdempotencyFilter> filters) {
        this.filters = filters;
    }

    @Override
    protected boolean shouldNotFilter(HttpServletRequest request) {
        return filters.stream().anyMatch(filter -> filter.readsBodyOf(request));
    }

    @Override
    public int getOrder() {
        return ORDER;
    }
}
