package io.counterpoint.idempotency.servlet;

import jakarta.servlet.ServletOutputStream;
import jakarta.servlet.ServletResponse;
import jakarta.servlet.ServletResponseWrapper;
import jakarta.servlet.http.HttpServletResponse;
import jakarta.servlet.http.HttpServletResponseWrapper;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.PrintWriter;
import java.io.UncheckedIOException;
import java.io.Writer;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Proxy;
import java.nio.charset.Charset;
import java.nio.charset.StandardCharsets;
import java.util.Collection;
import java.util.List;
import java.util.Locale;
import java.util.Set;
import java.util.function.IntPredicate;
import org.jspecify.annotations.Nullable;

/**
 * The response as its handler sees it: recorded, and held back until the outcome of the request is stored.
 *
 * <p>A response that exceeds the cap, and the output of an asynchronous handler, go to the client immediately. The
 * container's own stream or writer is opened together with the handler's, so media type and charset are the same as
 * without this class.
 */
final class CapturedResponse extends HttpServletResponseWrapper {

    private static final String LANGUAGE = "Content-Language";

    private final int cap;
    private final Set<String> kept;

    /** What the handler has written; null once that exceeds the cap. */
    private @Nullable ByteArrayOutputStream captured = new ByteArrayOutputStream();

    private boolean through;
    private boolean asynchronous;

    /** Whether the handler has called {@code sendError}, and its message. */
    private boolean failed;

    private @Nullable String error;

    /**
     * Whether the handler, or the container after a forward, has ended the response, so that nothing more is accepted.
     */
    private boolean closed;

    /** The last status that was requested, even if too late. */
    private int asked;

    /** The language, for containers such as Tomcat that have no header for it until they commit the response. */
    private @Nullable String language;

    private @Nullable CapturedStream stream;
    private @Nullable PrintWriter writer;
    private @Nullable Charset encodesIn;

    /** The container's stream and writer, at most one of which is open. */
    private @Nullable ServletOutputStream clientStream;

    private @Nullable PrintWriter clientWriter;

    private IntPredicate doubtful = status -> false;

    CapturedResponse(HttpServletResponse response, int cap, Set<String> keptHeaders) {
        super(response);
        this.cap = cap;
        this.kept = keptHeaders;
        this.asked = response.getStatus();
    }

    /**
     * Returns this response as the handler gets it. After a forward, Tomcat ends the innermost response that the
     * wrappers lead to, regardless of what they hold back, so on Tomcat they lead no further than this one. Jetty does
     * not end it and must be able to find its own.
     */
    HttpServletResponse forHandler() {
        ServletResponse innermost = getResponse();
        while (innermost instanceof ServletResponseWrapper wrapper) {
            innermost = wrapper.getResponse();
        }
        if (!innermost.getClass().getName().startsWith("org.apache.catalina.")) {
            return this;
        }
        Object end = Proxy.newProxyInstance(
                HttpServletResponse.class.getClassLoader(),
                new Class<?>[] {HttpServletResponse.class},
                (proxy, method, arguments) -> {
                    try {
                        return method.invoke(this, arguments);
                    } catch (InvocationTargetException thrown) {
                        throw thrown.getCause();
                    }
                });
        return new HttpServletResponseWrapper((HttpServletResponse) end);
    }

    /** Returns the current response, ready to be stored. */
    synchronized StoredResponse toStored() {
        // Once sent, they do not change any more.
        StoredHeaders headers = StoredHeaders.of(this, kept);
        if (failed) {
            return StoredResponse.ofError(getStatus(), error, headers);
        }
        boolean without = getStatus() == SC_NO_CONTENT || getStatus() == SC_NOT_MODIFIED;
        if (without || (captured == null && getStatus() == SC_RESET_CONTENT)) {
            // No matter what was written, there is no content to store.
            return StoredResponse.of(getStatus(), headers, new byte[0]);
        }
        return captured == null
                ? StoredResponse.withoutBody(getStatus(), headers)
                : StoredResponse.of(getStatus(), headers, captured.toByteArray());
    }

    /** The last status that was requested. It differs from the response's own if that was already sent. */
    synchronized int lastAsked() {
        return asked;
    }

    /** The handler continues after its return: what was held back and what it writes goes to the client immediately. */
    synchronized void goAsynchronous() {
        asynchronous = true;
        try {
            send();
        } catch (IOException clientGone) {
            throw new UncheckedIOException(clientGone);
        }
    }

    /** Sends what was held back and passes everything on to the client from now on. */
    synchronized void send() throws IOException {
        if (through) {
            return;
        }
        through = true;
        if (failed) {
            sendErrorNow();
        } else if (captured != null && captured.size() > 0) {
            byte[] bytes = captured.toByteArray();
            if (clientWriter != null) {
                clientWriter.write(new String(bytes, charset()));
            } else if (clientStream != null) {
                clientStream.write(bytes);
            }
        }
    }

    private void sendErrorNow() throws IOException {
        if (error == null) {
            super.sendError(getStatus());
        } else {
            super.sendError(getStatus(), error);
        }
    }

    /** Discards what was held back, because the handler's response is replaced. */
    synchronized void discard() {
        captured = new ByteArrayOutputStream();
        failed = false;
    }

    /** Whether the handler's output goes to the client immediately. */
    boolean isThrough() {
        return through;
    }

    /** Accepts what the handler writes to its stream. */
    synchronized void write(byte[] bytes, int offset, int count) throws IOException {
        if (goesThrough(bytes, offset, count) && clientStream != null) {
            clientStream.write(bytes, offset, count);
        }
    }

    /** Accepts what the handler writes to its writer, both as text and encoded. */
    synchronized void write(String text, byte[] encoded) throws IOException {
        if (goesThrough(encoded, 0, encoded.length) && clientWriter != null) {
            clientWriter.write(text);
        }
    }

    /** Stores what there is room for. Returns whether the client gets it now. */
    private boolean goesThrough(byte[] bytes, int offset, int count) throws IOException {
        if (failed || closed) {
            // As in the container, neither an error page nor a response that has ended accepts more content.
            return false;
        }
        if (captured != null && captured.size() + count > cap) {
            send();
            captured = null;
        }
        if (captured != null) {
            captured.write(bytes, offset, count);
        }
        return through;
    }

    /** Called when the handler closes its stream or writer. This ends only an asynchronous response. */
    synchronized void close() throws IOException {
        if (asynchronous && !closed) {
            if (clientWriter != null) {
                clientWriter.close();
            } else if (clientStream != null) {
                clientStream.close();
            }
        }
        closed = true;
    }

    @Override
    public synchronized ServletOutputStream getOutputStream() throws IOException {
        ServletOutputStream opened = super.getOutputStream();
        if (stream == null) {
            stream = new CapturedStream(this, opened);
            clientStream = opened;
            clientWriter = null;
        }
        return stream;
    }

    @Override
    public synchronized PrintWriter getWriter() throws IOException {
        if (failed && !through) {
            // After a forward, Tomcat closes even the writer of an error: opening it for that would set the charset of
            // the page.
            return new PrintWriter(Writer.nullWriter());
        }
        PrintWriter opened = super.getWriter();
        Charset charset = charset();
        if (writer != null && !charset.equals(encodesIn)) {
            // The charset of an open writer never changes: Jetty has cleared the response for a forward.
            captured = captured == null ? null : new ByteArrayOutputStream();
            writer = null;
        }
        if (writer == null) {
            encodesIn = charset;
            writer = new PrintWriter(new CapturedWriter(this, charset));
            clientWriter = opened;
            clientStream = null;
        }
        return writer;
    }

    /** The charset of the container's writer. Jetty does not report it if the media type is not text. */
    private Charset charset() {
        String name = getCharacterEncoding();
        return name == null ? StandardCharsets.ISO_8859_1 : Charset.forName(name);
    }

    @Override
    public synchronized void flushBuffer() throws IOException {
        if (through) {
            super.flushBuffer();
        }
    }

    @Override
    public synchronized void reset() {
        requireOpen();
        super.reset();
        asked = getStatus();
        language = null;
        stream = null;
        writer = null;
        captured = new ByteArrayOutputStream();
    }

    @Override
    public synchronized void resetBuffer() {
        requireOpen();
        super.resetBuffer();
        captured = new ByteArrayOutputStream();
    }

    private void requireOpen() {
        if (isCommitted()) {
            throw new IllegalStateException("The response is already committed.");
        }
    }

    @Override
    public synchronized void setStatus(int status) {
        asked = status;
        if (!isCommitted()) {
            super.setStatus(status);
            if (through) {
                mark();
            }
        }
    }

    /** Sets which statuses leave the effect unknown. */
    void markIf(IntPredicate doubtful) {
        this.doubtful = doubtful;
    }

    /** Adds the header if the status leaves the effect unknown. */
    void mark() {
        if (doubtful.test(getStatus())) {
            super.setHeader(IdempotencyFilter.MAY_HAVE_EFFECT, "true");
        }
    }

    @Override
    public synchronized void setLocale(Locale locale) {
        super.setLocale(locale);
        String tag = locale.toLanguageTag();
        language = tag.equals(getHeader(LANGUAGE)) ? null : tag;
    }

    /** Tomcat stores the language, and Tomcat 10.1 the media type, outside the headers. */
    @Override
    public synchronized Collection<String> getHeaders(String name) {
        int status = getStatus();
        boolean hasContent = status != SC_NO_CONTENT && status != SC_RESET_CONTENT && status != SC_NOT_MODIFIED;
        if (language != null && hasContent && name.equals(LANGUAGE)) {
            return List.of(language);
        }
        Collection<String> values = super.getHeaders(name);
        String type = getContentType();
        return values.isEmpty() && type != null && name.equals("Content-Type") ? List.of(type) : values;
    }

    /** Held back like everything else: the container's method would commit the response. */
    @Override
    public synchronized void sendError(int status, @Nullable String message) throws IOException {
        if (status < 200) {
            // As in Jetty: an interim response, not this one.
            super.sendError(status);
            return;
        }
        asked = status;
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
        return failed || closed || super.isCommitted();
    }

    @Override
    public void sendError(int status) throws IOException {
        sendError(status, null);
    }

    @Override
    public void sendRedirect(String location) throws IOException {
        sendRedirect(location, SC_FOUND, true);
    }

    /** Overrides a method added in Servlet 6.1, as do the next two. */
    @SuppressWarnings("MissingOverride")
    public void sendRedirect(String location, boolean clearBuffer) throws IOException {
        sendRedirect(location, SC_FOUND, clearBuffer);
    }

    @SuppressWarnings("MissingOverride")
    public void sendRedirect(String location, int status) throws IOException {
        sendRedirect(location, status, true);
    }

    /** The container's method would commit the response, as it does for an asynchronous handler. */
    @SuppressWarnings("MissingOverride")
    public synchronized void sendRedirect(String location, int status, boolean clearBuffer) throws IOException {
        requireOpen();
        if (clearBuffer) {
            resetBuffer();
        }
        setStatus(status);
        if (through && clearBuffer && status == SC_FOUND) {
            super.sendRedirect(location);
        } else {
            setHeader("Location", location);
        }
        closed = true;
    }
}
