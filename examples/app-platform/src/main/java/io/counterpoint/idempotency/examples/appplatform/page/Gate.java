package io.counterpoint.idempotency.examples.appplatform.page;

import static java.nio.charset.StandardCharsets.UTF_8;

import jakarta.servlet.FilterChain;
import jakarta.servlet.ServletException;
import jakarta.servlet.http.HttpFilter;
import jakarta.servlet.http.HttpServletRequest;
import jakarta.servlet.http.HttpServletResponse;
import java.io.IOException;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.Collections;
import java.util.List;
import java.util.Set;

/**
 * Before everything: the page can kill processes, so only its own visitor may use it. A request with another Host, or from
 * another origin, is refused. So is one without the token, which is compared in constant time.
 */
final class Gate extends HttpFilter {
    private static final long serialVersionUID = 1L;

    /** The header of actions. A page of another origin cannot send it without being asked first, and is refused then. */
    static final String HEADER = "Page-Token";

    /** In the address of the page and of its events, where a browser can send no header. */
    static final String PARAMETER = "token";

    private static final Set<String> OWN_SITES = Set.of("same-origin", "none");

    private final transient byte[] digest;

    Gate(String token) {
        digest = sha256(token);
    }

    @Override
    protected void doFilter(HttpServletRequest request, HttpServletResponse response, FilterChain chain)
            throws IOException, ServletException {
        response.setHeader("Cache-Control", "no-store");
        response.setHeader("Referrer-Policy", "no-referrer");
        response.setHeader("X-Content-Type-Options", "nosniff");
        response.setHeader("X-Frame-Options", "DENY");
        response.setHeader("Cross-Origin-Resource-Policy", "same-origin");
        int port = request.getLocalPort();
        List<String> hosts = List.of("127.0.0.1:" + port, "localhost:" + port);
        List<String> host = Collections.list(request.getHeaders("Host"));
        List<String> origin = Collections.list(request.getHeaders("Origin"));
        if (host.size() != 1 || !hosts.contains(host.get(0))) {
            Reply.problem(response, 421, "This page is at " + hosts.get(0) + " only.");
        } else if (!isOwn(origin, host.get(0))
                || !OWN_SITES.containsAll(Collections.list(request.getHeaders("Sec-Fetch-Site")))) {
            Reply.problem(response, 403, "Only the page itself may ask this.");
        } else if (!MessageDigest.isEqual(digest, sha256(token(request)))) {
            Reply.problem(response, 401, "Open the address with its token, as the program printed it.");
        } else {
            chain.doFilter(request, response);
        }
    }

    /** A browser sends the origin with every action. */
    private static boolean isOwn(List<String> origin, String host) {
        return origin.isEmpty() || origin.equals(List.of("http://" + host));
    }

    private static String token(HttpServletRequest request) {
        String sent = request.getMethod().equals("GET") ? request.getParameter(PARAMETER) : request.getHeader(HEADER);
        return sent == null ? "" : sent;
    }

    private static byte[] sha256(String text) {
        try {
            return MessageDigest.getInstance("SHA-256").digest(text.getBytes(UTF_8));
        } catch (NoSuchAlgorithmException everyJdkHasIt) {
            throw new IllegalStateException(everyJdkHasIt);
        }
    }
}
