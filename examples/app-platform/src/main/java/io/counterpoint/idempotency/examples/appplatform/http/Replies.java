package io.counterpoint.idempotency.examples.appplatform.http;

import com.fasterxml.jackson.databind.ObjectMapper;
import io.counterpoint.idempotency.examples.appplatform.usecase.Refusal;
import jakarta.servlet.http.HttpServletResponse;
import java.io.IOException;
import java.util.LinkedHashMap;
import java.util.Map;

/** Sends responses as JSON. */
public final class Replies {

    private static final ObjectMapper MAPPER = new ObjectMapper();

    private Replies() {}

    /** Sends a record, a list or a map. */
    public static void answer(HttpServletResponse response, int status, Object content) throws IOException {
        send(response, status, "application/json", MAPPER.writeValueAsString(content));
    }

    public static void refusal(HttpServletResponse response, Refusal refusal) throws IOException {
        if (refusal.status() == 409 || refusal.status() == 503) {
            response.setHeader("Retry-After", "1");
        }
        if (refusal.status() == 401 && refusal.code().equals(Refusals.OPERATOR)) {
            response.setHeader("WWW-Authenticate", "Bearer");
        }
        problem(response, refusal.status(), refusal.code(), String.valueOf(refusal.getMessage()));
    }

    public static void problem(HttpServletResponse response, int status, String code, String detail)
            throws IOException {
        Map<String, Object> problem = new LinkedHashMap<>();
        problem.put("title", code);
        problem.put("status", status);
        problem.put("detail", detail);
        send(response, status, "application/problem+json", MAPPER.writeValueAsString(problem));
    }

    /** Sends a text. */
    public static void send(HttpServletResponse response, int status, String type, String json) throws IOException {
        response.setStatus(status);
        response.setContentType(type);
        response.setCharacterEncoding("UTF-8");
        response.getWriter().write(json);
    }
}
