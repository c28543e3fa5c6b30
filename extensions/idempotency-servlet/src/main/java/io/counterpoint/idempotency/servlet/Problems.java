package io.counterpoint.idempotency.servlet;

import io.counterpoint.idempotency.IdempotencyException;
import jakarta.servlet.http.HttpServletRequest;
import jakarta.servlet.http.HttpServletResponse;
import java.io.IOException;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.time.Duration;

/** Writes problems. What a client sent is never repeated, except the path. */
record Problems(URI documentation, Duration retryAfter) {

    void write(Problem problem, String detail, HttpServletRequest request, HttpServletResponse response)
            throws IOException {
        write(problem, problem.status(), detail, "", request, response);
    }

    void write(IdempotencyException told, HttpServletRequest request, HttpServletResponse response) throws IOException {
        String more = told instanceof IdempotencyException.RejectedException rejected
                ? member("failure", rejected.failure().code())
                        + (rejected.failure().message().isEmpty()
                                ? ""
                                : member("failureMessage", rejected.failure().message()))
                : "";
        write(Problem.of(told), Problem.of(told).status(), Problem.detailOf(told), more, request, response);
    }

    /** The answer to a retry whose first answer was too large: its status, and where the effect can be found. */
    void writeNotKept(int status, String reference, HttpServletRequest request, HttpServletResponse response)
            throws IOException {
        write(
                Problem.ANSWER_NOT_KEPT,
                status,
                "Its answer was too large to keep; it is not carried out again.",
                member("reference", reference),
                request,
                response);
    }

    private void write(
            Problem problem,
            int status,
            String detail,
            String more,
            HttpServletRequest request,
            HttpServletResponse response)
            throws IOException {
        String body = "{" + member("type", documentation + "#" + problem.slug()).substring(1)
                + member("title", problem.title())
                + ",\"status\":" + status
                + member("detail", detail)
                + member("instance", request.getRequestURI())
                + (problem.retryable() == null ? "" : ",\"retryable\":" + problem.retryable())
                + more
                + "}";
        byte[] bytes = body.getBytes(StandardCharsets.UTF_8);
        response.setStatus(status);
        response.setHeader("Cache-Control", "no-store");
        response.addHeader("Link", "<" + documentation + ">; rel=\"describedby\"");
        if (Boolean.TRUE.equals(problem.retryable())) {
            response.setHeader("Retry-After", Long.toString(Math.max(1, retryAfter.toSeconds())));
        }
        response.setContentType("application/problem+json");
        response.setContentLength(bytes.length);
        response.getOutputStream().write(bytes);
    }

    private static String member(String name, String text) {
        return ",\"" + name + "\":" + quoted(text);
    }

    /** A JSON string (RFC 8259, section 7). Half a surrogate pair, which has no UTF-8, is escaped. */
    static String quoted(String text) {
        StringBuilder json = new StringBuilder(text.length() + 2).append('"');
        for (int i = 0; i < text.length(); ) {
            int character = text.codePointAt(i);
            i += Character.charCount(character);
            if (character == '"' || character == '\\') {
                json.append('\\').append((char) character);
            } else if (character < 0x20 || Character.getType(character) == Character.SURROGATE) {
                json.append(String.format("\\u%04x", character));
            } else {
                json.appendCodePoint(character);
            }
        }
        return json.append('"').toString();
    }
}
