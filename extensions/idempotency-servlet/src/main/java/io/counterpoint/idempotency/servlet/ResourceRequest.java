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
 * A request of JAX-RS that passes no servlet filter, as {@link IdempotencyFilter} sees requests: filters of JAX-RS {@link #begin}
 * and {@link #end} it. It needs the interfaces of {@code jakarta.servlet-api}, and no servlet container.
 *
 * <p>The filter's routes are about whole paths, without parameters of their segments. A route that stores its responses
 * fails, and a form with a key is answered with a problem. Calls are counted on the thread on which a request has begun, until
 * its entity is written. Where it goes on elsewhere, which suspended resources do, calls on threads that serve no request count
 * too. A filter of JAX-RS that reads the body has to run after {@link #begin}, or to put it back, and every filter of responses
 * before {@link #end}.
 */
@SuppressWarnings("exports")
public final class ResourceRequest {

    private static final String PROPERTY = ResourceRequest.class.getName();

    /** What may complete elsewhere. */
    private static final Set<String> LATER = Set.of(
            "java.util.concurrent.CompletionStage",
            "java.util.concurrent.Flow$Publisher",
            "org.reactivestreams.Publisher",
            "io.smallrye.mutiny.Uni",
            "io.smallrye.mutiny.Multi");

    /** The request whose calls this thread's are, until it ends on the same thread or the next one begins. */
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
     * Lets a filter see a request, which is either refused or goes on with a body that can be read.
     *
     * @param filter the filter
     * @param context the request, whose caller is authenticated
     * @param resource what it is for
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

    /** A container may have taken a form apart before, or takes it from another stream than the one that was read. */
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
     * Gives the answer of a request the headers that the filter has for it. It may be called again, for the answer that an
     * exception is while the first one was written.
     *
     * @param context the request
     * @param response its answer
     * @throws IOException if what was read cannot be given back
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
     * The problem that an exception is.
     *
     * @param request a request, if the filter has seen it
     * @param exception what a resource has thrown
     * @return its problem; a 500 without a body for a request that the filter has not seen or that has no key
     */
    public static Response problem(Optional<HttpServletRequest> request, IdempotencyException exception) {
        return IdempotencyExceptionMapper.response(request, exception);
    }

    /**
     * The problem of a call that is refused before it begins.
     *
     * @param request a request, if the filter has seen it
     * @param problem the problem
     * @param detail what the client may know of this occurrence
     * @return its problem; the status alone for a request that the filter has not seen or that has no key
     */
    public static Response problem(Optional<HttpServletRequest> request, ProblemType problem, String detail) {
        return IdempotencyExceptionMapper.response(request, problem, detail);
    }

    // ---- what the filter asks of a request -------------------------------------------------------------------------

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

    /** As JAX-RS matches it: parameters of a segment choose no other resource. */
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

    /** That of a handler that goes on after the filter has returned. */
    private AsyncContext asyncContext() {
        return proxy(AsyncContext.class, (method, arguments) -> {
            if (method.equals("addListener")) {
                listener = (AsyncListener) arguments[0];
                return null;
            }
            throw new UnsupportedOperationException(method);
        });
    }

    /** Answers calls by the names of methods. */
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
