package io.counterpoint.idempotency.servlet;

import io.counterpoint.idempotency.Attempt;
import io.counterpoint.idempotency.Fingerprint;
import io.counterpoint.idempotency.spi.Characters;
import jakarta.servlet.http.HttpServletRequest;
import java.io.IOException;
import java.io.InputStream;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * What is compared of a request: method, path, query, media type and body. Of the media type, the boundary is left out, and
 * so is the case of type, names and charset.
 *
 * <p>Records that were written before the media type was compared are matched as long as they exist.
 *
 * @param writesFormer whether new records get the former fingerprint, for a time in which older nodes read them
 */
record RequestFingerprint(boolean writesFormer) {

    Attempt attempt(String scope, String key, HttpServletRequest request, RoutePolicy policy, RequestContent content)
            throws IOException {
        Attempt.WithKey attempt = Attempt.in(scope).key(key);
        List<Fingerprint> bodies = bodies(request, policy, content);
        Fingerprint full = Fingerprint.ofParts(
                request.getMethod(),
                request.getRequestURI(),
                request.getQueryString(),
                canonical(content.type()),
                bodies.get(0));
        Fingerprint[] former = bodies.stream()
                .map(body -> Fingerprint.ofParts(
                        request.getMethod(), request.getRequestURI(), request.getQueryString(), body))
                .toArray(Fingerprint[]::new);
        if (!writesFormer) {
            return attempt.fingerprint(full).alsoMatching(former);
        }
        Fingerprint written = former[0];
        former[0] = full;
        return attempt.fingerprint(written).alsoMatching(former);
    }

    /** The media type as it is compared; null if there is none. */
    private static @Nullable String canonical(HeaderValue type) {
        if (type.value().isEmpty()) {
            return null;
        }
        StringBuilder text = new StringBuilder(type.value());
        for (Map.Entry<String, String> parameter : type.parameters().entrySet()) {
            if (!parameter.getKey().equals("boundary")) {
                String value = parameter.getValue();
                text.append(';')
                        .append(parameter.getKey())
                        .append('=')
                        .append(parameter.getKey().equals("charset") ? Characters.lowerCaseAscii(value) : value);
            }
        }
        return text.toString();
    }

    /** The body's fingerprint; behind it, for a multipart form, the one of handlers that took it apart themselves. */
    private static List<Fingerprint> bodies(HttpServletRequest request, RoutePolicy policy, RequestContent content)
            throws IOException {
        List<Fingerprint> bodies = new ArrayList<>(2);
        if (content.type().isMultipartForm()) {
            bodies.add(ofParts(content.spooledParts()));
        }
        CanonicalBody canonical = policy.canonicalBody();
        if (canonical == null) {
            bodies.add(content.digest().fingerprint());
        } else {
            try (InputStream bytes = content.body().open()) {
                Fingerprint fingerprint = canonical.of(request, bytes);
                return List.of(fingerprint);
            }
        }
        return bodies;
    }

    private static Fingerprint ofParts(List<SpooledPart> parts) throws IOException {
        List<@Nullable Object> all = new ArrayList<>();
        for (SpooledPart part : parts) {
            BodyDigest digest = new BodyDigest(null);
            byte[] chunk = new byte[8192];
            try (InputStream in = part.getInputStream()) {
                for (int read; (read = in.read(chunk)) >= 0; ) {
                    digest.add(chunk, 0, read);
                }
            }
            all.add(List.of(part.getName(), digest.fingerprint()));
            all.add(part.getSubmittedFileName());
            all.add(part.getContentType());
        }
        return Fingerprint.ofParts(all);
    }
}
