package io.counterpoint.idempotency.servlet;

import jakarta.servlet.http.HttpServletRequest;
import jakarta.servlet.http.Part;
import java.io.Closeable;
import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.Charset;
import java.nio.charset.StandardCharsets;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/** The content of a request (body, form fields, parts), read and validated before its key is claimed. */
final class RequestContent implements Closeable {

    private final HeaderValue type;
    private final @Nullable String contentType;
    private final @Nullable String encoding;
    private final SpooledBody body;
    private final BodyDigest digest;
    private final Map<String, String[]> query;
    private final Map<String, List<String>> fields;
    private final List<SpooledPart> parts;

    private RequestContent(
            HeaderValue type,
            @Nullable String contentType,
            @Nullable String encoding,
            SpooledBody body,
            BodyDigest digest,
            Map<String, String[]> query,
            Map<String, List<String>> fields,
            List<SpooledPart> parts) {
        this.type = type;
        this.contentType = contentType;
        this.encoding = encoding;
        this.body = body;
        this.digest = digest;
        this.query = query;
        this.fields = fields;
        this.parts = parts;
    }

    /**
     * Reads the content of a request.
     *
     * @throws Refused if it is too large or malformed
     * @throws IllegalStateException if the body, or part of it, has already been read
     */
    static RequestContent of(HttpServletRequest request, RoutePolicy policy) throws IOException, Refused {
        String contentType = contentTypeOf(request);
        HeaderValue type = HeaderValue.parse(contentType);
        long most = Math.min(policy.maxBody(), mostOf(type, policy.limits()));
        if (request.getContentLengthLong() > most) {
            throw Refused.tooLarge(most);
        }
        UnreadBody unread = new UnreadBody(request, type);
        BodyDigest digest = new BodyDigest(contentType);
        SpooledBody body = read(unread, request.getContentLengthLong(), policy.inMemory(), most, digest);
        try {
            Map<String, String[]> query = query(request, type, policy.limits().fields());
            unread.requireWhole(body.length());
            int ofQuery =
                    query.values().stream().mapToInt(values -> values.length).sum();
            int left = Math.max(0, policy.limits().fields() - ofQuery);
            if (type.isForm()) {
                Map<String, List<String>> fields = FormFields.read(bytesOf(body), charsetOf(unread.encoding()), left)
                        .values();
                return new RequestContent(type, contentType, unread.encoding(), body, digest, query, fields, List.of());
            }
            List<SpooledPart> parts = type.isMultipartForm() ? parts(body, type, policy, left) : List.of();
            return new RequestContent(
                    type,
                    contentType,
                    unread.encoding(),
                    body,
                    digest,
                    query,
                    fieldsOf(parts, unread.encoding()),
                    parts);
        } catch (FormFields.Malformed malformed) {
            body.close();
            throw Refused.malformed(malformed.why()).afterTheBody();
        } catch (Refused refused) {
            body.close();
            throw refused.afterTheBody();
        } catch (IOException | RuntimeException | Error thrown) {
            body.close();
            throw thrown;
        }
    }

    private static long mostOf(HeaderValue type, FormLimits limits) {
        if (type.isForm()) {
            return limits.formBytes();
        }
        return type.isMultipartForm() ? limits.uploadBytes() : Long.MAX_VALUE;
    }

    private static @Nullable String contentTypeOf(HttpServletRequest request) throws Refused {
        try {
            String contentType = request.getContentType();
            String encoding = request.getCharacterEncoding();
            Optional<String> named = HeaderValue.parse(contentType).parameter("charset");
            if (named.map(HeaderValue::charset).filter(Optional::isEmpty).isEmpty()
                    && (encoding == null || HeaderValue.charset(encoding).isPresent())) {
                return contentType;
            }
        } catch (IllegalArgumentException unknownToTheContainer) {
            // Rejected below.
        }
        throw Refused.malformed("The charset of the body is not supported.");
    }

    private static SpooledBody read(UnreadBody unread, long announced, int inMemory, long most, BodyDigest digest)
            throws IOException, Refused {
        InputStream in = unread.open();
        try {
            return SpooledBody.read(in, announced, inMemory, most, digest);
        } catch (SpooledBody.TooLarge tooLarge) {
            throw Refused.tooLarge(most).afterTheBody();
        }
    }

    /** Lets the container parse the query, as nothing else is left for it to parse. */
    private static Map<String, String[]> query(HttpServletRequest request, HeaderValue type, int most)
            throws Refused, FormFields.Malformed {
        String query = request.getQueryString();
        if (query == null) {
            return Map.of();
        }
        if (type.isMultipartForm()) {
            // If asked for parameters, Jetty would look for the parts in the body, which has already been read.
            Map<String, String[]> fields = new LinkedHashMap<>();
            FormFields.read(query.getBytes(StandardCharsets.UTF_8), StandardCharsets.UTF_8, most)
                    .values()
                    .forEach((name, values) -> fields.put(name, values.toArray(String[]::new)));
            return fields;
        }
        try {
            return request.getParameterMap();
        } catch (RuntimeException malformed) {
            // Each container throws its own exception.
            throw Refused.malformed("The query is malformed or has too many fields.");
        }
    }

    private static List<SpooledPart> parts(SpooledBody body, HeaderValue type, RoutePolicy policy, int fieldsLeft)
            throws IOException, Refused, FormFields.Malformed {
        List<SpooledPart> parts = MultipartForm.read(
                body,
                type.parameter("boundary").orElse(""),
                policy.limits().parts(),
                policy.limits().partHeader());
        long bytes = 0;
        int fields = 0;
        for (SpooledPart part : parts) {
            bytes += part.isField() ? part.getSize() : 0;
            fields += part.isField() ? 1 : 0;
            if (!part.isField() && part.getSize() > policy.limits().fileBytes()) {
                throw Refused.tooLarge(policy.limits().fileBytes());
            }
        }
        if (fields > fieldsLeft) {
            throw new FormFields.Malformed("The request has too many fields.");
        }
        if (bytes > FormLimits.MULTIPART_FIELD_BYTES) {
            throw Refused.tooLarge(FormLimits.MULTIPART_FIELD_BYTES);
        }
        return parts;
    }

    private static Map<String, List<String>> fieldsOf(List<SpooledPart> parts, @Nullable String encoding) {
        Charset charset = encoding == null ? null : Charset.forName(encoding);
        Map<String, List<String>> fields = new LinkedHashMap<>();
        for (SpooledPart part : parts) {
            if (part.isField()) {
                fields.computeIfAbsent(part.getName(), first -> new java.util.ArrayList<>(1))
                        .add(part.text(charset));
            }
        }
        return fields;
    }

    private static byte[] bytesOf(SpooledBody body) throws IOException {
        try (InputStream in = body.open()) {
            return in.readAllBytes();
        }
    }

    private static Charset charsetOf(@Nullable String encoding) {
        return encoding == null ? StandardCharsets.UTF_8 : Charset.forName(encoding);
    }

    /** Returns the fields of the form or multipart form, decoded with this encoding; none for any other body. */
    Map<String, List<String>> fields(@Nullable String wanted) {
        if (java.util.Objects.equals(wanted, encoding) || fields.isEmpty()) {
            return fields;
        }
        if (!type.isForm()) {
            return fieldsOf(parts, wanted);
        }
        try {
            return FormFields.readAgain(bytesOf(body), charsetOf(wanted)).values();
        } catch (IOException e) {
            throw new IllegalStateException("The buffered form cannot be read again.", e);
        }
    }

    /** Returns the fields of the query. */
    Map<String, String[]> query() {
        return query;
    }

    /** Returns the parts of a multipart form; empty for any other body. */
    Optional<List<Part>> parts() {
        return type.isMultipartForm() ? Optional.of(Collections.unmodifiableList(parts)) : Optional.empty();
    }

    List<SpooledPart> spooledParts() {
        return parts;
    }

    HeaderValue type() {
        return type;
    }

    @Nullable
    String contentType() {
        return contentType;
    }

    /** The encoding set by the client or an outer filter. */
    @Nullable
    String encoding() {
        return encoding;
    }

    SpooledBody body() {
        return body;
    }

    BodyDigest digest() {
        return digest;
    }

    @Override
    public void close() throws IOException {
        body.close();
    }
}
