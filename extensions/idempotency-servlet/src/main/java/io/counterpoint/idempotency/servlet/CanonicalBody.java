package io.counterpoint.idempotency.servlet;

import io.counterpoint.idempotency.Fingerprint;
import jakarta.servlet.http.HttpServletRequest;
import java.io.IOException;
import java.io.InputStream;

/**
 * Reduces a body to what identifies the request, for bodies whose bytes may differ between tries, such as a JSON
 * document that contains its sending time or whose members are in no fixed order.
 */
@FunctionalInterface
public interface CanonicalBody {

    /**
     * Returns the fingerprint of a body.
     *
     * @param request the request, to read its headers
     * @param body the whole body; closed by the caller
     * @return its fingerprint; for a body that cannot be parsed, the fingerprint of its bytes
     * @throws IOException if the body cannot be read
     */
    Fingerprint of(HttpServletRequest request, InputStream body) throws IOException;
}
