package io.counterpoint.idempotency.servlet;

import jakarta.servlet.AsyncContext;
import jakarta.servlet.AsyncEvent;
import jakarta.servlet.AsyncListener;
import jakarta.servlet.ReadListener;
import jakarta.servlet.ServletInputStream;
import jakarta.servlet.ServletRequest;
import jakarta.servlet.ServletResponse;
import jakarta.servlet.http.HttpServletRequest;
import jakarta.servlet.http.HttpServletRequestWrapper;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStream;
import java.io.InputStreamReader;
import java.net.URLDecoder;
import java.nio.charset.Charset;
import java.nio.charset.StandardCharsets;
import java.util.Collections;
import java.util.Enumeration;
import java.util.LinkedHashMap;
import java.util.Locale;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * The request as its handler sees it: the body that the filter has read can be read again, as a stream, through a reader,
 * or as the parameters of a form. Where the handler goes asynchronous, it does so with this request and the filter's
 * response.
 */
final class SpooledRequest extends HttpServletRequestWrapper implements AsyncListener {

    private static final String FORM = "application/x-www-form-urlencoded";

    /** The largest form that is taken apart, as containers limit it by default. */
    static final int MAX_FORM_BYTES = 2 * 1024 * 1024;

    private final @Nullable SpooledBody body;
    private final ServletResponse response;
    private final CompletableFuture<Boolean> ended = new CompletableFuture<>();
    private @Nullable ServletInputStream stream;
    private @Nullable BufferedReader reader;
    private @Nullable Map<String, String[]> parameters;
    private boolean asynchronous;
    private boolean failed;

    /**
     * A request whose body can be read again.
     *
     * @param body the body; null if the container holds it taken apart, as it does with multipart bodies
     * @param response what an asynchronous handler writes to
     */
    SpooledRequest(HttpServletRequest request, ServletResponse response, @Nullable SpooledBody body) {
        super(request);
        this.response = response;
        this.body = body;
    }

    static boolean isForm(HttpServletRequest request) {
        String type = request.getContentType();
        return type != null && type.toLowerCase(Locale.ROOT).startsWith(FORM);
    }

    // ---- body ----------------------------------------------------------------------------------------------------

    @Override
    public ServletInputStream getInputStream() throws IOException {
        if (body == null) {
            return super.getInputStream();
        }
        if (reader != null) {
            throw new IllegalStateException("getReader() was called for this request.");
        }
        if (stream == null) {
            stream = new BodyStream(body);
        }
        return stream;
    }

    @Override
    public BufferedReader getReader() throws IOException {
        if (body == null) {
            return super.getReader();
        }
        if (stream != null) {
            throw new IllegalStateException("getInputStream() was called for this request.");
        }
        if (reader == null) {
            String encoding = getCharacterEncoding();
            reader = new BufferedReader(new InputStreamReader(
                    body.open(), encoding == null ? StandardCharsets.ISO_8859_1 : Charset.forName(encoding)));
        }
        return reader;
    }

    @Override
    public @Nullable String getParameter(String name) {
        String[] values = getParameterValues(name);
        return values == null ? null : values[0];
    }

    @Override
    public String @Nullable [] getParameterValues(String name) {
        String[] values = getParameterMap().get(name);
        return values == null ? null : values.clone();
    }

    @Override
    public Enumeration<String> getParameterNames() {
        return Collections.enumeration(getParameterMap().keySet());
    }

    @Override
    public Map<String, String[]> getParameterMap() {
        if (body == null || !isForm(this)) {
            return super.getParameterMap();
        }
        if (parameters == null) {
            Map<String, String[]> all = new LinkedHashMap<>(super.getParameterMap());
            addForm(all, body);
            parameters = Collections.unmodifiableMap(all);
        }
        return parameters;
    }

    /** The container would do this, but its stream is at its end. Parameters of the query come first. */
    private void addForm(Map<String, String[]> all, SpooledBody form) {
        String encoding = getCharacterEncoding();
        Charset charset = encoding == null ? StandardCharsets.UTF_8 : Charset.forName(encoding);
        String text;
        try (InputStream in = form.open()) {
            text = new String(in.readAllBytes(), charset);
        } catch (IOException e) {
            throw new IllegalStateException("The form that was spooled cannot be read again.", e);
        }
        for (String field : text.split("&", -1)) {
            if (!field.isEmpty()) {
                String[] parts = field.split("=", 2);
                String value = parts.length == 1 ? "" : URLDecoder.decode(parts[1], charset);
                all.merge(
                        URLDecoder.decode(parts[0], charset),
                        new String[] {value},
                        (earlier, later) ->
                                Stream.of(earlier, later).flatMap(Stream::of).toArray(String[]::new));
            }
        }
    }

    // ---- asynchronous handlers
    // ---------------------------------------------------------------------------------------

    /** Whether the handler has gone asynchronous, so that its return was not its end. */
    boolean asynchronous() {
        return asynchronous;
    }

    /** Completes when the asynchronous handler has: with false if there was a time-out or an error. */
    CompletionStage<Boolean> ended() {
        return ended;
    }

    @Override
    public AsyncContext startAsync() {
        // Not super.startAsync(): the handler would get the container's own request and response.
        return startAsync(this, response);
    }

    @Override
    public AsyncContext startAsync(ServletRequest itsRequest, ServletResponse itsResponse) {
        AsyncContext context = super.startAsync(itsRequest, itsResponse);
        if (!asynchronous) {
            asynchronous = true;
            context.addListener(this);
            if (response instanceof CapturedResponse captured) {
                captured.writeThrough();
            }
        }
        return context;
    }

    @Override
    public void onStartAsync(AsyncEvent event) {
        // The container forgets its listeners at every new start.
        event.getAsyncContext().addListener(this);
    }

    @Override
    public void onComplete(AsyncEvent event) {
        ended.complete(!failed);
    }

    @Override
    public void onTimeout(AsyncEvent event) {
        failed = true;
    }

    @Override
    public void onError(AsyncEvent event) {
        failed = true;
    }

    /** The spooled body as a servlet reads it. All of it is there, so a listener is served at once. */
    private static final class BodyStream extends ServletInputStream {
        private final InputStream bytes;

        BodyStream(SpooledBody body) {
            bytes = body.open();
        }

        @Override
        public int read() throws IOException {
            return bytes.read();
        }

        @Override
        public int read(byte[] target, int offset, int count) throws IOException {
            return bytes.read(target, offset, count);
        }

        @Override
        public int available() throws IOException {
            return bytes.available();
        }

        @Override
        public boolean isFinished() {
            try {
                return bytes.available() == 0;
            } catch (IOException e) {
                throw new IllegalStateException(e);
            }
        }

        @Override
        public boolean isReady() {
            return true;
        }

        @Override
        public void setReadListener(ReadListener listener) {
            try {
                if (!isFinished()) {
                    listener.onDataAvailable();
                }
                if (isFinished()) {
                    listener.onAllDataRead();
                }
            } catch (IOException | RuntimeException thrown) {
                listener.onError(thrown);
            }
        }
    }
}
