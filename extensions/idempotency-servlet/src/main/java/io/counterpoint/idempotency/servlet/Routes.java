package io.counterpoint.idempotency.servlet;

import jakarta.servlet.http.HttpServletRequest;
import java.util.Collection;
import java.util.HashMap;
import java.util.Map;
import java.util.Set;
import java.util.stream.Stream;

/** The policies of paths. The longest matching route applies. */
record Routes(Map<String, Route> exact, Map<String, Route> prefixes, Route elsewhere) {

    /**
     * A policy and where it applies.
     *
     * @param pattern as it was configured; empty for all other paths
     */
    record Route(String pattern, RoutePolicy policy) {}

    Routes {
        exact = Map.copyOf(exact);
        prefixes = Map.copyOf(prefixes);
    }

    /** All policies. */
    Stream<RoutePolicy> all() {
        return Stream.of(exact.values(), prefixes.values(), Set.of(elsewhere))
                .flatMap(Collection::stream)
                .map(Route::policy);
    }

    Route routeFor(HttpServletRequest request) {
        // Decoded and normalised by the container, as for mapping servlets, so no spelling of a path bypasses its
        // policy.
        return routeFor(request.getServletPath() + (request.getPathInfo() == null ? "" : request.getPathInfo()));
    }

    Route routeFor(String path) {
        Route route = exact.get(path);
        if (route == null && path.length() > 1 && path.endsWith("/")) {
            route = exact.get(path.substring(0, path.length() - 1));
        }
        for (int end = path.length(); route == null && end >= 0; end = path.lastIndexOf('/', end - 1)) {
            route = prefixes.get(path.substring(0, end));
            if (end == 0) {
                break;
            }
        }
        return route == null ? elsewhere : route;
    }

    /** Collects routes. */
    static final class Builder {
        private final Map<String, Route> exact = new HashMap<>();
        private final Map<String, Route> prefixes = new HashMap<>();
        private Route elsewhere = new Route("", RoutePolicy.required());

        /** Adds a pattern such as {@code /groups}, which also matches {@code /groups/}, or {@code /payments/*}. */
        void add(String pattern, RoutePolicy policy) {
            boolean below = pattern.endsWith("/*");
            String path = below ? pattern.substring(0, pattern.length() - 2) : pattern;
            if (!pattern.startsWith("/") || path.contains("*")) {
                throw new IllegalArgumentException(
                        "A route must be a path, such as /groups, or a prefix, such as /payments/*; found " + pattern
                                + ".");
            }
            if ((below ? prefixes : exact).put(path, new Route(pattern, policy)) != null) {
                throw new IllegalArgumentException("The route " + pattern + " already has a policy.");
            }
        }

        void elsewhere(RoutePolicy policy) {
            elsewhere = new Route("", policy);
        }

        Routes build() {
            return new Routes(exact, prefixes, elsewhere);
        }
    }
}
