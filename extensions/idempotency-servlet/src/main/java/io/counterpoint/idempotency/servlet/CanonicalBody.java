package io.counterpoint.idempotency.servlet;

import io.counterpoint.idempotency.Fingerprint;
import jakarta.servlet.http.HttpServletRequest;
import java.io.IOException;
import java.io.InputStream;

/**
 * Reduces a body to the part that identifies the request, if its bytes may differ between tries, such as a JSON
 * document with the time of sending, or with members in any order.
 */
@FunctionalInterface
public interface CanonicalBody {

    /**
     * Returns the fingerprint of a body.
     *
     * @param request the request, for its headers
     * @param body the whole body; closed by the caller
     * @return its fingerprint. For a body that cannot be parsed, the fingerprint of its bytes
     * @throws IOException if the body cannot be read
     */
    Fingerprint of(HttpServletRequest request, InputStream body) throws IOException;
}
