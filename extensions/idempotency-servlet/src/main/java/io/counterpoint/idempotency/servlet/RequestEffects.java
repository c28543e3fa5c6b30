package io.counterpoint.idempotency.servlet;

import io.counterpoint.idempotency.internal.CallEffects;
import jakarta.servlet.ServletRequest;
import org.jspecify.annotations.Nullable;

/**
 * The effects of all protected calls of a request, regardless of their keys: those on its threads and those with its
 * attempt.
 */
final class RequestEffects {

    private static final String ATTRIBUTE = RequestEffects.class.getName();

    private RequestEffects() {}

    static CallEffects of(ServletRequest request) {
        CallEffects known = find(request);
        if (known == null) {
            known = new CallEffects();
            request.setAttribute(ATTRIBUTE, known);
        }
        return known;
    }

    /**
     * Whether a call may have had an effect. Unknown, and therefore true, for a request that has not passed the filter.
     */
    static boolean mayExist(ServletRequest request) {
        return isCounted(request) || mayExistElsewhere(request);
    }

    /** The same, for calls that are known to belong to the request. */
    static boolean isCounted(ServletRequest request) {
        CallEffects known = find(request);
        return known == null
                || known.mayExist()
                || IdempotentRequest.find(request)
                        .filter(IdempotentRequest::attemptMayHaveEffect)
                        .isPresent();
    }

    /**
     * A response on an unbound thread, or after the handler went asynchronous, means that the request has continued
     * elsewhere.
     */
    private static boolean mayExistElsewhere(ServletRequest request) {
        CallEffects known = of(request);
        if (!known.isBound() || request.isAsyncStarted()) {
            known.goesOnElsewhere();
        }
        return known.mayExistElsewhere();
    }

    static @Nullable CallEffects find(ServletRequest request) {
        return (CallEffects) request.getAttribute(ATTRIBUTE);
    }
}
