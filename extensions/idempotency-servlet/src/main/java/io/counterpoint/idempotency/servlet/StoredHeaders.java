package io.counterpoint.idempotency.servlet;

import io.counterpoint.idempotency.spi.Characters;
import jakarta.servlet.http.HttpServletResponse;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;

/**
 * The headers of a stored response, and which headers are stored at all.
 *
 * @param namesAndValues names and values by turns
 */
record StoredHeaders(List<String> namesAndValues) {

    /** What a response may take beyond its body. Headers that are longer together are not kept. */
    static final int MAX_BYTES = 16 * 1024;

    /** Stored and replayed unless a service adds others. */
    static final Set<String> BY_DEFAULT = Set.of(
            "Cache-Control",
            "Content-Disposition",
            "Content-Encoding",
            "Content-Language",
            "Content-Location",
            "Content-Type",
            "ETag",
            "Last-Modified",
            "Link",
            "Location",
            "Vary");

    private static final Set<String> NEVER_REPLAYED = Set.of(
            "connection",
            "content-length",
            "date",
            "keep-alive",
            "proxy-authenticate",
            "proxy-connection",
            "set-cookie",
            "te",
            "trailer",
            "transfer-encoding",
            "upgrade",
            "www-authenticate");

    static void requireReplayable(String name) {
        if (NEVER_REPLAYED.contains(Characters.lowerCaseAscii(name))) {
            throw new IllegalArgumentException(
                    "The header " + name + " belongs to one exchange; it is never replayed.");
        }
    }

    static StoredHeaders of(HttpServletResponse response, Set<String> kept) {
        List<String> found = new ArrayList<>();
        for (String name : kept) {
            for (String value : response.getHeaders(name)) {
                found.add(name);
                found.add(value);
            }
        }
        return new StoredHeaders(List.copyOf(found));
    }

    boolean fits() {
        return namesAndValues.stream().mapToInt(text -> 3 * text.length() + 2).sum() < MAX_BYTES;
    }

    /** What an outer filter has set is replaced, not doubled. */
    void writeTo(HttpServletResponse response, boolean withBody) {
        String last = "";
        for (int i = 0; i < namesAndValues.size(); i += 2) {
            String name = namesAndValues.get(i);
            if (!withBody && name.startsWith("Content-") && !name.equals("Content-Location")) {
                continue;
            }
            if (name.equals(last)) {
                response.addHeader(name, namesAndValues.get(i + 1));
            } else {
                response.setHeader(name, namesAndValues.get(i + 1));
            }
            last = name;
        }
    }
}
