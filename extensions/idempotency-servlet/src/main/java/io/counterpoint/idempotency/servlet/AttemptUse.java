package io.counterpoint.idempotency.servlet;

import jakarta.servlet.http.HttpServletRequest;
import jakarta.servlet.http.HttpServletResponse;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;

/** Checks whether handlers use the attempts of their requests. If they don't, a key protects nothing. */
final class AttemptUse {

    private static final System.Logger LOG = System.getLogger(IdempotencyFilter.class.getName());

    private static final int MOST_ROUTES = 1_000;

    /** The attribute in which Spring MVC stores the matched mapping. */
    private static final String SPRING_MAPPING = "org.springframework.web.servlet.HandlerMapping.bestMatchingPattern";

    private final UnusedKey choice;
    private final Set<String> told = ConcurrentHashMap.newKeySet();

    AttemptUse(UnusedKey choice) {
        this.choice = choice;
    }

    /** Returns the response that a handler gets. */
    WatchedResponse watched(IdempotentRequest known, HttpServletResponse response) {
        return new WatchedResponse(response, known, choice == UnusedKey.FAIL);
    }

    /** Checks a request whose handler has returned, or, if it continues asynchronously, when it ends. */
    void check(IdempotentRequest known, SpooledRequest request, HttpServletResponse response, String pattern) {
        String route = routeOf(request, pattern);
        if (request.asynchronous()) {
            request.ended().thenAccept(good -> {
                if (good && isMissing(known, response)) {
                    tell(route);
                }
            });
        } else if (isMissing(known, response)) {
            if (choice == UnusedKey.FAIL && !response.isCommitted()) {
                throw new UnusedKeyException();
            }
            tell(route);
        }
    }

    private boolean isMissing(IdempotentRequest known, HttpServletResponse response) {
        return choice != UnusedKey.IGNORE && !known.isUsed() && response.getStatus() < 400;
    }

    private void tell(String route) {
        if (told.size() < MOST_ROUTES && told.add(route)) {
            LOG.log(System.Logger.Level.WARNING, route + ": " + UnusedKeyException.WHY);
        }
    }

    /** The method, the configured route and the handler's mapping; never the path, which the client controls. */
    private static String routeOf(HttpServletRequest request, String pattern) {
        Object spring = request.getAttribute(SPRING_MAPPING);
        String mapping = spring == null ? request.getHttpServletMapping().getPattern() : spring.toString();
        return request.getMethod() + " "
                + (pattern.isEmpty() || pattern.equals(mapping) ? mapping : pattern + " (handled by " + mapping + ")");
    }
}
