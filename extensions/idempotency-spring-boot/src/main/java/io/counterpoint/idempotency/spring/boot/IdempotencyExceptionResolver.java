package io.counterpoint.idempotency.spring.boot;

import io.counterpoint.idempotency.IdempotencyException;
import io.counterpoint.idempotency.InvalidKeyException;
import io.counterpoint.idempotency.InvalidRequestException;
import io.counterpoint.idempotency.annotation.IncompleteKeyException;
import io.counterpoint.idempotency.annotation.UnknownCallerException;
import io.counterpoint.idempotency.http.ProblemType;
import io.counterpoint.idempotency.servlet.IdempotentRequest;
import io.counterpoint.idempotency.servlet.Problems;
import io.counterpoint.idempotency.spring.annotation.MissingKeyException;
import jakarta.servlet.http.HttpServletRequest;
import jakarta.servlet.http.HttpServletResponse;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.springframework.context.ApplicationContext;
import org.springframework.core.Ordered;
import org.springframework.web.method.HandlerMethod;
import org.springframework.web.servlet.HandlerExceptionResolver;
import org.springframework.web.servlet.ModelAndView;
import org.springframework.web.servlet.support.RequestContextUtils;

/**
 * Turns the library's exceptions into problem details before any handler of the application sees them, because a
 * catch-all handler would turn an unknown outcome into a response that clients take for final. It inspects causes. If
 * the application has a handler for {@link IdempotencyException} or a subclass, in the controller or in an advice that
 * applies to it, that handler is used instead. Define a bean of this type to respond differently.
 */
public class IdempotencyExceptionResolver implements HandlerExceptionResolver, Ordered {

    private static final Logger LOG = LoggerFactory.getLogger(IdempotencyExceptionResolver.class);

    private static final List<Class<? extends RuntimeException>> ANSWERED = List.of(
            IdempotencyException.class,
            UnknownCallerException.class,
            IncompleteKeyException.class,
            MissingKeyException.class,
            InvalidKeyException.class,
            InvalidRequestException.class);

    /** Limits the depth of cause chains, so that cycles terminate. */
    private static final int DEPTH = 20;

    private final Problems problems;
    private final ApplicationContext context;
    /** By context, because each DispatcherServlet sees the advices of its own. */
    private final Map<ApplicationContext, NamingHandlers> handlers = new ConcurrentHashMap<>();
    /** Clients choose how often they send such a request. */
    private final Set<String> logged = ConcurrentHashMap.newKeySet();

    /**
     * Creates a resolver.
     *
     * @param problems creates the problem details
     * @param context contains the advices
     */
    public IdempotencyExceptionResolver(Problems problems, ApplicationContext context) {
        this.problems = problems;
        this.context = context;
    }

    @Override
    public int getOrder() {
        return HIGHEST_PRECEDENCE;
    }

    @Override
    public @Nullable ModelAndView resolveException(
            HttpServletRequest request, HttpServletResponse response, @Nullable Object handler, Exception thrown) {
        Throwable known = Stream.iterate((Throwable) thrown, at -> at != null, Throwable::getCause)
                .limit(DEPTH)
                .filter(at -> ANSWERED.stream().anyMatch(type -> type.isInstance(at)))
                .findFirst()
                .orElse(null);
        if (known == null
                || response.isCommitted()
                || (handler instanceof HandlerMethod method
                        && handlersFor(request).name(method, thrown, known, request))) {
            return null;
        }
        try {
            if (known instanceof MissingKeyException missing && missing.wasSent()) {
                log(missing, handler);
            }
            answer(known, request, response);
        } catch (IOException gone) {
            throw new UncheckedIOException(gone);
        }
        return new ModelAndView();
    }

    private NamingHandlers handlersFor(HttpServletRequest request) {
        return handlers.computeIfAbsent(
                Objects.requireNonNullElse(RequestContextUtils.findWebApplicationContext(request), context),
                NamingHandlers::new);
    }

    private void log(MissingKeyException missing, @Nullable Object handler) {
        String of = handler instanceof HandlerMethod method
                ? method.toString()
                : handler == null ? "no handler" : handler.getClass().getName();
        if (logged.add(of)) {
            LOG.warn("Answered 500 for {}: {} This is logged once per handler.", of, missing.getMessage());
        }
    }

    private void answer(Throwable thrown, HttpServletRequest request, HttpServletResponse response) throws IOException {
        if (thrown instanceof IdempotencyException known) {
            Optional<IdempotentRequest> filtered = IdempotentRequest.find(request);
            if (filtered.isPresent()) {
                filtered.get().answer(known);
            } else {
                problems.write(known, request, response);
            }
        } else {
            ProblemType type = typeOf(thrown);
            problems.write(type, detailOf(type, thrown), request, response);
        }
    }

    private static ProblemType typeOf(Throwable thrown) {
        if (thrown instanceof UnknownCallerException) {
            return ProblemType.CALLER_UNKNOWN;
        }
        if (thrown instanceof MissingKeyException missing) {
            return missing.wasSent() ? ProblemType.NOT_STARTED : ProblemType.KEY_MISSING;
        }
        return thrown instanceof InvalidKeyException ? ProblemType.KEY_INVALID : ProblemType.REQUEST_MALFORMED;
    }

    private static String detailOf(ProblemType type, Throwable thrown) {
        if (type == ProblemType.CALLER_UNKNOWN) {
            return "A key belongs to a caller. Authenticate first.";
        }
        if (type == ProblemType.KEY_MISSING) {
            return "This operation requires one. Send a new key with a new request.";
        }
        if (type == ProblemType.NOT_STARTED) {
            return "Nothing was done. Retrying won't help until the service is fixed.";
        }
        return thrown instanceof IncompleteKeyException
                ? "A value that its key is computed from is missing. Nothing was done."
                // The key was created from the request. The message reveals at most one character of it.
                : thrown.getMessage() + " Nothing was done.";
    }
}
