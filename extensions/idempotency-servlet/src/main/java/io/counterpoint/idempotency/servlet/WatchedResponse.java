package io.counterpoint.idempotency.servlet;

import jakarta.servlet.ServletOutputStream;
import jakarta.servlet.WriteListener;
import jakarta.servlet.http.HttpServletResponse;
import jakarta.servlet.http.HttpServletResponseWrapper;
import java.io.IOException;
import java.io.PrintWriter;
import java.io.Writer;
import org.jspecify.annotations.Nullable;

/**
 * The response of a handler-managed request. An error whose request may have had an effect is marked. If unused keys
 * fail, no success is sent before the handler has requested the attempt of its request.
 */
final class WatchedResponse extends HttpServletResponseWrapper {

    private final IdempotentRequest known;
    private final boolean failsUnused;
    private @Nullable ServletOutputStream stream;
    private @Nullable PrintWriter writer;

    WatchedResponse(HttpServletResponse response, IdempotentRequest known, boolean failsUnused) {
        super(response);
        this.known = known;
        this.failsUnused = failsUnused;
    }

    /** Marks the response if it is an error that has not been sent yet. */
    void mark() {
        mark(getStatus());
    }

    private void mark(int status) {
        if (known.isMarked(status)) {
            setHeader(IdempotencyFilter.MAY_HAVE_EFFECT, "true");
        }
    }

    @Override
    public void setStatus(int status) {
        mark(status);
        super.setStatus(status);
    }

    /** Marked before the error is sent, because Tomcat accepts no headers afterwards. */
    @Override
    public void sendError(int status) throws IOException {
        mark(status);
        super.sendError(status);
    }

    @Override
    public void sendError(int status, @Nullable String message) throws IOException {
        mark(status);
        super.sendError(status, message);
    }

    private void requireUse() {
        if (failsUnused && !known.isUsed() && getStatus() < 400) {
            throw new UnusedKeyException();
        }
    }

    @Override
    public void flushBuffer() throws IOException {
        mark();
        requireUse();
        super.flushBuffer();
    }

    @Override
    public void sendRedirect(String location) throws IOException {
        requireUse();
        super.sendRedirect(location);
    }

    @Override
    public void reset() {
        super.reset();
        stream = null;
        writer = null;
    }

    @Override
    public ServletOutputStream getOutputStream() throws IOException {
        mark();
        if (!failsUnused) {
            return super.getOutputStream();
        }
        if (stream == null) {
            stream = new Stream(super.getOutputStream());
        }
        return stream;
    }

    @Override
    public PrintWriter getWriter() throws IOException {
        mark();
        if (!failsUnused) {
            return super.getWriter();
        }
        if (writer == null) {
            writer = new PrintWriter(new Characters(super.getWriter()));
        }
        return writer;
    }

    private final class Stream extends ServletOutputStream {
        private final ServletOutputStream target;

        Stream(ServletOutputStream target) {
            this.target = target;
        }

        @Override
        public void write(int value) throws IOException {
            requireUse();
            target.write(value);
        }

        @Override
        public void write(byte[] bytes, int offset, int count) throws IOException {
            requireUse();
            target.write(bytes, offset, count);
        }

        @Override
        public void flush() throws IOException {
            requireUse();
            target.flush();
        }

        @Override
        public void close() throws IOException {
            requireUse();
            target.close();
        }

        @Override
        public boolean isReady() {
            return target.isReady();
        }

        @Override
        public void setWriteListener(WriteListener listener) {
            target.setWriteListener(listener);
        }
    }

    private final class Characters extends Writer {
        private final Writer target;

        Characters(Writer target) {
            this.target = target;
        }

        @Override
        public void write(char[] characters, int offset, int count) throws IOException {
            requireUse();
            target.write(characters, offset, count);
        }

        @Override
        public void flush() throws IOException {
            requireUse();
            target.flush();
        }

        @Override
        public void close() throws IOException {
            requireUse();
            target.close();
        }
    }
}
