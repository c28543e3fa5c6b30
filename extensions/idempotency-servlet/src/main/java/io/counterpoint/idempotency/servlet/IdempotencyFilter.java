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
 * <p>It validates the key, reads the body and computes the request's fingerprint. Then the route's policy decides.
 * Either the handler executes its own operation (handler-managed, see {@link IdempotentRequest}). Or this filter claims
 * the key, runs the handler and stores its response (filter-managed, see {@link FilterManaged}). Rejections and
 * outcomes without a result become problem details (RFC 9457, {@link ProblemType}).
 *
 * <pre>{@code
 * Filter filter = IdempotencyFilter.scopedBy(ScopeResolver.principal())
 *         .route("/groups", RoutePolicy.required())
 *         .route("/payments/*", RoutePolicy.required().responses(style))
 *         .elsewhere(RoutePolicy.off())
 *         .build();
 * }</pre>
 *
 * <p>It must run after authentication, with asynchronous support. It acts only on the request's own dispatch; forwards,
 * includes and error pages pass through unchanged. It logs {@linkplain UnusedKey#WARN warnings of unused keys} to the
 * logger with this class's name. Nothing that it logs, writes or throws contains a key, a scope or a body.
 */
public final class IdempotencyFilter implements Filter {

    /** The header that carries the key. */
    public static final String KEY = "Idempotency-Key";

    /** The header of a response that replays an earlier one. */
    public static final String REPLAYED = "Idempotent-Replayed";

    /**
     * The header, with the value {@code true}, of a 4xx response whose request may have had an effect anyway: part of
     * it was carried out, or the status was set after the handler had returned. Clients must not treat such a response
     * as a rejection. A 5xx proves nothing without it.
     */
    public static final String MAY_HAVE_EFFECT = "Idempotency-May-Have-Effect";

    /** The header with the number of seconds after its first try within which a key may be retried. */
    public static final String LIFETIME = "Idempotency-Key-Lifetime";

    /** What the filter itself lets a page of another origin see. */
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
            boolean goesOn = request.getDispatcherType() == DispatcherType.ASYNC
                    && known.filter(it -> it.key().isEmpty()).isPresent();
            if (request.getDispatcherType() == DispatcherType.FORWARD
                    && known.filter(it -> it.key().isPresent()).isPresent()) {
                // As the container has done. Jetty clears its own buffer only, and not what a wrapper has held back.
                response.resetBuffer();
            }
            if (goesOn) {
                HandlerManagedCall.pass(known.get(), request, response, chain);
                known.get().markError();
            } else {
                chain.doFilter(request, response);
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
            // A browser shows a page of another origin no other headers than these.
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
     * Whether this filter reads a request's body, because the request has a key that its route accepts. A filter in
     * front must not touch such a body.
     *
     * @param request a request that this filter has not processed yet
     * @return whether its body is compared
     */
    public boolean readsBodyOf(HttpServletRequest request) {
        RoutePolicy policy = routes.routeFor(request).policy();
        return policy.isAbout(request.getMethod())
                && !new RequestKey(policy, clock).lines(request).isEmpty();
    }

    /**
     * Returns how this filter handles requests with a method and path, for API descriptions such as OpenAPI.
     *
     * @param method in upper case, such as POST
     * @param path inside the context, decoded. A template variable, as in {@code /payments/{id}}, matches {@code
     *     /payments/*} as its values do
     * @return the policy; empty if such requests pass through unchanged
     */
    public Optional<RoutePolicy> policyOf(String method, String path) {
        return Optional.of(routes.routeFor(path).policy()).filter(policy -> policy.isAbout(method));
    }

    /** Builds a filter. Every value has a default; each is checked when it is set. */
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
         * Adds a route. The longest match counts.
         *
         * @param pattern a path inside the context, such as {@code /groups}, or a path and everything below it, such as
         *     {@code /payments/*}
         * @param policy what to do there
         * @return this
         * @throws IllegalArgumentException if it is not such a pattern, or already has a policy
         */
        public Builder route(String pattern, RoutePolicy policy) {
            routes.add(pattern, policy);
            return this;
        }

        /**
         * Sets the policy of all other paths to which the filter is mapped. Default: a key is required.
         *
         * @param policy what to do there
         * @return this
         */
        public Builder elsewhere(RoutePolicy policy) {
            routes.elsewhere(policy);
            return this;
        }

        /**
         * Sets the page that tells clients how this service uses keys. It is linked from every problem. Problem
         * types are its fragments: {@code #key-missing}. Default: {@link Problems#PAGE}.
         *
         * @param page an absolute address
         * @return this
         */
        public Builder documentation(URI page) {
            if (!page.isAbsolute()) {
                throw new IllegalArgumentException(
                        "The documentation must have an absolute address, found " + page + ".");
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
         * Sets the clock with which the times in keys are compared. Default: the machine's.
         *
         * @param clock the clock
         * @return this
         */
        public Builder clock(Clock clock) {
            this.clock = clock;
            return this;
        }

        /**
         * Writes records with the earlier fingerprint, which did not include the media type. For a rolling upgrade: a
         * node with the previous version would reject retries of requests that a newer node has recorded, with {@code
         * key-reused}. Set it until the last older node is gone, and then remove it. Records with either fingerprint
         * always match.
         *
         * @return this
         */
        public Builder writeFormerFingerprints() {
            writesFormer = true;
            return this;
        }

        /**
         * Lets requests pass that would be rejected, for a service that only counts duplicates. Their
         * handler sees a request without a key. A request whose body has already been read by then is still rejected:
         * one that is larger than its headers declare, or a malformed form.
         *
         * @return this
         */
        public Builder passRefused() {
            passesRefused = true;
            return this;
        }

        /**
         * Builds.
         *
         * @return the filter
         * @throws IllegalArgumentException if rejected requests pass, but a policy or {@link #unusedKey} rejects some,
         *     or responses are stored
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
