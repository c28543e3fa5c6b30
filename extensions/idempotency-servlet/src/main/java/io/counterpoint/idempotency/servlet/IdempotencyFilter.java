package io.counterpoint.idempotency.servlet;

import io.counterpoint.idempotency.http.ProblemType;
import io.counterpoint.idempotency.internal.CallEffects;
import jakarta.servlet.DispatcherType;
import jakarta.servlet.Filter;
import jakarta.servlet.FilterChain;
import jakarta.servlet.ServletException;
import jakarta.servlet.ServletRequest;
import jakarta.servlet.ServletResponse;
import jakarta.servlet.http.HttpServletRequest;
import jakarta.servlet.http.HttpServletResponse;
import java.io.IOException;
import java.net.URI;
import java.time.Clock;
import java.time.Duration;
import java.util.Optional;

/**
 * Implements the Idempotency-Key header, as defined in draft-ietf-httpapi-idempotency-key-header-07.
 *
 * <p>It validates the key, reads the body and computes the fingerprint of the request. Depending on the route's policy,
 * either the handler executes its own operation (handler-managed: {@link IdempotentRequest}), or this filter claims the
 * key, runs the handler and stores its response (filter-managed: {@link FilterManaged}). Rejections and outcomes
 * without a result become problem details (RFC 9457, {@link ProblemType}).
 *
 * <pre>{@code
 * Filter filter = IdempotencyFilter.scopedBy(ScopeResolver.principal())
 *         .route("/groups", RoutePolicy.required())
 *         .route("/payments/*", RoutePolicy.required().responses(style))
 *         .elsewhere(RoutePolicy.off())
 *         .build();
 * }</pre>
 *
 * <p>The filter must run after authentication and with asynchronous support. It acts only on the original dispatch of a
 * request; forwards, includes and error pages pass untouched. It logs {@linkplain UnusedKey#WARN warnings about unused
 * keys} to the logger with the name of this class. Nothing that it logs, writes or throws contains a key, a scope or a
 * body.
 */
public final class IdempotencyFilter implements Filter {

    /** The header that carries the key. */
    public static final String KEY = "Idempotency-Key";

    /** The header of a response that replays an earlier one. */
    public static final String REPLAYED = "Idempotent-Replayed";

    /**
     * The header, with the value {@code true}, of a 4xx response whose request may still have had an effect: part of it
     * was carried out, or the status was chosen after the handler had returned. Clients must not treat such a response
     * as a rejection. A 5xx response proves nothing, even without this header.
     */
    public static final String MAY_HAVE_EFFECT = "Idempotency-May-Have-Effect";

    /** The header that tells clients for how many seconds after the first try a key may be sent again. */
    public static final String LIFETIME = "Idempotency-Key-Lifetime";

    /** The headers that the filter exposes to pages of another origin. */
    static final String EXPOSED = REPLAYED + ", " + MAY_HAVE_EFFECT + ", " + LIFETIME + ", Retry-After";

    private final ScopeResolver scopes;
    private final Routes routes;
    private final Problems problems;
    private final Clock clock;
    private final RequestFingerprint fingerprint;
    private final AttemptUse use;
    private final boolean passesRefused;

    private IdempotencyFilter(Builder builder) {
        scopes = builder.scopes;
        routes = builder.routes.build();
        problems = new Problems(builder.documentation, builder.retryAfter);
        clock = builder.clock;
        fingerprint = new RequestFingerprint(builder.writesFormer);
        use = new AttemptUse(builder.unusedKey);
        passesRefused = builder.passesRefused;
    }

    /**
     * Starts building a filter with the resolver of a request's scope.
     *
     * @param scopes the resolver
     * @return a builder
     */
    public static Builder scopedBy(ScopeResolver scopes) {
        return new Builder(scopes);
    }

    @Override
    public void doFilter(ServletRequest anyRequest, ServletResponse anyResponse, FilterChain chain)
            throws IOException, ServletException {
        if (!(anyRequest instanceof HttpServletRequest request)
                || !(anyResponse instanceof HttpServletResponse response)) {
            chain.doFilter(anyRequest, anyResponse);
            return;
        }
        CallEffects effects = RequestEffects.of(request);
        CallEffects.Binding binding = effects.bind();
        if (request.getDispatcherType() == DispatcherType.ASYNC) {
            // After its dispatch, a request no longer reports that it is asynchronous.
            effects.goesOnElsewhere();
        }
        try {
            doFilter(request, response, chain);
        } finally {
            if (request.isAsyncStarted()) {
                effects.goesOnElsewhere();
            }
            binding.close();
        }
    }

    private void doFilter(HttpServletRequest request, HttpServletResponse response, FilterChain chain)
            throws IOException, ServletException {
        Optional<IdempotentRequest> known = IdempotentRequest.find(request);
        if (request.getDispatcherType() != DispatcherType.REQUEST || known.isPresent()) {
            boolean later = request.getDispatcherType() == DispatcherType.ASYNC && known.isPresent();
            if (request.getDispatcherType() == DispatcherType.FORWARD
                    && known.filter(it -> it.key().isPresent()).isPresent()) {
                // As the container has done. Jetty clears only its own buffer, not what a wrapper has held back.
                response.resetBuffer();
            }
            if (later && known.get().key().isEmpty()) {
                HandlerManagedCall.pass(known.get(), request, response, chain);
                known.get().markError();
            } else {
                try {
                    chain.doFilter(request, response);
                } catch (IOException | ServletException | RuntimeException thrown) {
                    if (later) {
                        // A filter in front may turn it into a 4xx that the handler did not choose.
                        known.get().goesOnElsewhere();
                    }
                    throw thrown;
                }
            }
            return;
        }
        Routes.Route route = routes.routeFor(request);
        RoutePolicy policy = route.policy();
        if (!policy.isAbout(request.getMethod())) {
            chain.doFilter(request, response);
            return;
        }
        if (request.getHeader("Origin") != null) {
            // A browser exposes no other headers than these to a page of another origin.
            response.addHeader("Access-Control-Expose-Headers", EXPOSED);
        }
        policy.keyLifetime().ifPresent(it -> response.setHeader(LIFETIME, Long.toString(it.toSeconds())));
        try {
            Optional<String> key = new RequestKey(policy, clock).of(request);
            if (key.isPresent()) {
                String scope = scopeOf(request);
                new ProtectedCall(route, fingerprint, problems, use).answer(scope, key.get(), request, response, chain);
            } else {
                chain.doFilter(request, response);
            }
        } catch (Refused refused) {
            if (passesRefused && !refused.isAfterTheBody()) {
                chain.doFilter(request, response);
                return;
            }
            refuse(refused, request, response);
        }
    }

    void refuse(Refused refused, HttpServletRequest request, HttpServletResponse response) throws IOException {
        UnwantedBody.read(request);
        problems.write(refused.problem(), refused.detail(), request, response);
    }

    private String scopeOf(HttpServletRequest request) throws Refused {
        try {
            return scopes.scopeOf(request).orElseThrow(IdempotencyFilter::callerUnknown);
        } catch (RuntimeException thrown) {
            if (!passesRefused) {
                throw thrown;
            }
            throw callerUnknown();
        }
    }

    private static Refused callerUnknown() {
        return new Refused(ProblemType.CALLER_UNKNOWN, "A key belongs to a caller. Authenticate first.");
    }

    /**
     * Returns whether this filter reads the body of a request because the request has a key that its route accepts.
     * Filters in front must not read such a body.
     *
     * @param request a request that has not passed this filter yet
     * @return whether its body is read
     */
    public boolean readsBodyOf(HttpServletRequest request) {
        RoutePolicy policy = routes.routeFor(request).policy();
        return policy.isAbout(request.getMethod())
                && !new RequestKey(policy, clock).lines(request).isEmpty();
    }

    /**
     * Returns how this filter handles requests with a method and path, for API descriptions such as OpenAPI.
     *
     * @param method the method in upper case, such as POST
     * @param path the decoded path within the context. A template such as {@code /payments/{id}} matches {@code
     *     /payments/*}, just as its values do
     * @return the policy; empty if such requests pass untouched
     */
    public Optional<RoutePolicy> policyOf(String method, String path) {
        return Optional.of(routes.routeFor(path).policy()).filter(policy -> policy.isAbout(method));
    }

    /** Builds a filter. Every option has a default and is validated when it is set. */
    public static final class Builder {
        private final ScopeResolver scopes;
        private final Routes.Builder routes = new Routes.Builder();
        private URI documentation = Problems.PAGE;
        private Duration retryAfter = Duration.ofSeconds(1);
        private Clock clock = Clock.systemUTC();
        private boolean writesFormer;
        private UnusedKey unusedKey = UnusedKey.WARN;
        private boolean passesRefused;

        private Builder(ScopeResolver scopes) {
            this.scopes = scopes;
        }

        /**
         * Adds a route. The longest match applies.
         *
         * @param pattern a path within the context, such as {@code /groups}, or a path and everything below it, such as
         *     {@code /payments/*}
         * @param policy the policy
         * @return this
         * @throws IllegalArgumentException if the pattern is invalid or already has a policy
         */
        public Builder route(String pattern, RoutePolicy policy) {
            routes.add(pattern, policy);
            return this;
        }

        /**
         * Sets the policy of all other paths to which the filter is mapped. Default: a key is required.
         *
         * @param policy the policy
         * @return this
         */
        public Builder elsewhere(RoutePolicy policy) {
            routes.elsewhere(policy);
            return this;
        }

        /**
         * Sets the page that explains to clients how this service uses keys. Every problem links to it, using the
         * problem type as a fragment, such as {@code #key-missing}. Default: {@link Problems#PAGE}.
         *
         * @param page an absolute URI
         * @return this
         */
        public Builder documentation(URI page) {
            if (!page.isAbsolute()) {
                throw new IllegalArgumentException("The documentation must be an absolute URI, found " + page + ".");
            }
            documentation = page;
            return this;
        }

        /**
         * Sets the Retry-After that clients get with 409 and 503. Default: 1 second.
         *
         * @param pause in whole seconds, at least one
         * @return this
         */
        public Builder retryAfter(Duration pause) {
            if (pause.compareTo(Duration.ofSeconds(1)) < 0) {
                throw new IllegalArgumentException(
                        "Retry-After must be a whole number of seconds, at least 1; found " + pause + ".");
            }
            retryAfter = pause;
            return this;
        }

        /**
         * Sets what happens if a handler-managed request with a key succeeds although no operation used its attempt.
         * Default: a warning. A policy alone protects nothing: the handler has to use the key.
         *
         * @param choice what happens
         * @return this
         */
        public Builder unusedKey(UnusedKey choice) {
            unusedKey = choice;
            return this;
        }

        /**
         * Sets the clock with which the times in keys are compared. Default: the system clock.
         *
         * @param clock the clock
         * @return this
         */
        public Builder clock(Clock clock) {
            this.clock = clock;
            return this;
        }

        /**
         * Writes records with the former fingerprint, which did not include the media type. Use this for a rolling
         * upgrade: a node of the previous version would reject a retry of a request recorded by a newer node with
         * {@code key-reused}. Remove it once the last older node is gone. Records of both forms are matched in any
         * case.
         *
         * @return this
         */
        public Builder writeFormerFingerprints() {
            writesFormer = true;
            return this;
        }

        /**
         * Lets requests pass that would be rejected, for a service that only counts duplicates. Their handler sees a
         * request without a key. A request is still rejected if its body has already been read, because it is larger
         * than its headers say or is a malformed form.
         *
         * @return this
         */
        public Builder passRefused() {
            passesRefused = true;
            return this;
        }

        /**
         * Builds the filter.
         *
         * @return the filter
         * @throws IllegalArgumentException if rejected requests pass although a policy or {@link #unusedKey} rejects
         *     some, or responses are stored
         */
        public IdempotencyFilter build() {
            IdempotencyFilter filter = new IdempotencyFilter(this);
            boolean refuses = filter.routes.all().anyMatch(RoutePolicy::isRequired) || unusedKey == UnusedKey.FAIL;
            boolean stores =
                    filter.routes.all().anyMatch(policy -> policy.responses().isPresent());
            if (passesRefused && (refuses || stores)) {
                throw new IllegalArgumentException(
                        "A filter that only counts duplicates must not refuse requests or store responses, but "
                                + (stores ? "a route stores its responses." : "this one would refuse requests.")
                                + " Make every route optional or off, without stored responses, and set UnusedKey to"
                                + " anything but FAIL.");
            }
            return filter;
        }
    }
}
