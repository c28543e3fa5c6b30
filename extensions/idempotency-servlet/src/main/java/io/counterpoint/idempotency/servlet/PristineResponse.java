package io.counterpoint.idempotency.servlet;

import jakarta.servlet.http.HttpServletResponse;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/**
 * The state of a response before its handler saw it. If the handler's response is replaced, nothing of it may remain:
 * neither cookies, nor its encoding, nor part of a body. What outer filters have set stays.
 */
final class PristineResponse {

    private final HttpServletResponse response;
    private final Map<String, List<String>> headers = new LinkedHashMap<>();

    PristineResponse(HttpServletResponse response) {
        this.response = response;
        for (String name : response.getHeaderNames()) {
            headers.put(name, List.copyOf(response.getHeaders(name)));
        }
    }

    /**
     * Reverts what was done to the response since then.
     *
     * @throws IllegalStateException if the response is committed
     */
    void restore() {
        response.reset();
        headers.forEach((name, values) -> {
            response.setHeader(name, values.get(0));
            values.stream().skip(1).forEach(value -> response.addHeader(name, value));
        });
    }
}
