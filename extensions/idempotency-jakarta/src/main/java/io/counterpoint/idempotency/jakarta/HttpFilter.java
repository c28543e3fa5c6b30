package io.counterpoint.idempotency.jakarta;

import io.counterpoint.idempotency.servlet.IdempotencyFilter;
import io.counterpoint.idempotency.servlet.RoutePolicy;
import io.counterpoint.idempotency.servlet.ScopeResolver;
import io.counterpoint.idempotency.servlet.UnusedKey;
import jakarta.servlet.http.HttpServletRequest;
import java.net.URI;
import java.util.Optional;

/** The filter for the header {@code Idempotency-Key}, with the same settings as with Spring. */
final class HttpFilter {

    /** The attribute of requests that have passed the servlet filter. */
    static final String SEEN = "io.counterpoint.idempotency.seen";

    private HttpFilter() {}

    static boolean isEnabled() {
        return Settings.isSet("idempotency.http.enabled", true) && Settings.hasFilter();
    }

    /** Reads the settings. */
    static IdempotencyFilter get() {
        IdempotencyFilter.Builder builder = IdempotencyFilter.scopedBy(HttpFilter::scopeOf);
        for (String policy : new String[] {"required", "optional", "off"}) {
            Settings.all("idempotency.http." + policy).forEach(path -> builder.route(path, policy(policy)));
        }
        builder.elsewhere(policy(Settings.of("idempotency.http.elsewhere").orElse("optional")))
                .retryAfter(Settings.duration("idempotency.http.retry-after", "1s"));
        Settings.of("idempotency.http.documentation").map(URI::create).ifPresent(builder::documentation);
        builder.unusedKey(
                switch (Settings.of("idempotency.http.unused-key").orElse("warn")) {
                    case "ignore" -> UnusedKey.IGNORE;
                    case "warn" -> UnusedKey.WARN;
                    case "fail" -> UnusedKey.FAIL;
                    default ->
                        throw new IllegalArgumentException(
                                "Expected warn, fail or ignore in idempotency.http.unused-key");
                });
        return builder.build();
    }

    private static RoutePolicy policy(String name) {
        RoutePolicy policy = switch (name) {
            case "required" -> RoutePolicy.required();
            case "optional" -> RoutePolicy.optional();
            case "off" -> RoutePolicy.off();
            default -> throw new IllegalArgumentException("Expected required, optional or off, found [" + name + "]");
        };
        policy = policy.maxRequestBody(Settings.size("idempotency.http.max-request-body", "8MB"));
        policy = Settings.of("idempotency.http.key-lifetime")
                .map(Settings::duration)
                .map(policy::keyLifetime)
                .orElse(policy);
        return Settings.isSet("idempotency.http.strict-keys", false) ? policy.strictKeys() : policy;
    }

    /** Derives the scope from the caller authenticated by the container, never from anything that a client sends. */
    private static Optional<String> scopeOf(HttpServletRequest request) {
        return ScopeResolver.principal().scopeOf(request).or(IdempotentMethods::anonymous);
    }
}
