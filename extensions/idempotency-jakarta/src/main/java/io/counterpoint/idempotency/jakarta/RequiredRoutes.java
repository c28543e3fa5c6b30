package io.counterpoint.idempotency.jakarta;

import io.counterpoint.idempotency.internal.Symptom;

/** Refuses routes that need a key where the filter sees no requests of theirs: each would run without a word. */
final class RequiredRoutes {

    /** What to take in Quarkus. */
    static final String IN_QUARKUS =
            "In Quarkus, add idempotency-servlet, jakarta.servlet-api, and quarkus-rest or quarkus-undertow";

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

    /** The servlet container or JAX-RS has the filter. */
    static void filtered() {
        filtered = true;
    }

    static boolean areFiltered() {
        return filtered;
    }

    /**
     * Rejects the application.
     *
     * @param found why no filter sees the requests
     */
    static IllegalStateException refusal(String found) {
        return new IllegalStateException(Symptom.START_REFUSED.of(
                "idempotency.http.required or idempotency.http.elsewhere makes paths require a key, but " + found + ". "
                        + IN_QUARKUS + ". If you use your own filter, set idempotency.http.enabled=false."));
    }
}
