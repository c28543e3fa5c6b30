package io.counterpoint.idempotency.examples.appplatform.page;

import static java.nio.charset.StandardCharsets.UTF_8;

import jakarta.servlet.http.HttpServlet;
import jakarta.servlet.http.HttpServletRequest;
import jakarta.servlet.http.HttpServletResponse;
import java.io.IOException;
import java.io.InputStream;
import java.util.Objects;
import java.util.UUID;

/** The page itself: one file, whose script and style run because the answer names them, and no other does. */
final class HtmlServlet extends HttpServlet {
    private static final long serialVersionUID = 1L;

    /** Stands in the file where the answer's nonce goes. */
    private static final String NONCE = "{{nonce}}";

    @Override
    protected void doGet(HttpServletRequest request, HttpServletResponse response) throws IOException {
        if (!request.getRequestURI().equals("/")) {
            Reply.problem(response, 404, "There is no such page.");
            return;
        }
        String nonce = UUID.randomUUID().toString();
        response.setHeader(
                "Content-Security-Policy",
                "default-src 'none'; script-src 'nonce-" + nonce + "'; style-src 'nonce-" + nonce
                        + "'; connect-src 'self'; img-src data:; base-uri 'none'; form-action 'none';"
                        + " frame-ancestors 'none'");
        try (InputStream in = Objects.requireNonNull(HtmlServlet.class.getResourceAsStream("page.html"))) {
            Reply.send(response, 200, "text/html", new String(in.readAllBytes(), UTF_8).replace(NONCE, nonce));
        }
    }
}
