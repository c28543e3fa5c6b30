package io.counterpoint.idempotency.servlet;

import io.counterpoint.idempotency.IdempotencyException;
import io.counterpoint.idempotency.http.ProblemType;
import io.counterpoint.idempotency.internal.CallEffects;
import jakarta.servlet.AsyncContext;
import jakarta.servlet.AsyncEvent;
import jakarta.servlet.AsyncListener;
import jakarta.servlet.DispatcherType;
import jakarta.servlet.ServletException;
import jakarta.servlet.http.HttpServletMapping;
import jakarta.servlet.http.HttpServletRequest;
import jakarta.servlet.http.HttpServletResponse;
import jakarta.ws.rs.container.AsyncResponse;
import jakarta.ws.rs.container.ContainerRequestContext;
import jakarta.ws.rs.container.ContainerResponseContext;
import jakarta.ws.rs.container.ResourceInfo;
import jakarta.ws.rs.core.HttpHeaders;
import jakarta.ws.rs.core.PathSegment;
import jakarta.ws.rs.core.Response;
import jakarta.ws.rs.core.StreamingOutput;
import jakarta.ws.rs.sse.SseEventSink;
import java.io.BufferedReader;
import java.io.FilterInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.InputStreamReader;
import java.lang.reflect.Method;
import java.lang.reflect.Proxy;
import java.nio.charset.Charset;
import java.util.Arrays;
import java.util.Collections;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/**
 * Adapts a JAX-RS request that passes no servlet filter to {@link IdempotencyFilter}: JAX-RS filters {@link #begin} and
 * {@link #end} it. This requires the interfaces of {@code jakarta.servlet-api} but no servlet container.
 *
 * <p>The filter's routes match whole paths, without matrix parameters. A route that stores its responses fails, and a
 * form with a key gets a problem response. Calls are counted on the thread on which a request began, until its entity
 * is written. If the request continues elsewhere, as suspended resources do, calls on threads that serve no request
 * count too. A JAX-RS filter that reads the body has to run after {@link #begin} or restore the body, and every
 * response filter has to run before {@link #end}.
 */
@SuppressWarnings("exports")
public final class ResourceRequest {

    private static final String PROPERTY = ResourceRequest.class.getName();

    /** Types whose values may complete on another thread. */
    private static final Set<String> LATER = Set.of(
            "java.util.concurrent.CompletionStage",
            "java.util.concurrent.Flow$Publisher",
            "org.reactivestreams.Publisher",
            "io.smallrye.mutiny.Uni",
            "io.smallrye.mutiny.Multi");

    /** The request to which this thread's calls belong, until it ends on the same thread or the next one begins. */
    private static final ThreadLocal<@Nullable ResourceRequest> OF_THREAD = new ThreadLocal<>();

    private final ContainerRequestContext context;
    private final Map<String, Object> attributes = new HashMap<>();
    private final ResourceResponse answer = new ResourceResponse();
    private final HttpServletRequest request;
    private final CallEffects effects;
    private CallEffects.@Nullable Binding binding;
    private @Nullable HttpServletResponse handled;
    private @Nullable AsyncListener listener;
    private @Nullable String encoding;

    private ResourceRequest(ContainerRequestContext context) {
        this.context = context;
        encoding = HeaderValue.parse(context.getHeaderString(HttpHeaders.CONTENT_TYPE))
                .parameter("charset")
                .orElse(null);
        request = proxy(HttpServletRequest.class, this::called);
        effects = RequestEffects.of(request);
    }

    /**
     * Passes a request through a filter: it is either rejected or continues with a readable body.
     *
     * @param filter the filter
     * @param context the request, whose caller has been authenticated
     * @param resource the matched resource
     * @return the request for {@link IdempotentRequest#find}
     * @throws IOException if the body cannot be read
     */
    public static HttpServletRequest begin(
            IdempotencyFilter filter, ContainerRequestContext context, ResourceInfo resource) throws IOException {
        ResourceRequest begun = new ResourceRequest(context);
        context.setProperty(PROPERTY, begun);
        begun.request.setAttribute(PROPERTY, begun);
        begun.begin(filter);
        if (begun.handled != null && isSuspended(resource.getResourceMethod())) {
            begun.effects.goesOnElsewhere();
        }
        return begun.request;
    }

    private static boolean isSuspended(@Nullable Method resource) {
        return resource != null
                && (isNamed(resource.getReturnType())
                        || Arrays.stream(resource.getParameterTypes())
                                .anyMatch(type -> type == AsyncResponse.class || type == SseEventSink.class));
    }

    private static boolean isNamed(@Nullable Class<?> type) {
        return type != null
                && (LATER.contains(type.getName())
                        || isNamed(type.getSuperclass())
                        || Arrays.stream(type.getInterfaces()).anyMatch(ResourceRequest::isNamed));
    }

    private void begin(IdempotencyFilter filter) throws IOException {
        if (filter.policyOf(context.getMethod(), path())
                .flatMap(RoutePolicy::responses)
                .isPresent()) {
            throw new IllegalStateException(
                    "A route can store its responses only in a servlet container. Call an operation from the resource"
                            + " instead.");
        }
        if (filter.readsBodyOf(request) && isForm()) {
            filter.refuse(
                    Refused.malformed("A form with a key is accepted only in a servlet container. Send JSON or text."),
                    request,
                    answer.asServlet());
        } else {
            show(filter);
        }
        ResourceRequest before = OF_THREAD.get();
        if (before != null) {
            before.leaveThread();
        }
        if (handled == null) {
            context.abortWith(answer.toResponse());
        } else {
            OF_THREAD.set(this);
            binding = effects.bind();
        }
    }

    private void leaveThread() {
        if (OF_THREAD.get() == this && binding != null) {
            OF_THREAD.remove();
            binding.close();
        }
    }

    /** A container may already have parsed a form, or may parse it from a stream other than the one that was read. */
    private boolean isForm() {
        HeaderValue type = HeaderValue.parse(request.getContentType());
        return type.isForm() || type.isMultipartForm();
    }

    private void show(IdempotencyFilter filter) throws IOException {
        try {
            filter.doFilter(request, answer.asServlet(), (seen, answered) -> {
                handled = (HttpServletResponse) answered;
                if (seen instanceof SpooledRequest spooled) {
                    AsyncContext unused = spooled.startAsync();
                    context.setEntityStream(spooled.getInputStream());
                }
            });
        } catch (ServletException unexpected) {
            throw new IllegalStateException("The filter's own chain does not throw this.", unexpected);
        }
    }

    /**
     * Adds the filter's headers to the response of a request. May be called again for the response to an exception that
     * was thrown while the first one was written.
     *
     * @param context the request
     * @param response its response
     * @throws IOException if the resources of the body cannot be released
     */
    public static void end(ContainerRequestContext context, ContainerResponseContext response) throws IOException {
        if (context.getProperty(PROPERTY) instanceof ResourceRequest begun && begun.handled != null) {
            begun.end(begun.handled, response);
        }
    }

    private void end(HttpServletResponse seen, ContainerResponseContext response) throws IOException {
        seen.setStatus(response.getStatus());
        if (response.getEntity() instanceof StreamingOutput entity) {
            response.setEntity((StreamingOutput) out -> {
                try {
                    entity.write(out);
                } finally {
                    ended(seen);
                }
            });
        } else if (response.getEntity() instanceof InputStream entity) {
            response.setEntity(new FilterInputStream(entity) {
                @Override
                public void close() throws IOException {
                    super.close();
                    ended(seen);
                }
            });
        } else {
            try {
                seen.flushBuffer();
            } finally {
                ended(seen);
            }
        }
        answer.headers().forEach((name, values) -> response.getHeaders().addAll(name, List.copyOf(values)));
    }

    private void ended(HttpServletResponse seen) throws IOException {
        leaveThread();
        effects.end();
        if (listener != null) {
            listener.onComplete(new AsyncEvent(asyncContext(), request, seen));
        }
    }

    /**
     * Returns the problem for an exception.
     *
     * @param request the request, if it has passed the filter
     * @param exception the exception thrown by a resource
     * @return its problem; 500 without a body for a request that has not passed the filter or has no key
     */
    public static Response problem(Optional<HttpServletRequest> request, IdempotencyException exception) {
        return IdempotencyExceptionMapper.response(request, exception);
    }

    /**
     * Returns the problem for a call that is rejected before it begins.
     *
     * @param request the request, if it has passed the filter
     * @param problem the problem
     * @param detail what the client may know about this occurrence
     * @return its problem; only the status for a request that has not passed the filter or has no key
     */
    public static Response problem(Optional<HttpServletRequest> request, ProblemType problem, String detail) {
        return IdempotencyExceptionMapper.response(request, problem, detail);
    }

    // ---- what the filter reads of a request ------------------------------------------------------------------------

    private @Nullable Object called(String method, @Nullable Object[] arguments) throws IOException {
        return switch (method) {
            case "getMethod" -> context.getMethod();
            case "getRequestURI" -> context.getUriInfo().getRequestUri().getRawPath();
            case "getQueryString" -> context.getUriInfo().getRequestUri().getRawQuery();
            case "getServletPath" -> path();
            case "getParameterMap" -> query();
            case "getUserPrincipal" -> context.getSecurityContext().getUserPrincipal();
            case "getDispatcherType" -> DispatcherType.REQUEST;
            case "getProtocol" -> "HTTP/1.1";
            case "getAttribute" -> attributes.get((String) arguments[0]);
            case "setAttribute" -> attributes.put((String) arguments[0], arguments[1]);
            case "getHttpServletMapping" -> proxy(HttpServletMapping.class, (asked, unused) -> "JAX-RS");
            case "startAsync" -> asyncContext();
            case "isAsyncStarted" -> false;
            default -> ofMessage(method, arguments);
        };
    }

    private @Nullable Object ofMessage(String method, @Nullable Object[] arguments) throws IOException {
        return switch (method) {
            case "getHeader" -> first((String) arguments[0]);
            case "getHeaders" -> Collections.enumeration(all((String) arguments[0]));
            case "getContentType" -> first(HttpHeaders.CONTENT_TYPE);
            case "getContentLengthLong" -> (long) context.getLength();
            case "getCharacterEncoding" -> encoding;
            case "setCharacterEncoding" -> {
                encoding = (String) arguments[0];
                yield null;
            }
            case "getReader" ->
                new BufferedReader(
                        new InputStreamReader(new BodyStream(context.getEntityStream()), Charset.forName(encoding)));
            case "getInputStream" -> new BodyStream(context.getEntityStream());
            case "getPathInfo" -> null;
            default -> throw new UnsupportedOperationException(method);
        };
    }

    private List<String> all(String header) {
        return context.getHeaders().getOrDefault(header, List.of());
    }

    private @Nullable String first(String header) {
        return all(header).stream().findFirst().orElse(null);
    }

    /** The path as matched by JAX-RS: matrix parameters do not select a different resource. */
    private String path() {
        String base = context.getUriInfo().getBaseUri().getPath();
        return base.substring(0, base.length() - (base.endsWith("/") ? 1 : 0))
                + context.getUriInfo().getPathSegments().stream()
                        .map(PathSegment::getPath)
                        .collect(Collectors.joining("/", "/", ""));
    }

    private Map<String, String[]> query() {
        Map<String, String[]> query = new HashMap<>();
        context.getUriInfo()
                .getQueryParameters()
                .forEach((name, values) -> query.put(name, values.toArray(String[]::new)));
        return query;
    }

    /** The context of a handler that continues after the filter has returned. */
    private AsyncContext asyncContext() {
        return proxy(AsyncContext.class, (method, arguments) -> {
            if (method.equals("addListener")) {
                listener = (AsyncListener) arguments[0];
                return null;
            }
            throw new UnsupportedOperationException(method);
        });
    }

    /** Handles calls by method name. */
    interface Called {
        @Nullable
        Object call(String method, @Nullable Object[] arguments) throws IOException;
    }

    static <T> T proxy(Class<T> type, Called called) {
        return type.cast(Proxy.newProxyInstance(
                type.getClassLoader(),
                new Class<?>[] {type},
                (self, method, arguments) ->
                        called.call(method.getName(), arguments == null ? new Object[0] : arguments)));
    }
}
