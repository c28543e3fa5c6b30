package io.counterpoint.idempotency.examples.appplatform.page;

import static java.nio.charset.StandardCharsets.UTF_8;

import io.counterpoint.idempotency.examples.appplatform.http.Replies;
import jakarta.servlet.FilterChain;
import jakarta.servlet.ServletException;
import jakarta.servlet.http.HttpFilter;
import jakarta.servlet.http.HttpServletRequest;
import jakarta.servlet.http.HttpServletResponse;
import java.io.IOException;
import java.security.MessageDigest;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.Set;

/**
 * Runs before everything else. The page can kill processes, so only the user who opened it may use it: a request with a
 * foreign Host or Origin is refused, and so is one without the token, which is compared in constant time.
 */
final class Gate extends HttpFilter {
    private static final long serialVersionUID = 1L;

    /**
     * The header that actions require. A page of another origin cannot send it without a CORS preflight request, which
     * is refused.
     */
    static final String HEADER = "Page-Token";

    /** The token's name in the URLs of the page and its events, where a browser cannot send a header. */
    static final String PARAMETER = "token";

    private static final Set<String> OWN_SITES = Set.of("same-origin", "none");
    private static final Map<String, String> HEADERS = Map.of(
            "Cache-Control", "no-store",
            "Referrer-Policy", "no-referrer",
            "X-Content-Type-Options", "nosniff",
            "X-Frame-Options", "DENY",
            "Cross-Origin-Resource-Policy", "same-origin");

    private final String token;

    Gate(String token) {
        this.token = token;
    }

    @Override
    protected void doFilter(HttpServletRequest request, HttpServletResponse response, FilterChain chain)
            throws IOException, ServletException {
        HEADERS.forEach(response::setHeader);
        String host = "127.0.0.1:" + request.getLocalPort();
        String sent = request.getHeader("Host");
        List<String> origin = Collections.list(request.getHeaders("Origin"));
        List<String> site = Collections.list(request.getHeaders("Sec-Fetch-Site"));
        if (!host.equals(sent) && !("localhost:" + request.getLocalPort()).equals(sent)) {
            Replies.problem(response, 421, "elsewhere", "This page is available at " + host + " only.");
        } else if (!OWN_SITES.containsAll(site) || !Set.of("http://" + sent).containsAll(origin)) {
            Replies.problem(response, 403, "foreign", "Only the page itself may request this.");
        } else if (!MessageDigest.isEqual(token.getBytes(UTF_8), token(request).getBytes(UTF_8))) {
            Replies.problem(
                    response, 401, "token-required", "Open the address with its token, as the program printed it.");
        } else {
            chain.doFilter(request, response);
        }
    }

    private static String token(HttpServletRequest request) {
        String sent = request.getMethod().equals("GET") ? request.getParameter(PARAMETER) : request.getHeader(HEADER);
        return sent == null ? "" : sent;
    }
}
