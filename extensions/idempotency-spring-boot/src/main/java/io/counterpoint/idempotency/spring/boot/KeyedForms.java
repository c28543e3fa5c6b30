package io.counterpoint.idempotency.spring.boot;

import io.counterpoint.idempotency.servlet.IdempotencyFilter;
import jakarta.servlet.http.HttpServletRequest;
import java.util.List;
import org.springframework.core.Ordered;
import org.springframework.web.filter.FormContentFilter;

/**
 * Spring's filter for forms of PUT, PATCH and DELETE, but for those whose key the filter for keys takes: that one compares the
 * body, and gives the handler the form's fields itself.
 */
final class KeyedForms extends FormContentFilter implements Ordered {

    /** Where Spring Boot has it. */
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
