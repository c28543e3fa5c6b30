package io.counterpoint.idempotency.examples.appplatform;

import jakarta.servlet.http.Cookie;
import jakarta.servlet.http.HttpServletRequest;
import jakarta.servlet.http.HttpServletResponse;
import java.time.Duration;
import java.util.Arrays;
import java.util.stream.Stream;

/**
 * What can be read, and when it shows a write. It is declared once: the route goes by it, and the documentation has it in a
 * table.
 *
 * @param path where it is asked for, with GET
 * @param level when it shows a write
 * @param from where it is read
 */
record Read(String path, Level level, String from) {

    /** The levels of the document. */
    enum Level {
        /** At once, at every node, for everybody. */
        STRONG,
        /** At once, at every node, for the session that has written; for others within the bound of the cache. */
        SESSION,
        /** Within its bound. */
        EVENTUAL
    }

    private static final String MARK = "read-your-writes";

    /** No cache shows any more what it read before a write; clients may count seconds faster. */
    private static final Duration MARKED = ShownApps.BOUND.lag().plusSeconds(5);

    /** Marks the client's session before it writes: the write may happen though its answer is an error. */
    static void marksSession(HttpServletResponse response) {
        Cookie mark = new Cookie(MARK, "1");
        mark.setPath("/");
        mark.setMaxAge((int) MARKED.toSeconds());
        mark.setHttpOnly(true);
        mark.setAttribute("SameSite", "Lax");
        response.addCookie(mark);
    }

    /** Whether a cache may answer. */
    boolean mayBeCached(HttpServletRequest request) {
        return switch (level) {
            case STRONG -> false;
            case SESSION ->
                Stream.ofNullable(request.getCookies())
                        .flatMap(Arrays::stream)
                        .noneMatch(cookie -> cookie.getName().equals(MARK));
            case EVENTUAL -> true;
        };
    }
}
