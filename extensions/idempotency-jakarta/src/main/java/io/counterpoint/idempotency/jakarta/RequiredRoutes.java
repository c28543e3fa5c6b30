package io.counterpoint.idempotency.jakarta;

import io.counterpoint.idempotency.internal.Symptom;
import java.util.Collection;
import java.util.List;
import java.util.stream.Stream;

/** Refuses routes that need a key where the filter sees no requests of theirs: each would run without a word. */
final class RequiredRoutes {

    /** What to take in Quarkus. */
    static final String IN_QUARKUS = "In Quarkus take quarkus-undertow, and quarkus-resteasy instead of quarkus-rest";

    private static volatile boolean filtered;

    private RequiredRoutes() {}

    static boolean exist() {
        return Settings.isSet("idempotency.http.enabled", true)
                && (Settings.all("idempotency.http.required").findAny().isPresent() || isElsewhere());
    }

    private static boolean isElsewhere() {
        return Settings.of("idempotency.http.elsewhere")
                .filter("required"::equals)
                .isPresent();
    }

    /** The servlet container has the filter. */
    static void filtered() {
        filtered = true;
    }

    static boolean areFiltered() {
        return filtered;
    }

    /** A path that a servlet is mapped to is that servlet's. All others may be served by quarkus-rest, if it is there. */
    static void requireServlets(Collection<String> mappings) {
        if (!hasQuarkusRest()) {
            return;
        }
        List<String> unfiltered = Stream.concat(
                        Settings.all("idempotency.http.required")
                                .filter(route -> mappings.stream().noneMatch(mapping -> covers(mapping, route))),
                        isElsewhere() ? Stream.of("idempotency.http.elsewhere") : Stream.empty())
                .toList();
        if (!unfiltered.isEmpty()) {
            throw refusal("quarkus-rest passes no servlet filter, and may serve " + unfiltered);
        }
    }

    private static boolean hasQuarkusRest() {
        try {
            Class.forName(
                    "io.quarkus.resteasy.reactive.server.runtime.ResteasyReactiveRecorder",
                    false,
                    Thread.currentThread().getContextClassLoader());
            return true;
        } catch (ClassNotFoundException absent) {
            return false;
        }
    }

    /** Whether a servlet serves all of a route: not the default servlet, nor one that takes what is left. */
    private static boolean covers(String mapping, String route) {
        if (mapping.equals("/") || mapping.equals("/*")) {
            return false;
        }
        return mapping.endsWith("/*")
                ? (route + "/").startsWith(mapping.substring(0, mapping.length() - 1))
                : mapping.equals(route);
    }

    /**
     * Refuses the application.
     *
     * @param found why no filter sees the requests
     */
    static IllegalStateException refusal(String found) {
        return new IllegalStateException(Symptom.START_REFUSED.of(
                "Paths need a key by idempotency.http.required or idempotency.http.elsewhere, and " + found + ". "
                        + IN_QUARKUS + ". For a filter of your own set idempotency.http.enabled=false."));
    }
}
