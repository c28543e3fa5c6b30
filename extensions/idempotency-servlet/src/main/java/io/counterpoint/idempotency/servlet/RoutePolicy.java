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
 * What the filter does on a route. Immutable: every method gives a changed copy.
 *
 * <p>By default it is about POST and PATCH. It takes keys in quotes or without, and bodies up to 8 MiB, of which 64 KiB
 * are in memory. The route is handler-managed.
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

    /** Keys that carry their time, and for how long they are accepted. */
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
     * Returns a policy under which requests pass untouched, with a key or without.
     *
     * @return the policy
     */
    public static RoutePolicy off() {
        return new RoutePolicy(Keys.OFF);
    }

    /**
     * Sets the methods to which the policy applies. Others pass untouched. Methods are compared with their case.
     *
     * @param names of POST, PATCH, PUT, DELETE and methods of your own
     * @return a copy
     * @throws IllegalArgumentException for a safe method, which needs no key; for a name that is not of upper-case letters,
     *     digits and hyphens; and for no name at all
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
     * Takes the key from another header if there is no Idempotency-Key. Dangerous with headers that proxies write
     * themselves: one that is made anew for every try protects nothing.
     *
     * @param name the header's name, such as X-Request-Id
     * @return a copy
     */
    public RoutePolicy fallbackHeader(String name) {
        return changed(copy -> copy.fallbackHeader = Optional.of(name));
    }

    /**
     * Sets the maximum size of a request body. A larger one is refused with 413. The body is read before the key is
     * claimed, since the key is compared with it.
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
     * Sets the limits of a form. The filter takes forms apart before the key is claimed, so these limits stand for the
     * container's own, which no longer count: set none that is wider than those. Default: 1,000 fields, as Tomcat and
     * Jetty have it, those of the query included, and 200,000 bytes, as Jetty has it.
     *
     * @param fields at least 0
     * @param bytes at least 0
     * @return a copy
     */
    public RoutePolicy maxForm(int fields, int bytes) {
        return changed(copy -> copy.limits = limits.withForm(fields, bytes));
    }

    /**
     * Sets the limits of a multipart form. The filter takes it apart before the key is claimed, so this and {@link
     * #maxRequestBody} stand for the limits of the servlet's multipart configuration, which no longer count. Default: 50
     * parts with a header of at most 512 bytes, as Tomcat has it.
     *
     * @param parts at least 0
     * @param headerBytes at least 0
     * @return a copy
     */
    public RoutePolicy maxMultipart(int parts, int headerBytes) {
        return changed(copy -> copy.limits = limits.withMultipart(parts, headerBytes));
    }

    /**
     * Sets how bodies are compared. Default: its bytes, apart from the boundary of a multipart body, which clients
     * choose anew for every try.
     *
     * @param canonical reduces a body to its fingerprint
     * @return a copy
     */
    public RoutePolicy canonicalBody(CanonicalBody canonical) {
        return changed(copy -> copy.canonicalBody = canonical);
    }

    /**
     * Rejects keys that are too old: their record may be purged, and they would be taken for new. Keys
     * that carry no time are not affected. Keys that are more than this duration ahead are malformed.
     *
     * @param time reads a key's time
     * @param accepted for how long a key is accepted. Let records live longer than this by what clients' clocks may be
     *     wrong: twice as long is always enough
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
     * Tells clients with each answer for how long after its first try a key may be sent again, in the header {@code
     * Idempotency-Key-Lifetime}. The filter refuses no key by it: see {@link #expireKeys}. Default: no such header.
     *
     * @param lifetime in whole seconds, at least one. No longer than the shortest retention of the operations on this
     *     route, which the filter knows only where it stores the responses itself
     * @return a copy
     * @throws IllegalArgumentException if it is shorter than a second, or longer than the retention of the responses
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

    /** A key that is forgotten before its lifetime ends would be carried out again. */
    private RoutePolicy requireKept() {
        Duration kept = responses.map(FilterManaged::retention).orElse(null);
        if (kept != null && keyLifetime.filter(it -> it.compareTo(kept) > 0).isPresent()) {
            throw new IllegalArgumentException("The promised lifetime of keys is " + keyLifetime.get() + ", but the"
                    + " responses are kept for " + kept + " only.");
        }
        return this;
    }

    /**
     * Whether a request without a key is rejected.
     *
     * @return whether it is
     */
    public boolean isRequired() {
        return keys == Keys.REQUIRED;
    }

    /**
     * The problems that a request on this route may be answered with.
     *
     * @return a new set, in the order of the types; those of keys that are too old, and those of stored responses, only where
     *     the policy has them
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
     * Sets how large uploads may be, where that is less than {@link #maxRequestBody}: a multipart form as a whole, and each
     * file in it. A larger one is refused with 413. Default: no limit of its own.
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
     * For how long after its first try a key may be sent again, as each answer says.
     *
     * @return the lifetime; empty if answers do not say it
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
