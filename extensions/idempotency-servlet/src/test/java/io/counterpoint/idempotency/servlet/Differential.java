package io.counterpoint.idempotency.servlet;

import io.counterpoint.idempotency.Idempotency;
import io.counterpoint.idempotency.memory.InMemoryIdempotencyStore;
import jakarta.servlet.Filter;
import jakarta.servlet.http.HttpServletRequest;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;

/** Compares what one handler answers without the filter, with it, and when it is asked again. */
final class Differential implements AutoCloseable {

    /** The differences that are permitted, as the page has them. */
    enum Permitted {
        HEADERS(
                "any",
                "A replay has the headers listed above, and no others but `Idempotent-Replayed`. If the "
                        + "request has `Origin`, each response has an additional `Access-Control-Expose-Headers`. The "
                        + "response to an exception of the handler has `Idempotency-May-Have-Effect`.",
                "The others belong to one exchange. A filter in front may turn an exception into a 4xx."),
        ORIGIN(
                "any",
                "A replay of a response to one origin has `Vary: Origin`, and `Access-Control-*` only for "
                        + "that origin. Jetty's error pages drop `Vary`.",
                "No origin learns what another may read."),
        TOO_LARGE(
                "any",
                "A response larger than `maxStoredBody` is replayed as `answer-not-kept`.",
                "Records are bounded."),
        HELD_BACK(
                "any",
                "Up to `maxStoredBody`, nothing commits the response of a handler that is not asynchronous. "
                        + "Status, headers, resets, errors and exceptions still count after a flush, a full buffer, a "
                        + "close or a redirect. On Jetty, `sendError` also counts before a flush of the stream or "
                        + "writer.",
                "The response is held back until the record has ended. Jetty commits it with that flush."),
        ENCODED(
                "any",
                "An emoji in a charset that lacks it may become a different number of `?`. Text in UTF-16 has its byte order"
                        + " mark even after `resetBuffer()`.",
                "The text is encoded once before it reaches the container's writer."),
        REDIRECT(
                "Jetty",
                "A redirect to a relative path is sent as the handler set it, not as a path from the root.",
                "Clients resolve both in the same way."),
        CHARSET(
                "Tomcat",
                "In replays, or if the writer is opened after `sendError`, an error page is in the "
                        + "container's charset. Text after `reset()` is in the new one, regardless of the writer that "
                        + "was open before. The content type of a forward that writes nothing includes a charset, and "
                        + "its handler cannot open the stream after it.",
                "Tomcat regenerates the page, keeps an open writer's charset, and closes the writer of a forward."),
        LINES(
                "Tomcat",
                "In replays, identical header lines appear once, and a 204 has no language from `setLocale`.",
                "Tomcat does not expose them.");

        final String container;
        final String difference;
        final String reason;

        Permitted(String container, String difference, String reason) {
            this.container = container;
            this.difference = difference;
            this.reason = reason;
        }

        String row() {
            return "| " + container + " | " + difference + " | " + reason + " |";
        }
    }

    private static final int CAP = 64 * 1024;
    /** For a handler whose thread has the answer sent, and gets no processor for its last steps. */
    private static final Duration LONGEST_WAIT = Duration.ofMinutes(1);
    /** For the last steps of a handler that has been reached. */
    private static final Duration LAST_STEPS = Duration.ofSeconds(10);

    private static final Set<String> LISTED = new TreeSet<>(String.CASE_INSENSITIVE_ORDER);

    static {
        LISTED.addAll(StoredHeaders.BY_DEFAULT);
    }

    private final Container.Kind kind;
    private final boolean http2;
    private final TestServer server;
    private final Set<String> late = ConcurrentHashMap.newKeySet();
    private final Semaphore returned = new Semaphore(0);
    private final List<String> failures = new ArrayList<>();

    private Differential(Container.Kind kind, boolean http2) {
        this.kind = kind;
        this.http2 = http2;
        FilterManaged style = FilterManaged.storedIn(Idempotency.on(new InMemoryIdempotencyStore()), "x")
                .means(Meaning.EFFECT, 404, 410)
                .build();
        Filter filter = IdempotencyFilter.scopedBy(ScopeResolver.anonymous())
                .elsewhere(RoutePolicy.required().responses(style))
                .build();
        server = new TestServer(kind)
                .filter((request, response, chain) -> {
                    if (http2) {
                        // Tomcat keeps a buffer that has grown for whatever request gets the response next.
                        response.setBufferSize(Exchange.LARGEST_BUFFER);
                    }
                    if (((HttpServletRequest) request).getHeader("Idempotency-Key") == null) {
                        chain.doFilter(request, response);
                    } else {
                        filter.doFilter(request, response, chain);
                    }
                })
                .handle("/x", (request, response) -> {
                    String seed = request.getHeader("Seed");
                    boolean alone = request.getHeader("Idempotency-Key") == null;
                    boolean outermost = request.getAttribute("inner") == null;
                    try {
                        Exchange.of(Long.parseLong(seed)).handle(request, response, () -> {
                            if (alone) {
                                late.add(seed);
                            }
                        });
                    } finally {
                        if (alone && outermost) {
                            returned.release();
                        }
                    }
                })
                .errorPage(
                        410,
                        "/page",
                        (request, response) -> response.getWriter().write("page of " + request.getDispatcherType()))
                .start();
    }

    /** Holds the exchanges of so many seeds. What differs, with what was exchanged. */
    static List<String> run(String container, long from, int count, boolean http2) throws Exception {
        try (Differential differential = new Differential(Container.Kind.valueOf(container), http2)) {
            for (long seed = from; seed < from + count; seed++) {
                Exchange exchange = Exchange.of(seed);
                // Over HTTP/2, Tomcat sends what such a handler has written for a HEAD, with any filter or none. The
                // client takes it for a fault, or both wait.
                boolean unfit = exchange.method.equals("HEAD") && exchange.shape == Exchange.Shape.ASYNC;
                if (!http2 || !unfit) {
                    differential.hold(exchange);
                }
            }
            return differential.failures;
        }
    }

    private void hold(Exchange exchange) throws Exception {
        Wire plain = sendPlain(exchange);
        Wire first = send(exchange, true);
        Wire retry = send(exchange, true);
        boolean asynchronous = exchange.shape.name().startsWith("ASYNC");
        // An answer that does not wait for its record: it is asynchronous or too large. That of one that failed never
        // ends.
        boolean ends = first.status() < 500 && first.complete() && !late.contains("" + exchange.seed);
        long givenUp = System.nanoTime() + LONGEST_WAIT.toNanos();
        while (ends && retry.isProblem("request-outstanding") && System.nanoTime() - givenUp < 0) {
            retry = send(exchange, true);
        }
        if (http2 && retry.status() == 0) {
            // What was broken off before has taken the connection with it.
            retry = send(exchange, true);
        }
        List<String> found = new ArrayList<>();
        boolean heldBack = late.contains("" + exchange.seed) && !asynchronous;
        boolean errorCounts = kind == Container.Kind.JETTY && exchange.flushesAnError() && first.isErrorPage();
        if (!errorCounts && (!heldBack || !exchange.method.equals("POST"))) {
            differ("first answer", exchange, plain, withoutOwn(exchange, first), found);
        }
        compareRetry(exchange, first, retry, found);
        if (!found.isEmpty()) {
            failures.add(kind + (http2 ? " HTTP/2" : "") + ", " + exchange + "\n  alone:  " + plain + "\n  filter: "
                    + first + "\n  retry:  " + retry + "\n  " + String.join("\n  ", found));
        }
    }

    /** Returns when the handler has made its last steps. The answer can be here before. */
    private Wire sendPlain(Exchange exchange) throws Exception {
        Wire plain = send(exchange, false);
        while (http2 && plain.status() == 0) {
            if (returned.tryAcquire(LAST_STEPS.toSeconds(), TimeUnit.SECONDS)) {
                return plain;
            }
            // It has not reached the handler: what was broken off before has taken the connection with it.
            plain = send(exchange, false);
        }
        returned.acquire();
        return plain;
    }

    private Wire send(Exchange exchange, boolean filtered) throws Exception {
        Map<String, String> headers = new LinkedHashMap<>();
        headers.put("Seed", "" + exchange.seed);
        headers.put(kind == Container.Kind.JETTY ? "Jetty" : "Tomcat", "yes");
        if (filtered) {
            headers.put("Idempotency-Key", "\"k" + exchange.seed + "\"");
        }
        if (!exchange.origin.isEmpty()) {
            headers.put("Origin", exchange.origin);
        }
        return http2
                ? Wire.get2(server.port(), exchange.method, headers)
                : Wire.get(server.port(), exchange.method, headers);
    }

    private void compareRetry(Exchange exchange, Wire first, Wire retry, List<String> found) {
        boolean released = first.status() >= 400 && first.status() < 500;
        if (retry.replayed() && retry.isProblem("answer-not-kept")) {
            if (first.body().length() <= CAP || first.status() != retry.status()) {
                found.add("The retry's answer was not kept.");
            }
        } else if (retry.replayed() && first.status() == 205 && first.body().length() > CAP) {
            // It has no content, and none is kept.
            return;
        } else if (retry.replayed()) {
            differ(
                    "replay",
                    exchange,
                    replayOf(exchange, withoutOwn(exchange, first)),
                    withoutOwn(exchange, retry),
                    found);
        } else if (retry.isProblem("request-outstanding")) {
            if (first.status() < 500 && first.complete() && !late.contains("" + exchange.seed)) {
                found.add("The retry has no answer.");
            }
        } else if (released || !exchange.method.equals("POST")) {
            differ("retry", exchange, first, retry, found);
        } else {
            found.add("The retry was carried out.");
        }
    }

    private static Wire withoutOwn(Exchange exchange, Wire answer) {
        Map<String, List<String>> headers = new TreeMap<>(answer.headers());
        if (!exchange.origin.isEmpty()) {
            headers.computeIfPresent("access-control-expose-headers", (name, values) -> {
                List<String> others = new ArrayList<>(values);
                others.remove(IdempotencyFilter.EXPOSED);
                return others.isEmpty() ? null : others;
            });
        }
        if (answer.status() == 500) {
            headers.remove("idempotency-may-have-effect");
        }
        List<String> early = answer.early().stream()
                .map(it -> it.replace("access-control-expose-headers=[" + IdempotencyFilter.EXPOSED + "], ", "")
                        .replace(IdempotencyFilter.EXPOSED + ", ", ""))
                .toList();
        return new Wire(answer.status(), headers, early, answer.body(), answer.complete());
    }

    /** What a replay of an answer has to be. */
    private static Wire replayOf(Exchange exchange, Wire first) {
        Map<String, List<String>> headers = new TreeMap<>(first.headers());
        headers.keySet().removeIf(name -> !LISTED.contains(name));
        List<String> allowed = headers.getOrDefault("access-control-allow-origin", List.of());
        if (!allowed.isEmpty() && !allowed.equals(List.of("*"))) {
            if (!allowed.equals(List.of(exchange.origin))) {
                headers.keySet().removeIf(name -> name.startsWith("access-control-"));
            }
            List<String> vary = new ArrayList<>(headers.getOrDefault("vary", List.of()));
            if (vary.stream().noneMatch(value -> value.contains("Origin") || value.equals("*"))) {
                vary.add("Origin");
                headers.put("vary", vary);
            }
        }
        return new Wire(first.status(), headers, List.of(), first.body(), first.complete());
    }

    /** The answer with what its container may answer otherwise as it is expected. */
    private Wire asPermitted(Exchange exchange, Wire expected, Wire answer) {
        Map<String, List<String>> headers = new TreeMap<>(answer.headers());
        String body = answer.body();
        boolean error = List.of(404, 410).contains(answer.status()) && exchange.does("sendError");
        if (kind == Container.Kind.JETTY) {
            headers.computeIfPresent(
                    "location", (name, values) -> values.equals(List.of("there")) ? List.of("/there") : values);
            if (error) {
                headers.remove("vary");
            }
        } else {
            headers.replaceAll((name, values) -> values.stream().distinct().toList());
            if (answer.status() == 204) {
                headers.remove("content-language");
            }
            boolean reset = exchange.writesText() && exchange.does("reset");
            boolean anyCharset = (error && answer.replayed()) || (exchange.writesText() && exchange.failsUnopened());
            if (reset || anyCharset) {
                body = expected.body();
            }
            if (error || anyCharset || body.isEmpty()) {
                headers.computeIfPresent(
                        "content-type", (name, values) -> expected.headers().getOrDefault(name, values));
            }
        }
        headers.remove("idempotent-replayed");
        return new Wire(answer.status(), headers, answer.early(), body, answer.complete());
    }

    private void differ(String which, Exchange exchange, Wire before, Wire after, List<String> found) {
        Wire expected = asPermitted(exchange, before, before);
        Wire actual = asPermitted(exchange, before, after);
        if (expected.status() != actual.status()) {
            found.add(which + ": status " + expected.status() + " became " + actual.status());
        }
        Set<String> names = new TreeSet<>(expected.headers().keySet());
        names.addAll(actual.headers().keySet());
        for (String name : names) {
            List<String> was = expected.headers().get(name);
            List<String> is = actual.headers().get(name);
            if (was == null || !was.equals(is)) {
                found.add(which + ": header " + name + ": " + was + " became " + is);
            }
        }
        if (!expected.early().equals(actual.early()) && !which.equals("replay")) {
            found.add(which + ": early " + expected.early() + " became " + actual.early());
        }
        if (expected.complete() != actual.complete()) {
            found.add(which + ": complete " + expected.complete() + " became " + actual.complete());
        } else if (expected.complete() && !content(expected).equals(content(actual))) {
            found.add(which + ": body of " + expected.body().length() + " became one of "
                    + actual.body().length());
        }
    }

    /** Any number of question marks is as good as another, and a byte order mark as none. */
    private static String content(Wire answer) {
        return answer.body().replace("?", "").replaceFirst("^\u00fe\u00ff", "");
    }

    @Override
    public void close() {
        server.close();
    }
}
