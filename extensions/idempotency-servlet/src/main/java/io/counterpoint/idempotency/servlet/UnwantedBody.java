package io.counterpoint.idempotency.servlet;

import jakarta.servlet.http.HttpServletRequest;
import java.io.IOException;
import java.io.InputStream;

/** The body of a rejected request. */
final class UnwantedBody {

    /** The maximum size that is read. */
    private static final int LARGEST = 64 * 1024;

    private UnwantedBody() {}

    /**
     * Reads a small body that nobody else will. A connection with an unread body is closed, and the client may notice
     * only on its next request.
     */
    static void read(HttpServletRequest request) throws IOException {
        long length = request.getContentLengthLong();
        if (length > 0 && length <= LARGEST && request.getHeader("Expect") == null) {
            try {
                InputStream body = request.getInputStream();
                byte[] chunk = new byte[8192];
                while (body.read(chunk) >= 0) {
                    // The body is not needed.
                }
            } catch (IllegalStateException aReaderIsOpen) {
                // Another filter reads it.
            }
        }
    }
}
