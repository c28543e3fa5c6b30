package io.counterpoint.idempotency.examples.appplatform;

import static java.nio.charset.StandardCharsets.UTF_8;

import io.counterpoint.idempotency.examples.appplatform.usecase.Refusal;
import jakarta.servlet.http.HttpServletRequest;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.Collections;
import java.util.List;
import java.util.Optional;

/**
 * The client that may check and repair: it sends the operator's token as {@code Authorization: Bearer TOKEN}. Without a
 * configured token, nobody may. Tokens are compared by their digests in constant time.
 */
final class Operator {

    static final int SHORTEST = 16;

    private static final String SCHEME = "Bearer ";

    private final Optional<byte[]> digest;

    private Operator(Optional<byte[]> digest) {
        this.digest = digest;
    }

    /** Nobody. */
    static Operator none() {
        return new Operator(Optional.empty());
    }

    /** The client that sends this token. */
    static Operator of(String token) {
        if (token.length() < SHORTEST) {
            throw new IllegalArgumentException("An operator's token has at least " + SHORTEST + " characters.");
        }
        return new Operator(Optional.of(sha256(token)));
    }

    /** Refuses everybody else. */
    void require(HttpServletRequest request) throws Refusal {
        if (digest.isEmpty()) {
            throw Refusals.closed();
        }
        List<String> lines = Collections.list(request.getHeaders("Authorization"));
        String sent = lines.size() == 1 && lines.get(0).startsWith(SCHEME)
                ? lines.get(0).substring(SCHEME.length())
                : "";
        if (!MessageDigest.isEqual(digest.get(), sha256(sent))) {
            throw Refusals.noOperator();
        }
    }

    private static byte[] sha256(String text) {
        try {
            return MessageDigest.getInstance("SHA-256").digest(text.getBytes(UTF_8));
        } catch (NoSuchAlgorithmException everyJdkHasIt) {
            throw new IllegalStateException(everyJdkHasIt);
        }
    }
}
