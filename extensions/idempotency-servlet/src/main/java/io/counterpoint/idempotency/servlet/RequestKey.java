package io.counterpoint.idempotency.servlet;

import io.counterpoint.idempotency.http.ProblemType;
import jakarta.servlet.http.HttpServletRequest;
import java.time.Clock;
import java.time.Instant;
import java.util.Collections;
import java.util.List;
import java.util.Optional;

/** Finds the key of a request according to its route's policy. */
record RequestKey(RoutePolicy policy, Clock clock) {

    /**
     * Returns the key.
     *
     * @return the key; empty if the route requires none and none was sent
     * @throws Refused if it is missing, malformed or expired
     */
    Optional<String> of(HttpServletRequest request) throws Refused {
        List<String> lines = lines(request);
        // Other headers do not quote their values.
        boolean lenient = policy.lenient() || request.getHeader(IdempotencyFilter.KEY) == null;
        if (lines.isEmpty()) {
            if (policy.isRequired()) {
                throw new Refused(
                        ProblemType.KEY_MISSING, "This operation requires one. Send a new key with a new request.");
            }
            return Optional.empty();
        }
        try {
            String key = KeyHeader.read(lines, lenient);
            if (policy.expiry().isPresent()) {
                requireInTime(key, policy.expiry().get());
            }
            return Optional.of(key);
        } catch (KeyHeader.Malformed malformed) {
            throw new Refused(ProblemType.KEY_INVALID, malformed.why());
        }
    }

    /** The lines of the header from which the route takes the key. */
    List<String> lines(HttpServletRequest request) {
        boolean fallsBack = request.getHeader(IdempotencyFilter.KEY) == null;
        String header = fallsBack ? policy.fallbackHeader().orElse(IdempotencyFilter.KEY) : IdempotencyFilter.KEY;
        return Collections.list(request.getHeaders(header));
    }

    private void requireInTime(String key, RoutePolicy.Expiry expiry) throws Refused {
        Instant made = expiry.time().of(key).orElse(null);
        Instant now = clock.instant();
        if (made != null && made.isBefore(now.minus(expiry.accepted()))) {
            throw new Refused(
                    ProblemType.KEY_EXPIRED,
                    "Keys are accepted for " + expiry.accepted() + ". Look up the outcome of this request before you"
                            + " send it with a new key.");
        }
        if (made != null && made.isAfter(now.plus(expiry.accepted()))) {
            throw new Refused(ProblemType.KEY_INVALID, "The key has a creation time in the future.");
        }
    }
}
