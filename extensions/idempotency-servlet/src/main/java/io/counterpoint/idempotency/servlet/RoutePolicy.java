package io.counterpoint.idempotency.servlet;

import io.counterpoint.idempotency.http.ProblemType;
import java.time.Duration;
import java.util.EnumSet;
import java.util.Locale;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * What the filter does on a route. Immutable: every setter returns a changed copy.
 *
 * <p>By default, a policy applies to POST and PATCH, accepts keys with or without quotes and bodies of up to 8 MiB, of
 * which 64 KiB are kept in memory. The route is handler-managed.
 */
public final class RoutePolicy implements Cloneable {

    private final Keys keys;
    private Set<String> methods = Set.of("POST", "PATCH");
    private boolean lenient = true;
    private Optional<String> fallbackHeader = Optional.empty();
    private long maxBody = 8 * 1024 * 1024;
    private int inMemory = 64 * 1024;
    private FormLimits limits = new FormLimits(1000, 200_000, 50, 512, Long.MAX_VALUE, Long.MAX_VALUE);
    private @Nullable CanonicalBody canonicalBody;
    private Optional<Expiry> expiry = Optional.empty();
    private Optional<Duration> keyLifetime = Optional.empty();
    private Optional<FilterManaged> responses = Optional.empty();

    /** Whether requests need a key. */
    enum Keys {
        REQUIRED,
        OPTIONAL,
        OFF
    }

    /** How to read the time of keys, and how long they are accepted. */
    record Expiry(KeyTime time, Duration accepted) {}

    private RoutePolicy(Keys keys) {
        this.keys = keys;
    }

    /**
     * Returns a policy that rejects a request without a key.
     *
     * @return the policy
     */
    public static RoutePolicy required() {
        return new RoutePolicy(Keys.REQUIRED);
    }

    /**
     * Returns a policy under which a request without a key runs unprotected; with a key it is protected, and a
     * malformed key is rejected.
     *
     * @return the policy
     */
    public static RoutePolicy optional() {
        return new RoutePolicy(Keys.OPTIONAL);
    }

    /**
     * Returns a policy under which requests pass through unchanged, with or without a key.
     *
     * @return the policy
     */
    public static RoutePolicy off() {
        return new RoutePolicy(Keys.OFF);
    }

    /**
     * Sets the methods to which the policy applies. Others pass untouched. Method names are case-sensitive.
     *
     * @param names any of POST, PATCH, PUT, DELETE and custom methods
     * @return a copy
     * @throws IllegalArgumentException if no name is given, or for a safe method, which needs no key, or a name that
     *     contains anything other than upper-case letters, digits and hyphens
     */
    public RoutePolicy methods(String... names) {
        Set<String> checked = Methods.of(names);
        return changed(copy -> copy.methods = checked);
    }

    /**
     * Accepts only keys in double quotes, as the draft defines them.
     *
     * @return a copy
     */
    public RoutePolicy strictKeys() {
        return changed(copy -> copy.lenient = false);
    }

    /**
     * Takes the key from another header if there is no Idempotency-Key. Beware of headers that proxies generate: a
     * value that is new for every try protects nothing.
     *
     * @param name the header's name, such as X-Request-Id
     * @return a copy
     */
    public RoutePolicy fallbackHeader(String name) {
        return changed(copy -> copy.fallbackHeader = Optional.of(name));
    }

    /**
     * Sets the maximum size of a request body. A larger one is rejected with 413. The body is read before the key is
     * claimed because it is part of the fingerprint.
     *
     * @param bytes at least 0
     * @return a copy
     */
    public RoutePolicy maxRequestBody(long bytes) {
        return changed(copy -> copy.maxBody = FormLimits.notNegative("The largest request body", bytes));
    }

    /**
     * Sets how much of a request body is kept in memory; the rest goes to a temporary file until the request ends.
     *
     * @param bytes at least 0
     * @return a copy
     */
    public RoutePolicy bodyInMemory(int bytes) {
        return changed(
                copy -> copy.inMemory = (int) FormLimits.notNegative("The part of a body held in memory", bytes));
    }

    /**
     * Sets the limits of a form. The filter parses forms before the key is claimed, so these limits replace the
     * container's own, which no longer apply: don't exceed those. Default: 1,000 fields, including those of the query,
     * as in Tomcat and Jetty, and 200,000 bytes, as in Jetty.
     *
     * @param fields at least 0
     * @param bytes at least 0
     * @return a copy
     */
    public RoutePolicy maxForm(int fields, int bytes) {
        return changed(copy -> copy.limits = limits.withForm(fields, bytes));
    }

    /**
     * Sets the limits of a multipart form. The filter parses it before the key is claimed, so this and {@link
     * #maxRequestBody} replace the limits of the servlet's multipart configuration, which no longer apply. Default: 50
     * parts with a header of at most 512 bytes, as in Tomcat.
     *
     * @param parts at least 0
     * @param headerBytes at least 0
     * @return a copy
     */
    public RoutePolicy maxMultipart(int parts, int headerBytes) {
        return changed(copy -> copy.limits = limits.withMultipart(parts, headerBytes));
    }

    /**
     * Sets how bodies are compared. Default: by their bytes, ignoring the boundary of a multipart body, which clients
     * choose anew for every try.
     *
     * @param canonical reduces a body to its fingerprint
     * @return a copy
     */
    public RoutePolicy canonicalBody(CanonicalBody canonical) {
        return changed(copy -> copy.canonicalBody = canonical);
    }

    /**
     * Rejects keys that are too old, because their record may have been purged and they would count as new. Keys
     * without a time are not affected. Keys that are further ahead than this duration are malformed.
     *
     * @param time reads a key's time
     * @param accepted how long a key is accepted. Retain records longer than this by the maximum error of clients'
     *     clocks: twice as long is always enough
     * @return a copy
     */
    public RoutePolicy expireKeys(KeyTime time, Duration accepted) {
        if (accepted.isNegative() || accepted.isZero()) {
            throw new IllegalArgumentException(
                    "The time that keys are accepted must be positive, found " + accepted + ".");
        }
        return changed(copy -> copy.expiry = Optional.of(new Expiry(time, accepted)));
    }

    /**
     * Tells clients with each response how long after the first try a key may be sent again, in the header {@code
     * Idempotency-Key-Lifetime}. The filter does not enforce this: see {@link #expireKeys}. Default: no such header.
     *
     * @param lifetime in whole seconds, at least one. Must not exceed the shortest retention of the operations on this
     *     route, which the filter knows only if it stores the responses itself
     * @return a copy
     * @throws IllegalArgumentException if it is shorter than a second or longer than the retention of the responses
     */
    public RoutePolicy keyLifetime(Duration lifetime) {
        if (lifetime.compareTo(Duration.ofSeconds(1)) < 0) {
            throw new IllegalArgumentException(
                    "The lifetime of keys must be a whole number of seconds, at least 1; found " + lifetime + ".");
        }
        return changed(copy -> copy.keyLifetime = Optional.of(lifetime)).requireKept();
    }

    /**
     * Lets the filter claim the key and store the handler's response, instead of the handler's own operation.
     *
     * @param style what is stored, and where
     * @return a copy
     * @throws IllegalArgumentException if their retention is shorter than the {@link #keyLifetime}
     */
    public RoutePolicy responses(FilterManaged style) {
        return changed(copy -> copy.responses = Optional.of(style)).requireKept();
    }

    /** A request whose key is purged before its lifetime ends would be carried out again. */
    private RoutePolicy requireKept() {
        Duration kept = responses.map(FilterManaged::retention).orElse(null);
        if (kept != null && keyLifetime.filter(it -> it.compareTo(kept) > 0).isPresent()) {
            throw new IllegalArgumentException("The promised lifetime of keys is " + keyLifetime.get() + ", but the"
                    + " responses are kept for " + kept + " only.");
        }
        return this;
    }

    /**
     * Returns whether a request without a key is rejected.
     *
     * @return whether it is
     */
    public boolean isRequired() {
        return keys == Keys.REQUIRED;
    }

    /**
     * Returns the problems with which a request on this route may be answered.
     *
     * @return a new set, in the order of the types; problems of expired keys and stored responses are included only if
     *     the policy uses those features
     */
    public Set<ProblemType> problems() {
        Set<ProblemType> problems = EnumSet.allOf(ProblemType.class);
        if (expiry.isEmpty()) {
            problems.remove(ProblemType.KEY_EXPIRED);
        }
        if (responses.isEmpty()) {
            problems.removeAll(
                    Set.of(ProblemType.REPLAY_REFUSED, ProblemType.TOO_MANY_UNRESOLVED, ProblemType.ANSWER_NOT_KEPT));
        }
        return problems;
    }

    boolean isAbout(String method) {
        return keys != Keys.OFF && methods.contains(method);
    }

    boolean lenient() {
        return lenient;
    }

    Optional<String> fallbackHeader() {
        return fallbackHeader;
    }

    /**
     * Sets the maximum size of uploads if it is less than {@link #maxRequestBody}: of a multipart form as a whole, and
     * of each file in it. A larger one is rejected with 413. Default: no separate limit.
     *
     * @param fileBytes at least 0
     * @param requestBytes at least 0
     * @return a copy
     */
    public RoutePolicy maxUpload(long fileBytes, long requestBytes) {
        return changed(copy -> copy.limits = limits.withUpload(fileBytes, requestBytes));
    }

    long maxBody() {
        return maxBody;
    }

    int inMemory() {
        return inMemory;
    }

    FormLimits limits() {
        return limits;
    }

    @Nullable
    CanonicalBody canonicalBody() {
        return canonicalBody;
    }

    Optional<Expiry> expiry() {
        return expiry;
    }

    /**
     * Returns how long after the first try a key may be sent again, as stated in each response.
     *
     * @return the lifetime; empty if responses do not state it
     */
    public Optional<Duration> keyLifetime() {
        return keyLifetime;
    }

    Optional<FilterManaged> responses() {
        return responses;
    }

    @Override
    public String toString() {
        return "RoutePolicy[" + keys.name().toLowerCase(Locale.ROOT) + " " + methods + "]";
    }

    private RoutePolicy changed(Consumer<RoutePolicy> change) {
        RoutePolicy copy = copy();
        change.accept(copy);
        return copy;
    }

    private RoutePolicy copy() {
        try {
            return (RoutePolicy) Objects.requireNonNull(clone());
        } catch (CloneNotSupportedException e) {
            throw new IllegalStateException(e);
        }
    }
}
