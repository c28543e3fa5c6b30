package io.counterpoint.idempotency.servlet;

import io.counterpoint.idempotency.Attempt;
import jakarta.servlet.FilterChain;
import jakarta.servlet.ServletException;
import jakarta.servlet.http.HttpServletRequest;
import jakarta.servlet.http.HttpServletResponse;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.util.Optional;

/**
 * Handles one request with a key: reads its body, computes its fingerprint and calls its handler according to the
 * policy.
 */
record ProtectedCall(Routes.Route route, RequestFingerprint fingerprint, Problems problems, AttemptUse use) {

    void answer(String scope, String key, HttpServletRequest request, HttpServletResponse response, FilterChain chain)
            throws IOException, ServletException, Refused {
        RoutePolicy policy = route.policy();
        RequestContent content = RequestContent.of(request, policy);
        boolean goesOn = false;
        try {
            Attempt attempt = fingerprint.attempt(scope, key, request, policy, content);
            goesOn = answer(attempt, content, request, response, chain);
        } finally {
            if (!goesOn) {
                content.close();
            }
        }
    }

    /** Returns whether the handler continues after this returns and still needs the body. */
    private boolean answer(
            Attempt attempt,
            RequestContent content,
            HttpServletRequest request,
            HttpServletResponse response,
            FilterChain chain)
            throws IOException, ServletException {
        SpooledRequest spooled;
        Optional<FilterManaged> responses = route.policy().responses();
        if (responses.isPresent()) {
            FilterManaged style = responses.get();
            CapturedResponse captured = style.capture(response);
            spooled = new SpooledRequest(request, captured.forHandler(), captured::goAsynchronous, () -> {}, content);
            new FilterManagedCall(style, attempt, spooled, captured, chain, problems).answer(request, response);
        } else {
            IdempotentRequest known = new IdempotentRequest(attempt, null, request, response, problems);
            known.exposeTo(request);
            WatchedResponse watched = use.watched(known, response);
            spooled = new SpooledRequest(request, watched, () -> {}, watched::mark, content);
            HandlerManagedCall.pass(known, spooled, watched, chain);
            watched.mark();
            use.check(known, spooled, response, route.pattern());
        }
        if (spooled.asynchronous()) {
            spooled.ended().whenComplete((good, thrown) -> {
                try {
                    content.close();
                } catch (IOException e) {
                    throw new UncheckedIOException(e);
                }
            });
        }
        return spooled.asynchronous();
    }
}
