package io.counterpoint.idempotency.client;

import io.counterpoint.idempotency.Fingerprint;
import java.net.URI;
import org.jspecify.annotations.Nullable;

/** Compares requests as the service does: by method, path, query, media type and body. Its address may change. */
final class Requests {

    private Requests() {}

    static Fingerprint fingerprint(String method, URI uri, @Nullable String mediaType, byte[] body) {
        return Fingerprint.ofParts(method, uri.getRawPath(), uri.getRawQuery(), mediaType, body);
    }
}
