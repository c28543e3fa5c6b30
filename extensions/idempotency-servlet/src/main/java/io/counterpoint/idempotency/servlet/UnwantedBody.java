package io.counterpoint.idempotency.servlet;

import jakarta.servlet.http.HttpServletRequest;
import java.io.IOException;
import java.io.InputStream;

/** The body of a request that is refused. */
final class UnwantedBody {

    /** The largest that is read. */
    private static final int LARGEST = 64 * 1024;

    private UnwantedBody() {}

    /**
     * Reads a small body that nobody will. A connection with an unread one is closed, and its client may notice only with
     * the next request that it sends there.
     */
    static void read(HttpServletRequest request) throws IOException {
        long length = request.getContentLengthLong();
        if (length > 0 && length <= LARGEST && request.getHeader("Expect") == null) {
            try {
                InputStream body = request.getInputStream();
                byte[] chunk = new byte[8192];
                while (body.read(chunk) >= 0) {
                    // Nobody wants it.
                }
            } catch (IllegalStateException aReaderIsOpen) {
                // Another filter reads it.
            }
        }
    }
}
