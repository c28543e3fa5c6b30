package io.counterpoint.idempotency.servlet;

import jakarta.servlet.AsyncContext;
import jakarta.servlet.AsyncEvent;
import jakarta.servlet.AsyncListener;
import jakarta.servlet.RequestDispatcher;
import jakarta.servlet.ServletException;
import jakarta.servlet.ServletInputStream;
import jakarta.servlet.ServletRequest;
import jakarta.servlet.ServletResponse;
import jakarta.servlet.http.HttpServletRequest;
import jakarta.servlet.http.HttpServletRequestWrapper;
import jakarta.servlet.http.Part;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.io.UnsupportedEncodingException;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Proxy;
import java.nio.charset.Charset;
import java.nio.charset.StandardCharsets;
import java.util.Collection;
import java.util.Collections;
import java.util.Enumeration;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * The request as its handler sees it: the body that the filter has read can be read again as a stream, through a
 * reader, or as form parameters. If the handler goes asynchronous, it does so with this request and the filter's
 * response.
 */
final class SpooledRequest extends HttpServletRequestWrapper implements AsyncListener {

    private final RequestContent content;
    private final ServletResponse response;
    private final Runnable onStart;
    private final CompletableFuture<Boolean> ended = new CompletableFuture<>();
    private @Nullable ServletInputStream stream;
    private @Nullable BufferedReader reader;
    private @Nullable Map<String, String[]> parameters;
    private @Nullable String encoding;
    private final Runnable onComplete;
    private boolean asynchronous;
    private @Nullable AsyncContext context;
    private boolean failed;

    /**
     * Creates a request whose body can be read again.
     *
     * @param response the response that an asynchronous handler writes to
     * @param onStart runs when the handler goes asynchronous
     * @param onComplete runs when an asynchronous handler completes, while its response may still be changed
     */
    SpooledRequest(
            HttpServletRequest request,
            ServletResponse response,
            Runnable onStart,
            Runnable onComplete,
            RequestContent content) {
        super(request);
        this.response = response;
        this.onStart = onStart;
        this.onComplete = onComplete;
        this.content = content;
        this.encoding = content.encoding();
    }

    // ---- body ----------------------------------------------------------------------------------------------------

    @Override
    public ServletInputStream getInputStream() {
        if (reader != null) {
            throw new IllegalStateException("getReader() was already called for this request.");
        }
        if (stream == null) {
            stream = new BodyStream(content.body().open());
        }
        return stream;
    }

    @Override
    public BufferedReader getReader() {
        if (stream != null) {
            throw new IllegalStateException("getInputStream() was already called for this request.");
        }
        if (reader == null) {
            Charset charset = encoding == null ? StandardCharsets.ISO_8859_1 : Charset.forName(encoding);
            reader = new BufferedReader(new InputStreamReader(content.body().open(), charset));
        }
        return reader;
    }

    /** Not the container's encoding, which the filter may have changed to read the body. */
    @Override
    public @Nullable String getCharacterEncoding() {
        return encoding;
    }

    @Override
    public void setCharacterEncoding(String name) throws UnsupportedEncodingException {
        if (HeaderValue.charset(name).isEmpty()) {
            throw new UnsupportedEncodingException("The charset is not supported.");
        }
        if (reader == null) {
            encoding = name;
            parameters = null;
        }
    }

    /** Overrides a method added in Servlet 6.1. */
    @SuppressWarnings("MissingOverride")
    public void setCharacterEncoding(Charset charset) {
        if (reader == null) {
            encoding = charset.name();
            parameters = null;
        }
    }

    @Override
    public @Nullable String getContentType() {
        return content.contentType();
    }

    @Override
    public Collection<Part> getParts() throws IOException, ServletException {
        Optional<List<Part>> parts = content.parts();
        return parts.isPresent() ? parts.get() : super.getParts();
    }

    @Override
    public @Nullable Part getPart(String name) throws IOException, ServletException {
        for (Part part : getParts()) {
            if (part.getName().equals(name)) {
                return part;
            }
        }
        return null;
    }

    @Override
    public @Nullable String getParameter(String name) {
        String[] values = getParameterMap().get(name);
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

    /** Query parameters come first. */
    @Override
    public Map<String, String[]> getParameterMap() {
        if (parameters == null) {
            // If asked for parameters of a multipart form, Jetty would look for the parts in the body, which has
            // already been read.
            Map<String, String[]> all =
                    new LinkedHashMap<>(content.parts().isPresent() ? content.query() : super.getParameterMap());
            content.fields(encoding)
                    .forEach((name, values) -> all.merge(
                            name,
                            values.toArray(String[]::new),
                            (earlier, later) -> Stream.of(earlier, later)
                                    .flatMap(Stream::of)
                                    .toArray(String[]::new)));
            parameters = Collections.unmodifiableMap(all);
        }
        return parameters;
    }

    // ---- forwards ------------------------------------------------------------------------------------------------

    /** Before a forward, Jetty clears only its own buffer, not what a wrapper has held back. */
    @Override
    public @Nullable RequestDispatcher getRequestDispatcher(String path) {
        RequestDispatcher target = super.getRequestDispatcher(path);
        return target == null ? null : new Clearing(target);
    }

    private record Clearing(RequestDispatcher target) implements RequestDispatcher {
        @Override
        public void forward(ServletRequest request, ServletResponse response) throws ServletException, IOException {
            response.resetBuffer();
            target.forward(request, response);
        }

        @Override
        public void include(ServletRequest request, ServletResponse response) throws ServletException, IOException {
            target.include(request, response);
        }
    }

    // ---- asynchronous handlers -----------------------------------------------------------------------------------

    /** The response that the handler gets. */
    ServletResponse response() {
        return response;
    }

    /** Whether the handler has gone asynchronous, so that it did not end when it returned. */
    boolean asynchronous() {
        return asynchronous;
    }

    /** Returns a stage that completes with the asynchronous handler: with false after a timeout or an error. */
    CompletionStage<Boolean> ended() {
        return ended;
    }

    @Override
    public AsyncContext startAsync() {
        // Not super.startAsync(), because the handler would get the container's own request and response.
        return startAsync(this, response);
    }

    @Override
    public AsyncContext startAsync(ServletRequest itsRequest, ServletResponse itsResponse) {
        AsyncContext started = super.startAsync(itsRequest, itsResponse);
        if (!asynchronous) {
            asynchronous = true;
            started.addListener(this);
            onStart.run();
        }
        AsyncContext watched = watched(started);
        context = watched;
        return watched;
    }

    @Override
    public AsyncContext getAsyncContext() {
        AsyncContext current = super.getAsyncContext();
        return context == null ? current : context;
    }

    private AsyncContext watched(AsyncContext started) {
        return (AsyncContext) Proxy.newProxyInstance(
                AsyncContext.class.getClassLoader(), new Class<?>[] {AsyncContext.class}, (self, method, arguments) -> {
                    if (method.getName().equals("complete")) {
                        onComplete.run();
                    }
                    try {
                        return method.invoke(started, arguments);
                    } catch (InvocationTargetException thrown) {
                        throw thrown.getCause();
                    }
                });
    }

    @Override
    public void onStartAsync(AsyncEvent event) {
        // The container discards its listeners at every new start.
        event.getAsyncContext().addListener(this);
    }

    @Override
    public void onComplete(AsyncEvent event) {
        ended.complete(!failed);
    }

    /** The threads of the handler may still be running. This is called before any listener that responds. */
    @Override
    public void onTimeout(AsyncEvent event) {
        failed = true;
        IdempotentRequest.find(this).ifPresent(IdempotentRequest::goesOnAfterItsResponse);
    }

    @Override
    public void onError(AsyncEvent event) {
        onTimeout(event);
    }
}
