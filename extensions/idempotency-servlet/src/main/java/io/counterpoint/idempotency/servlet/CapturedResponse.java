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
 * The response as its handler sees it: held back until the record says what became of the request, and remembered.
 *
 * <p>What is larger than the cap, and what an asynchronous handler writes, goes to the client at once. The container's own
 * stream or writer is opened with the handler's: so media type and charset are what they would be without this.
 */
final class CapturedResponse extends HttpServletResponseWrapper {

    private static final String LANGUAGE = "Content-Language";

    private final int cap;
    private final Set<String> kept;

    /** What the handler has written; null once that was more than the cap. */
    private @Nullable ByteArrayOutputStream captured = new ByteArrayOutputStream();

    private boolean through;
    private boolean asynchronous;

    /** Whether the handler has called {@code sendError}, and with what. */
    private boolean failed;

    private @Nullable String error;

    /** Whether the handler, or the container after a forward, has ended the response: nothing more is taken. */
    private boolean closed;

    /** The last status that was asked for, be it too late. */
    private int asked;

    /** The language of a container that has no header of it until it commits the response, as Tomcat. */
    private @Nullable String language;

    private @Nullable CapturedStream stream;
    private @Nullable PrintWriter writer;
    private @Nullable Charset encodesIn;

    /** The container's, of which one at most is open. */
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
     * This, as the handler gets it. After a forward, Tomcat ends the innermost response that wrappers lead to, whatever they
     * hold back. So on Tomcat they lead to no further than to this. Jetty does not end it, and has to find its own.
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

    /** The response as it is now, ready to be stored. */
    synchronized StoredResponse toStored() {
        // On their way they do not change any more.
        StoredHeaders headers = StoredHeaders.of(this, kept);
        if (failed) {
            return StoredResponse.ofError(getStatus(), error, headers);
        }
        boolean without = getStatus() == SC_NO_CONTENT || getStatus() == SC_NOT_MODIFIED;
        if (without || (captured == null && getStatus() == SC_RESET_CONTENT)) {
            // Whatever was written: there is no content to keep.
            return StoredResponse.of(getStatus(), headers, new byte[0]);
        }
        return captured == null
                ? StoredResponse.withoutBody(getStatus(), headers)
                : StoredResponse.of(getStatus(), headers, captured.toByteArray());
    }

    /** The last status that was asked for. It is not the response's own if that was on its way. */
    synchronized int lastAsked() {
        return asked;
    }

    /** The handler goes on after its return: what was held back and what it writes goes to the client at once. */
    synchronized void goAsynchronous() {
        asynchronous = true;
        try {
            send();
        } catch (IOException clientGone) {
            throw new UncheckedIOException(clientGone);
        }
    }

    /** Sends what was held back, and lets everything go to the client from now on. */
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

    /** Discards what was held back: the handler's answer is replaced. */
    synchronized void discard() {
        captured = new ByteArrayOutputStream();
        failed = false;
    }

    /** Whether the client gets what the handler writes at once. */
    boolean isThrough() {
        return through;
    }

    /** Takes what the handler writes to its stream. */
    synchronized void write(byte[] bytes, int offset, int count) throws IOException {
        if (goesThrough(bytes, offset, count) && clientStream != null) {
            clientStream.write(bytes, offset, count);
        }
    }

    /** Takes what the handler writes to its writer, as it is and encoded. */
    synchronized void write(String text, byte[] encoded) throws IOException {
        if (goesThrough(encoded, 0, encoded.length) && clientWriter != null) {
            clientWriter.write(text);
        }
    }

    /** Keeps what there is room for. Whether the client gets it now. */
    private boolean goesThrough(byte[] bytes, int offset, int count) throws IOException {
        if (failed || closed) {
            // As the container has it: neither an error page nor a response that has ended has further content.
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

    /** The handler has closed its stream or its writer. Only an asynchronous answer ends with that. */
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
            // After a forward, Tomcat closes the writer also of an error: opened for that, it would give the page its
            // charset.
            return new PrintWriter(Writer.nullWriter());
        }
        PrintWriter opened = super.getWriter();
        Charset charset = charset();
        if (writer != null && !charset.equals(encodesIn)) {
            // No open writer changes its charset: Jetty has cleared the response for a forward.
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

    /** That of the container's writer. Jetty has no name for it where the media type is no text. */
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

    /** Says with a status that leaves the effect unknown that it does. */
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

    /** Tomcat keeps the language, and Tomcat 10.1 the media type, elsewhere than in the headers. */
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

    /** Held back like all else: the container's would commit the response. */
    @Override
    public synchronized void sendError(int status, @Nullable String message) throws IOException {
        if (status < 200) {
            // As Jetty has it: an early answer, which is not this response's.
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

    /** Overrides what Servlet 6.1 has added, and so do the next two. */
    @SuppressWarnings("MissingOverride")
    public void sendRedirect(String location, boolean clearBuffer) throws IOException {
        sendRedirect(location, SC_FOUND, clearBuffer);
    }

    @SuppressWarnings("MissingOverride")
    public void sendRedirect(String location, int status) throws IOException {
        sendRedirect(location, status, true);
    }

    /** The container's would commit the response, as an asynchronous handler's does. */
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
