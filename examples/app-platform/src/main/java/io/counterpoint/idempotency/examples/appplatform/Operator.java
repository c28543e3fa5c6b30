package io.counterpoint.idempotency.examples.appplatform;

import static java.nio.charset.StandardCharsets.UTF_8;

import io.counterpoint.idempotency.examples.appplatform.http.Refusals;
import io.counterpoint.idempotency.examples.appplatform.usecase.Refusal;
import jakarta.servlet.http.HttpServletRequest;
import java.security.MessageDigest;
import java.util.Collections;
import java.util.List;
import java.util.Optional;

/**
 * Authenticates the client that may check and repair. It sends the operator's token as
 * {@code Authorization: Bearer TOKEN}; if no token is configured, everybody is refused. Tokens are compared in constant
 * time.
 */
final class Operator {

    static final int SHORTEST = 16;

    private static final String SCHEME = "Bearer ";

    private final Optional<String> token;

    private Operator(Optional<String> token) {
        this.token = token;
    }

    /** Accepts nobody. */
    static Operator none() {
        return new Operator(Optional.empty());
    }

    /** Accepts the client that sends this token. */
    static Operator of(String token) {
        if (token.length() < SHORTEST) {
            throw new IllegalArgumentException(
                    "An operator's token must be at least " + SHORTEST + " characters long.");
        }
        return new Operator(Optional.of(token));
    }

    /** Refuses everybody but the operator. */
    void require(HttpServletRequest request) throws Refusal {
        if (token.isEmpty()) {
            throw Refusals.closed();
        }
        List<String> lines = Collections.list(request.getHeaders("Authorization"));
        String sent = lines.size() == 1 && lines.get(0).startsWith(SCHEME)
                ? lines.get(0).substring(SCHEME.length())
                : "";
        if (!MessageDigest.isEqual(token.get().getBytes(UTF_8), sent.getBytes(UTF_8))) {
            throw Refusals.noOperator();
        }
    }
}
