package io.counterpoint.idempotency.servlet;

import jakarta.servlet.ServletOutputStream;
import jakarta.servlet.http.HttpServletResponse;
import jakarta.servlet.http.HttpServletResponseWrapper;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.PrintWriter;
import java.io.UncheckedIOException;
import java.nio.charset.Charset;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * The response as its handler sees it: held back until the record says what became of the request, and remembered.
 *
 * <p>What is larger than the cap, and what an asynchronous handler writes, goes to the client at once.
 */
final class CapturedResponse extends HttpServletResponseWrapper {

    private final int cap;
    private final Set<String> kept;

    /** What the handler has written; null once that was more than the cap. */
    private @Nullable ByteArrayOutputStream captured = new ByteArrayOutputStream();

    private boolean through;

    /** The headers as they were before the first byte went to the client. */
    private @Nullable StoredHeaders sent;

    /** Whether the handler has called {@code sendError}, and with what. */
    private boolean failed;

    private @Nullable String error;

    private @Nullable ServletOutputStream stream;
    private @Nullable PrintWriter writer;

    CapturedResponse(HttpServletResponse response, int cap, Set<String> keptHeaders) {
        super(response);
        this.cap = cap;
        this.kept = keptHeaders;
    }

    /** The response as it is now, ready to be stored. */
    synchronized StoredResponse toStored() {
        if (failed) {
            return StoredResponse.ofError(getStatus(), error);
        }
        StoredHeaders headers = sent != null ? sent : StoredHeaders.of(this, kept);
        return captured == null
                ? StoredResponse.withoutBody(getStatus(), headers)
                : StoredResponse.of(getStatus(), headers, captured.toByteArray());
    }

    /** Lets everything go to the client from now on, beginning with what was held back. */
    synchronized void writeThrough() {
        through = true;
        try {
            if (failed) {
                sendErrorNow();
            } else if (captured != null && captured.size() > 0) {
                toClient().write(captured.toByteArray());
            }
        } catch (IOException clientGone) {
            throw new UncheckedIOException(clientGone);
        }
    }

    private void sendErrorNow() throws IOException {
        if (error == null) {
            super.sendError(getStatus());
        } else {
            super.sendError(getStatus(), error);
        }
    }

    /** Sends what was held back. */
    synchronized void send() throws IOException {
        if (!through) {
            try {
                writeThrough();
            } catch (UncheckedIOException clientGone) {
                throw clientGone.getCause();
            }
        }
    }

    /** Discards what was held back: the handler's answer is replaced. */
    synchronized void discard() {
        captured = new ByteArrayOutputStream();
        failed = false;
    }

    /** The container's stream. Headers are what they are when it is opened. */
    ServletOutputStream toClient() throws IOException {
        if (sent == null) {
            sent = StoredHeaders.of(this, kept);
        }
        return getResponse().getOutputStream();
    }

    /** Whether the client gets what the handler writes at once. */
    boolean isThrough() {
        return through;
    }

    /** Takes what the handler writes. */
    synchronized void write(byte[] bytes, int offset, int count) throws IOException {
        if (failed && !through) {
            // As the container has it: an error page has no other content.
            return;
        }
        if (captured != null && captured.size() + count > cap) {
            if (!through) {
                send();
                through = true;
            }
            captured = null;
        }
        if (captured != null) {
            captured.write(bytes, offset, count);
        }
        if (through) {
            toClient().write(bytes, offset, count);
        }
    }

    @Override
    public ServletOutputStream getOutputStream() {
        if (writer != null) {
            throw new IllegalStateException("getWriter() was called for this response.");
        }
        if (stream == null) {
            stream = new CapturedStream(this);
        }
        return stream;
    }

    @Override
    public PrintWriter getWriter() {
        if (stream != null) {
            throw new IllegalStateException("getOutputStream() was called for this response.");
        }
        if (writer == null) {
            String type = getContentType();
            Charset charset = Charset.forName(getCharacterEncoding());
            if (type != null && type.startsWith("text/") && !type.contains("charset")) {
                setCharacterEncoding(charset.name());
            }
            writer = new PrintWriter(new CapturedWriter(this, charset));
        }
        return writer;
    }

    @Override
    public synchronized void flushBuffer() throws IOException {
        if (through) {
            toClient();
            super.flushBuffer();
        }
    }

    @Override
    public synchronized void reset() {
        super.reset();
        stream = null;
        writer = null;
        captured = new ByteArrayOutputStream();
    }

    @Override
    public synchronized void resetBuffer() {
        super.resetBuffer();
        captured = new ByteArrayOutputStream();
    }

    /** Held back like all else: the container's would commit the response. */
    @Override
    public synchronized void sendError(int status, @Nullable String message) throws IOException {
        if (isCommitted()) {
            throw new IllegalStateException("The response is committed.");
        }
        resetBuffer();
        setStatus(status);
        failed = true;
        error = message;
        if (through) {
            sendErrorNow();
        }
    }

    @Override
    public synchronized boolean isCommitted() {
        return failed || super.isCommitted();
    }

    @Override
    public void sendError(int status) throws IOException {
        sendError(status, null);
    }

    @Override
    public void sendRedirect(String location) {
        sendRedirect(location, SC_FOUND, true);
    }

    /** Overrides what Servlet 6.1 has added, and so do the next two. */
    @SuppressWarnings("MissingOverride")
    public void sendRedirect(String location, boolean clearBuffer) {
        sendRedirect(location, SC_FOUND, clearBuffer);
    }

    @SuppressWarnings("MissingOverride")
    public void sendRedirect(String location, int status) {
        sendRedirect(location, status, true);
    }

    /** The container's would commit the response. */
    @SuppressWarnings("MissingOverride")
    public void sendRedirect(String location, int status, boolean clearBuffer) {
        if (clearBuffer) {
            resetBuffer();
        }
        setStatus(status);
        setHeader("Location", location);
    }
}
