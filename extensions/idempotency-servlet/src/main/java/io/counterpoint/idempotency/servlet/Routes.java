package io.counterpoint.idempotency.servlet;

import jakarta.servlet.http.HttpServletRequest;
import java.util.Map;

/** The policies of paths. The longest route that fits counts. */
record Routes(Map<String, RoutePolicy> exact, Map<String, RoutePolicy> prefixes, RoutePolicy elsewhere) {

    Routes {
        exact = Map.copyOf(exact);
        prefixes = Map.copyOf(prefixes);
    }

    RoutePolicy policyFor(HttpServletRequest request) {
        // Decoded and normalised by the container, as it maps servlets: no spelling of a path gets around its policy.
        String path = request.getServletPath() + (request.getPathInfo() == null ? "" : request.getPathInfo());
        RoutePolicy policy = exact.get(path);
        for (int end = path.length(); policy == null && end >= 0; end = path.lastIndexOf('/', end - 1)) {
            policy = prefixes.get(path.substring(0, end));
            if (end == 0) {
                break;
            }
        }
        return policy == null ? elsewhere : policy;
    }
}
