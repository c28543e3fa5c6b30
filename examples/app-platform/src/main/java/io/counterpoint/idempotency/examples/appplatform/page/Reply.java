package io.counterpoint.idempotency.examples.appplatform.page;

import static java.nio.charset.StandardCharsets.UTF_8;

import io.counterpoint.idempotency.programs.Json;
import jakarta.servlet.http.HttpServletResponse;
import java.io.IOException;
import java.util.Map;

/** What the page's server answers. */
final class Reply {

    private Reply() {}

    static void json(HttpServletResponse response, int status, Object content) throws IOException {
        send(response, status, "application/json", Json.of(content).toString());
    }

    static void problem(HttpServletResponse response, int status, String detail) throws IOException {
        send(
                response,
                status,
                "application/problem+json",
                Json.of(Map.of("status", status, "detail", detail)).toString());
    }

    static void send(HttpServletResponse response, int status, String type, String text) throws IOException {
        response.setStatus(status);
        response.setContentType(type + ";charset=utf-8");
        response.getOutputStream().write(text.getBytes(UTF_8));
    }
}
