package io.counterpoint.idempotency.client;

import io.counterpoint.idempotency.http.ProblemType;
import io.counterpoint.idempotency.spi.Characters;
import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.util.Arrays;
import java.util.Map;
import java.util.Optional;
import java.util.zip.GZIPInputStream;

/**
 * A response that explains why there is no result: a problem of the service's idempotency filter, or another status.
 *
 * <p>{@link #toString()} shows status and type only, because the rest is the service's text.
 *
 * @param status the HTTP status
 * @param type the type of the problem; empty if it is not one of the filter's
 * @param members the text members of the problem document, such as {@code title} and {@code detail}; may be empty
 */
public record Problem(int status, Optional<ProblemType> type, Map<String, String> members) {

    /** Far larger than any problem of the filter. The rest of a larger document is not kept in memory. */
    static final int MAX_BYTES = 64 * 1024;

    private static final String UNTYPED = "about:blank";

    /**
     * Creates a problem.
     *
     * @param status the HTTP status
     * @param type the type of the problem
     * @param members the text members of the problem document
     */
    public Problem {
        members = Map.copyOf(members);
    }

    /** A status without a problem document. */
    static Problem untyped(int status) {
        return new Problem(status, Optional.empty(), Map.of());
    }

    /**
     * Returns the problem of a document; without a type if it cannot be parsed or was not read completely.
     *
     * @param encoding the header {@code Content-Encoding}
     */
    static Problem of(int status, byte[] document, boolean whole, Optional<String> encoding) {
        if (!whole) {
            return untyped(status);
        }
        Map<String, String> members = TextMembers.of(decoded(document, encoding));
        return new Problem(status, typeOf(members.getOrDefault("type", UNTYPED), status), members);
    }

    /** A caller who accepts compressed responses also gets compressed problems. */
    private static byte[] decoded(byte[] document, Optional<String> encoding) {
        if (encoding.filter(it -> Characters.equalsIgnoringAsciiCase(it.trim(), "gzip"))
                .isEmpty()) {
            return document;
        }
        try (InputStream plain = new GZIPInputStream(new ByteArrayInputStream(document))) {
            return plain.readNBytes(MAX_BYTES);
        } catch (IOException damaged) {
            return document;
        }
    }

    /** Returns the type that a URI ends with, if the status matches. */
    private static Optional<ProblemType> typeOf(String uri, int status) {
        String slug = uri.substring(uri.lastIndexOf('#') + 1);
        return Arrays.stream(ProblemType.values())
                .filter(type -> type.slug().equals(slug))
                .filter(type -> type == ProblemType.ANSWER_NOT_KEPT || type.status() == status)
                .findFirst();
    }

    /** Whether a response declares itself a problem document. */
    static boolean isDocument(String mediaType) {
        return Characters.equalsIgnoringAsciiCase(mediaType.split(";", 2)[0].trim(), "application/problem+json");
    }

    /**
     * Returns a text member of the document, such as {@code detail}, {@code reference} of {@link
     * ProblemType#ANSWER_NOT_KEPT}, {@code failure} and {@code failureMessage} of {@link ProblemType#ATTEMPT_FAILED}.
     *
     * @param name the member's name
     * @return its text; empty if it is missing
     */
    public Optional<String> member(String name) {
        return Optional.ofNullable(members.get(name));
    }

    @Override
    public String toString() {
        return status + " " + type.map(ProblemType::slug).orElse("other");
    }
}
