package io.counterpoint.idempotency.servlet;

import jakarta.servlet.http.HttpServletRequest;
import java.util.Collection;
import java.util.HashMap;
import java.util.Map;
import java.util.Set;
import java.util.stream.Stream;

/** The policies of paths. The longest route that fits counts. */
record Routes(Map<String, RoutePolicy> exact, Map<String, RoutePolicy> prefixes, RoutePolicy elsewhere) {

    Routes {
        exact = Map.copyOf(exact);
        prefixes = Map.copyOf(prefixes);
    }

    /** All policies. */
    Stream<RoutePolicy> all() {
        return Stream.of(exact.values(), prefixes.values(), Set.of(elsewhere)).flatMap(Collection::stream);
    }

    RoutePolicy policyFor(HttpServletRequest request) {
        // Decoded and normalised by the container, as it maps servlets: no spelling of a path gets around its policy.
        return policyFor(request.getServletPath() + (request.getPathInfo() == null ? "" : request.getPathInfo()));
    }

    RoutePolicy policyFor(String path) {
        RoutePolicy policy = exact.get(path);
        if (policy == null && path.length() > 1 && path.endsWith("/")) {
            policy = exact.get(path.substring(0, path.length() - 1));
        }
        for (int end = path.length(); policy == null && end >= 0; end = path.lastIndexOf('/', end - 1)) {
            policy = prefixes.get(path.substring(0, end));
            if (end == 0) {
                break;
            }
        }
        return policy == null ? elsewhere : policy;
    }

    /** Collects routes. */
    static final class Builder {
        private final Map<String, RoutePolicy> exact = new HashMap<>();
        private final Map<String, RoutePolicy> prefixes = new HashMap<>();
        private RoutePolicy elsewhere = RoutePolicy.required();

        /** Adds {@code /groups}, which is {@code /groups/} too, or {@code /payments/*}. */
        void add(String pattern, RoutePolicy policy) {
            boolean below = pattern.endsWith("/*");
            String path = below ? pattern.substring(0, pattern.length() - 2) : pattern;
            if (!pattern.startsWith("/") || path.contains("*")) {
                throw new IllegalArgumentException(
                        "A route is a path, /groups, or all below one, /payments/*; found " + pattern + ".");
            }
            if ((below ? prefixes : exact).put(path, policy) != null) {
                throw new IllegalArgumentException("The route " + pattern + " has a policy already.");
            }
        }

        void elsewhere(RoutePolicy policy) {
            elsewhere = policy;
        }

        Routes build() {
            return new Routes(exact, prefixes, elsewhere);
        }
    }
}
