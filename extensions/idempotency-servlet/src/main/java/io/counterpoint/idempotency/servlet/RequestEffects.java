package io.counterpoint.idempotency.servlet;

import io.counterpoint.idempotency.internal.CallEffects;
import jakarta.servlet.ServletRequest;
import org.jspecify.annotations.Nullable;

/** The effects of all protected calls of a request, whatever their keys: those on its threads, and with its attempt. */
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

    /** Whether a call may have had an effect. Of a request that the filter has not seen, nobody knows. */
    static boolean mayExist(ServletRequest request) {
        return isCounted(request) || mayExistElsewhere(request);
    }

    /** The same, of calls that are known to be the request's. */
    static boolean isCounted(ServletRequest request) {
        CallEffects known = find(request);
        return known == null
                || known.mayExist()
                || IdempotentRequest.find(request)
                        .filter(IdempotentRequest::attemptMayHaveEffect)
                        .isPresent();
    }

    /** What is answered on another thread than a bound one, or after the handler went asynchronous, has gone on elsewhere. */
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
