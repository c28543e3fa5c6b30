package io.counterpoint.idempotency.examples.appplatform;

import jakarta.servlet.http.Cookie;
import jakarta.servlet.http.HttpServletRequest;
import jakarta.servlet.http.HttpServletResponse;
import java.time.Duration;
import java.util.Arrays;
import java.util.stream.Stream;

/**
 * A declared read: what can be read, and when it shows a write. Routes follow this declaration, and the README has it
 * as a table.
 *
 * @param path where it is read with GET
 * @param level when it shows a write
 * @param from the source of the data
 */
record Read(String path, Level level, String from) {

    /** The consistency levels in the README. */
    enum Level {
        /** Immediately, on every node, for everybody. */
        STRONG,
        /** Immediately, on every node, for the session that wrote; for others, within the cache's bound. */
        SESSION,
        /** Within its bound. */
        EVENTUAL
    }

    private static final String MARK = "read-your-writes";

    /**
     * After this, no cache can return a value from before the write. The margin allows for clients with a fast clock.
     */
    private static final Duration MARKED = ShownApps.BOUND.lag().plusSeconds(5);

    /** Marks the client's session before it writes, because the write may succeed even if the response is an error. */
    static void marksSession(HttpServletResponse response) {
        Cookie mark = new Cookie(MARK, "1");
        mark.setPath("/");
        mark.setMaxAge((int) MARKED.toSeconds());
        mark.setHttpOnly(true);
        mark.setAttribute("SameSite", "Lax");
        response.addCookie(mark);
    }

    /** Whether the response may come from a cache. */
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
