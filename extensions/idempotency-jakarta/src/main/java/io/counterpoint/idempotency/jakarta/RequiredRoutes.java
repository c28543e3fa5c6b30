package io.counterpoint.idempotency.jakarta;

import io.counterpoint.idempotency.internal.Symptom;

/**
 * Rejects routes that require a key if their requests do not pass the filter, because each request would silently run
 * unprotected.
 */
final class RequiredRoutes {

    /** What to use in Quarkus. */
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

    /** Records that the servlet container or JAX-RS has the filter. */
    static void filtered() {
        filtered = true;
    }

    static boolean areFiltered() {
        return filtered;
    }

    /**
     * Returns the exception that rejects the application.
     *
     * @param found why requests do not pass the filter
     */
    static IllegalStateException refusal(String found) {
        return new IllegalStateException(Symptom.START_REFUSED.of(
                "idempotency.http.required or idempotency.http.elsewhere makes paths require a key, but " + found + ". "
                        + IN_QUARKUS + ". If you use your own filter, set idempotency.http.enabled=false."));
    }
}
