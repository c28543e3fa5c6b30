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
 * The parts of a request that are compared: method, path, query, media type and body; on filter-managed routes, also
 * {@code Range}. The boundary of the media type is ignored, as are the case of its type, names and charset, and the
 * UTF-8 charset of JSON.
 *
 * <p>Records that were written before the media type was compared still match as long as they exist.
 *
 * @param writesFormer whether new records get the former fingerprint, as long as older nodes read them
 */
record RequestFingerprint(boolean writesFormer) {

    private static final String JSON = "application/json";
    private static final String UTF_8 = ";charset=utf-8";

    Attempt attempt(String scope, String key, HttpServletRequest request, RoutePolicy policy, RequestContent content)
            throws IOException {
        Attempt.WithKey attempt = Attempt.inScope(scope).key(key);
        List<Fingerprint> bodies = bodies(request, policy, content);
        // Frameworks return a range of what a handler returns, regardless of the method.
        String range = policy.responses().isPresent() ? request.getHeader("Range") : null;
        List<Fingerprint> full = new ArrayList<>(2);
        for (String type : types(content.type())) {
            full.add(of(request, range, type, bodies.get(0)));
        }
        if (range != null) {
            // The former fingerprint does not include the range, so it would match a request for a different one.
            return matching(attempt, full);
        }
        List<Fingerprint> former = bodies.stream()
                .map(body -> Fingerprint.ofParts(
                        request.getMethod(), request.getRequestURI(), request.getQueryString(), body))
                .toList();
        List<Fingerprint> all = new ArrayList<>(writesFormer ? former : full);
        all.addAll(writesFormer ? full : former);
        return matching(attempt, all);
    }

    private static Fingerprint of(
            HttpServletRequest request, @Nullable String range, @Nullable String type, Fingerprint body) {
        String method = request.getMethod();
        String path = request.getRequestURI();
        String query = request.getQueryString();
        return range == null
                ? Fingerprint.ofParts(method, path, query, type, body)
                : Fingerprint.ofParts(method, path, query, type, body, range);
    }

    private static Attempt matching(Attempt.WithKey attempt, List<Fingerprint> all) {
        return attempt.fingerprint(all.get(0))
                .alsoMatching(all.subList(1, all.size()).toArray(Fingerprint[]::new));
    }

    /**
     * The media type as compared, and its alternative spelling: JSON is UTF-8 with or without a charset (RFC 8259).
     * Older nodes have recorded either and compare what they get.
     */
    private static List<@Nullable String> types(HeaderValue type) {
        List<@Nullable String> types = new ArrayList<>(2);
        String own = canonical(type);
        types.add(own);
        if (own != null && (type.value().equals(JSON) || type.value().endsWith("+json"))) {
            if (own.endsWith(UTF_8) && type.parameters().size() == 1) {
                types.add(type.value());
            } else if (type.parameters().isEmpty()) {
                types.add(own + UTF_8);
            }
        }
        return types;
    }

    /** The media type as compared; null if there is none. */
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

    /** The body's fingerprint, followed, for a multipart form, by the one for handlers that parsed it themselves. */
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
