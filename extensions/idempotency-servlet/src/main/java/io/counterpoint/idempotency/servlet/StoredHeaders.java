package io.counterpoint.idempotency.servlet;

import io.counterpoint.idempotency.spi.Characters;
import jakarta.servlet.http.HttpServletResponse;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * The headers of a stored response, and which headers are stored at all.
 *
 * @param namesAndValues names and values, alternating
 */
record StoredHeaders(List<String> namesAndValues) {

    /** The maximum size of a response beyond its body. Headers that exceed it in total are not stored. */
    static final int MAX_BYTES = 16 * 1024;

    /** Stored and replayed unless a service adds others. */
    static final Set<String> BY_DEFAULT = Set.of(
            "Access-Control-Allow-Credentials",
            "Access-Control-Allow-Headers",
            "Access-Control-Allow-Methods",
            "Access-Control-Allow-Origin",
            "Access-Control-Expose-Headers",
            "Access-Control-Max-Age",
            "Cache-Control",
            "Content-Disposition",
            "Content-Encoding",
            "Content-Language",
            "Content-Location",
            "Content-Range",
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

    /** Headers with lists to which outer filters contribute, which a replay must not overwrite. */
    private static final Set<String> SHARED = Set.of("access-control-expose-headers", "vary");

    static void requireReplayable(String name) {
        if (NEVER_REPLAYED.contains(Characters.lowerCaseAscii(name))) {
            throw new IllegalArgumentException(
                    "The header " + name + " belongs to a single exchange and cannot be replayed.");
        }
    }

    static StoredHeaders of(HttpServletResponse response, Set<String> kept) {
        List<String> found = new ArrayList<>();
        for (String name : kept) {
            for (String value : response.getHeaders(name)) {
                if (!value.equals(IdempotencyFilter.EXPOSED)) {
                    found.add(name);
                    found.add(value);
                }
            }
        }
        return new StoredHeaders(List.copyOf(found));
    }

    boolean fits() {
        return namesAndValues.stream().mapToInt(text -> 3 * text.length() + 2).sum() < MAX_BYTES;
    }

    /**
     * Returns the headers for a request of this origin, without those that allow another origin to read the response.
     */
    StoredHeaders forOrigin(@Nullable String origin) {
        List<String> allowed = values("access-control-allow-origin");
        if (allowed.isEmpty() || allowed.equals(List.of("*"))) {
            return this;
        }
        boolean same = allowed.size() == 1 && allowed.get(0).equals(origin);
        List<String> told = new ArrayList<>();
        for (int i = 0; i < namesAndValues.size(); i += 2) {
            if (same || !Characters.lowerCaseAscii(namesAndValues.get(i)).startsWith("access-control-")) {
                told.addAll(namesAndValues.subList(i, i + 2));
            }
        }
        String varies =
                "," + Characters.lowerCaseAscii(String.join(",", values("vary")).replace(" ", "")) + ",";
        if (!varies.contains(",origin,") && !varies.contains(",*,")) {
            told.addAll(List.of("Vary", "Origin"));
        }
        return new StoredHeaders(told);
    }

    private List<String> values(String lowerCase) {
        List<String> values = new ArrayList<>();
        for (int i = 0; i < namesAndValues.size(); i += 2) {
            if (Characters.lowerCaseAscii(namesAndValues.get(i)).equals(lowerCase)) {
                values.add(namesAndValues.get(i + 1));
            }
        }
        return values;
    }

    /** Headers that an outer filter has set are replaced, not duplicated; its entries in shared lists stay. */
    void writeTo(HttpServletResponse response, boolean withBody) {
        Map<String, List<String>> before = new HashMap<>();
        for (int i = 0; i < namesAndValues.size(); i += 2) {
            String name = namesAndValues.get(i);
            String value = namesAndValues.get(i + 1);
            if (!withBody && name.startsWith("Content-") && !name.equals("Content-Location")) {
                continue;
            }
            String lowerCase = Characters.lowerCaseAscii(name);
            boolean first = !before.containsKey(lowerCase);
            List<String> there = before.computeIfAbsent(lowerCase, it -> List.copyOf(response.getHeaders(name)));
            if (first && !SHARED.contains(lowerCase)) {
                response.setHeader(name, value);
            } else if (!SHARED.contains(lowerCase) || !there.contains(value)) {
                response.addHeader(name, value);
            }
        }
    }
}
