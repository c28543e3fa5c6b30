package io.counterpoint.idempotency.servlet;

import jakarta.servlet.http.HttpServletResponse;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/**
 * What a response was before its handler saw it. Where the handler's answer is replaced, nothing of it may be
 * left: neither its cookies, nor its encoding, nor half a body. What outer filters have set stays.
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
     * Takes back what was done to the response since.
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
