package io.counterpoint.idempotency.servlet;

import io.counterpoint.idempotency.Attempt;
import jakarta.servlet.DispatcherType;
import jakarta.servlet.Filter;
import jakarta.servlet.FilterChain;
import jakarta.servlet.ServletException;
import jakarta.servlet.ServletRequest;
import jakarta.servlet.ServletResponse;
import jakarta.servlet.http.HttpServletRequest;
import jakarta.servlet.http.HttpServletResponse;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.net.URI;
import java.time.Clock;
import java.time.Duration;
import java.util.Comparator;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;

/**
 * The Idempotency-Key header, as draft-ietf-httpapi-idempotency-key-header-07 has it.
 *
 * <p>It validates the key, reads the body and takes the fingerprint of the request. Then the route's policy decides.
 * Either the handler executes an operation of its own (handler-managed: {@link IdempotentRequest}). Or this filter
 * claims the key, runs the handler and stores its response (filter-managed: {@link FilterManaged}). Refusals and
 * outcomes without a result become problem details (RFC 9457, {@link Problem}).
 *
 * <pre>{@code
 * Filter filter = IdempotencyFilter.scopedBy(ScopeResolver.principal())
 *         .route("/groups", RoutePolicy.required())
 *         .route("/payments/*", RoutePolicy.required().responses(style))
 *         .elsewhere(RoutePolicy.off())
 *         .build();
 * }</pre>
 *
 * <p>It must run after authentication, with asynchronous support. It acts on the dispatch of the request itself; forwards,
 * includes and error pages pass untouched. Nothing here logs, and nothing that it writes or throws shows a key, a scope or
 * a body.
 */
public final class IdempotencyFilter implements Filter {

    /** The header that carries the key. */
    public static final String KEY = "Idempotency-Key";

    /** The header of an answer that is not this request's own. */
    public static final String REPLAYED = "Idempotent-Replayed";

    /** The largest body that is read although its request is refused. */
    private static final int PASSED_OVER = 64 * 1024;

    private final ScopeResolver scopes;
    private final Routes routes;
    private final Problems problems;
    private final Clock clock;
    private final RequestFingerprint fingerprint;

    private IdempotencyFilter(Builder builder) {
        scopes = builder.scopes;
        routes = new Routes(builder.exact, builder.prefixes, builder.elsewhere);
        problems = new Problems(builder.documentation, builder.retryAfter);
        clock = builder.clock;
        fingerprint = new RequestFingerprint(builder.writesFormer);
    }

    /**
     * Begins a filter with what tells whose a request is.
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
        Optional<IdempotentRequest> known = IdempotentRequest.find(request);
        if (request.getDispatcherType() != DispatcherType.REQUEST || known.isPresent()) {
            boolean goesOn = request.getDispatcherType() == DispatcherType.ASYNC
                    && known.filter(it -> it.key().isEmpty()).isPresent();
            if (goesOn) {
                HandlerManagedCall.pass(known.get(), request, response, chain);
            } else {
                chain.doFilter(request, response);
            }
            return;
        }
        RoutePolicy policy = routes.policyFor(request);
        if (!policy.isAbout(request.getMethod())) {
            chain.doFilter(request, response);
            return;
        }
        if (request.getHeader("Origin") != null) {
            // A browser shows a page of another origin no other headers than these.
            response.addHeader("Access-Control-Expose-Headers", REPLAYED + ", Retry-After");
        }
        try {
            Optional<String> key = new RequestKey(policy, clock).of(request);
            if (key.isPresent()) {
                protect(request, response, chain, policy, key.get());
            } else {
                chain.doFilter(request, response);
            }
        } catch (Refused refused) {
            passOver(request);
            problems.write(refused.problem(), refused.detail(), request, response);
        }
    }

    /**
     * Reads a small body that nobody will. A connection with an unread one is closed, and its client may notice only with
     * the next request that it sends there.
     */
    private static void passOver(HttpServletRequest request) throws IOException {
        long length = request.getContentLengthLong();
        if (length > 0 && length <= PASSED_OVER && request.getHeader("Expect") == null) {
            try {
                InputStream body = request.getInputStream();
                byte[] chunk = new byte[8192];
                while (body.read(chunk) >= 0) {
                    // Nobody wants it.
                }
            } catch (IllegalStateException aReaderIsOpen) {
                // Another filter reads it.
            }
        }
    }

    private void protect(
            HttpServletRequest request, HttpServletResponse response, FilterChain chain, RoutePolicy policy, String key)
            throws IOException, ServletException, Refused {
        String scope = scopes.scopeOf(request)
                .orElseThrow(
                        () -> new Refused(Problem.CALLER_UNKNOWN, "A key belongs to a caller. Authenticate first."));
        RequestContent content = RequestContent.of(request, policy);
        boolean goesOn = false;
        try {
            Attempt attempt = fingerprint.attempt(scope, key, request, policy, content);
            goesOn = answer(request, response, chain, policy, attempt, content);
        } finally {
            if (!goesOn) {
                content.close();
            }
        }
    }

    /** Whether the handler goes on after this returns, and with it the body. */
    private boolean answer(
            HttpServletRequest request,
            HttpServletResponse response,
            FilterChain chain,
            RoutePolicy policy,
            Attempt attempt,
            RequestContent content)
            throws IOException, ServletException {
        SpooledRequest spooled;
        if (policy.responses().isPresent()) {
            FilterManaged style = policy.responses().get();
            CapturedResponse captured = style.capture(response);
            spooled = new SpooledRequest(request, captured, content);
            new FilterManagedCall(style, attempt, spooled, captured, chain, problems).answer(request, response);
        } else {
            spooled = new SpooledRequest(request, response, content);
            IdempotentRequest known = new IdempotentRequest(attempt, null, spooled, response, problems);
            known.exposeTo(request);
            HandlerManagedCall.pass(known, spooled, response, chain);
        }
        if (spooled.asynchronous()) {
            spooled.ended().whenComplete((good, thrown) -> {
                try {
                    content.close();
                } catch (IOException e) {
                    throw new UncheckedIOException(e);
                }
            });
        }
        return spooled.asynchronous();
    }

    /** Builds a filter. Every value has a default; each is checked when it is set. */
    public static final class Builder {
        private final ScopeResolver scopes;
        private final Map<String, RoutePolicy> exact = new TreeMap<>();
        private final Map<String, RoutePolicy> prefixes = new TreeMap<>(Comparator.naturalOrder());
        private RoutePolicy elsewhere = RoutePolicy.required();
        private URI documentation =
                URI.create("https://datatracker.ietf.org/doc/html/draft-ietf-httpapi-idempotency-key-header-07");
        private Duration retryAfter = Duration.ofSeconds(1);
        private Clock clock = Clock.systemUTC();
        private boolean writesFormer;

        private Builder(ScopeResolver scopes) {
            this.scopes = scopes;
        }

        /**
         * Adds a route. The longest one that fits counts.
         *
         * @param pattern a path inside the context, {@code /groups}, or all below one and itself, {@code /payments/*}
         * @param policy what to do there
         * @return this
         * @throws IllegalArgumentException if it is no such pattern, or there is a policy for it already
         */
        public Builder route(String pattern, RoutePolicy policy) {
            boolean below = pattern.endsWith("/*");
            String path = below ? pattern.substring(0, pattern.length() - 2) : pattern;
            if (!pattern.startsWith("/") || path.contains("*")) {
                throw new IllegalArgumentException(
                        "A route is a path, /groups, or all below one, /payments/*; found " + pattern + ".");
            }
            if ((below ? prefixes : exact).put(path, policy) != null) {
                throw new IllegalArgumentException("The route " + pattern + " has a policy already.");
            }
            return this;
        }

        /**
         * Sets the policy of all other paths that the filter is mapped to. Default: a key is required.
         *
         * @param policy what to do there
         * @return this
         */
        public Builder elsewhere(RoutePolicy policy) {
            elsewhere = policy;
            return this;
        }

        /**
         * Sets the page that tells clients how this service uses keys. It is linked from every problem, and problem types
         * are its fragments: {@code #key-missing}. Default: the draft.
         *
         * @param page an absolute address
         * @return this
         */
        public Builder documentation(URI page) {
            if (!page.isAbsolute()) {
                throw new IllegalArgumentException("The documentation needs an absolute address, found " + page + ".");
            }
            documentation = page;
            return this;
        }

        /**
         * Sets the pause after which 409 and 503 ask clients to try again. Default: 1 second.
         *
         * @param pause in whole seconds, at least one
         * @return this
         */
        public Builder retryAfter(Duration pause) {
            if (pause.compareTo(Duration.ofSeconds(1)) < 0) {
                throw new IllegalArgumentException(
                        "Retry-After counts whole seconds, at least 1; found " + pause + ".");
            }
            retryAfter = pause;
            return this;
        }

        /**
         * Sets the clock that keys' own times are compared with. Default: the machine's.
         *
         * @param clock the clock
         * @return this
         */
        public Builder clock(Clock clock) {
            this.clock = clock;
            return this;
        }

        /**
         * Writes records with the fingerprint of before, in which there was no media type. For a rolling upgrade: a node of
         * the version before would refuse a retry of what a newer node has written with {@code key-reused}. Set it until
         * the last older node is gone, then take it away. Records of either form are matched in any case.
         *
         * @return this
         */
        public Builder writeFormerFingerprints() {
            writesFormer = true;
            return this;
        }

        /**
         * Builds.
         *
         * @return the filter
         */
        public IdempotencyFilter build() {
            return new IdempotencyFilter(this);
        }
    }
}
