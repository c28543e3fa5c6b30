package io.counterpoint.idempotency.servlet;

import jakarta.servlet.AsyncContext;
import jakarta.servlet.DispatcherType;
import jakarta.servlet.ServletException;
import jakarta.servlet.http.Cookie;
import jakarta.servlet.http.HttpServletRequest;
import jakarta.servlet.http.HttpServletResponse;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Random;
import java.util.concurrent.CountDownLatch;
import java.util.stream.Stream;
import java.util.zip.GZIPOutputStream;

/** What a handler does for one request, made from a seed: the same seed gives the same steps. */
final class Exchange {

    static final int LARGEST_BUFFER = 20_000;
    private static final String BEFORE = "before";

    private static final String FLUSH = "flush of the stream or writer";
    private static final List<String> TYPES = List.of(
            "text/plain",
            "text/html",
            "text/html;charset=UTF-8",
            "text/plain; charset=utf-16",
            "application/json",
            "application/xml",
            "application/xml;charset=ISO-8859-1",
            "image/png");
    private static final List<String> CHARSETS = List.of("UTF-8", "ISO-8859-1", "UTF-16", "windows-1252");
    private static final List<Integer> STATUSES =
            List.of(200, 201, 202, 203, 204, 205, 206, 207, 302, 303, 304, 400, 404, 409, 410, 429, 500, 503);
    private static final List<String> TEXTS = List.of("plain ", "Grüße ", "12 € ", "<😀> ", "\n", "");

    /** How the handler answers. */
    enum Shape {
        PLAIN,
        FORWARD,
        INCLUDE,
        ASYNC,
        ASYNC_DISPATCH
    }

    /** What a step does. */
    @FunctionalInterface
    interface Action {
        void run(HttpServletRequest request, HttpServletResponse response) throws IOException;
    }

    /**
     * One step.
     *
     * @param changes whether it does something that a committed response ignores or refuses
     */
    record Step(String text, boolean changes, Action action) {}

    private final Random random;
    final long seed;
    final String method;
    final String origin;
    final Shape shape;
    private final boolean writer;
    private final boolean ofContext;
    private final List<Step> before;
    private final List<Step> inner = new ArrayList<>();
    private final List<Step> after = new ArrayList<>();

    private Exchange(long seed) {
        this.seed = seed;
        // Seeds that follow each other begin alike.
        random = new Random(seed * 0x9E3779B97F4A7C15L);
        method = oneIn(20) ? oneOf(List.of("GET", "HEAD")) : "POST";
        origin = oneIn(4) ? oneOf(List.of("https://shop.example", "null")) : "";
        shape = oneIn(2) ? Shape.PLAIN : oneOf(List.of(Shape.values()));
        writer = random.nextBoolean();
        before = heads();
        inner.addAll(heads());
        if (oneIn(12)) {
            inner.add(change("setBufferSize", (request, response) -> response.setBufferSize(LARGEST_BUFFER)));
        }
        inner.addAll(bodies(!writer && oneIn(5)));
        boolean measured = does("setContentLength");
        if (oneIn(3) && !measured) {
            after.addAll(bodies(false));
        }
        if (oneIn(4) && !measured) {
            after.add(end());
        }
        // Drawn last: so each earlier seed still makes the steps it made before.
        ofContext = oneIn(2);
        if (shape == Shape.FORWARD && oneIn(2)) {
            before.add(new Step("write " + BEFORE, false, (request, response) -> {
                if (writer) {
                    response.getWriter().write(BEFORE);
                } else {
                    response.getOutputStream().write(BEFORE.getBytes(StandardCharsets.US_ASCII));
                }
            }));
        }
        if (does("sendError") && oneIn(3)) {
            after.add(flushOfTheBody());
        }
    }

    static Exchange of(long seed) {
        return new Exchange(seed);
    }

    // ---- how it is made ------------------------------------------------------------------------------------------

    private boolean oneIn(int count) {
        return random.nextInt(count) == 0;
    }

    private <T> T oneOf(List<T> values) {
        return values.get(random.nextInt(values.size()));
    }

    private static Step change(String text, Action action) {
        return new Step(text, true, action);
    }

    private List<Step> heads() {
        List<Step> steps = new ArrayList<>();
        for (int left = random.nextInt(4); left > 0; left--) {
            steps.add(head());
        }
        return steps;
    }

    private Step head() {
        return switch (random.nextInt(9)) {
            case 0, 1 -> {
                int status = oneOf(STATUSES);
                yield change("setStatus " + status, (request, response) -> response.setStatus(status));
            }
            case 2 -> {
                String type = oneOf(TYPES);
                yield change("setContentType " + type, (request, response) -> response.setContentType(type));
            }
            case 3 -> {
                String charset = oneOf(CHARSETS);
                yield change(
                        "setCharacterEncoding " + charset,
                        (request, response) -> response.setCharacterEncoding(charset));
            }
            case 4 -> change("setLocale", (request, response) -> response.setLocale(Locale.GERMANY));
            case 5 -> change("addCookie", (request, response) -> response.addCookie(new Cookie("session", "secret")));
            case 6 -> early();
            default -> header();
        };
    }

    private Step header() {
        String name = oneOf(List.of(
                "ETag",
                "Link",
                "Vary",
                "Vary",
                "Cache-Control",
                "Location",
                "Content-Language",
                "Content-Range",
                "X-Other",
                "Retry-After",
                "Access-Control-Allow-Origin",
                "Access-Control-Expose-Headers",
                "Last-Modified"));
        String value = name.equals("Vary")
                ? oneOf(List.of("Origin", "Accept, Origin", "Accept", "*"))
                : name.equals("Access-Control-Allow-Origin")
                        ? oneOf(List.of("*", "https://shop.example", origin.isEmpty() ? "*" : origin))
                        : name.equals("Content-Range") ? "bytes 0-9/100" : "v" + random.nextInt(3);
        if (name.equals("Last-Modified")) {
            return change("setDateHeader", (request, response) -> response.setDateHeader(name, 1_000_000_000_000L));
        }
        boolean add = random.nextBoolean() && !name.equals("Access-Control-Allow-Origin");
        return change((add ? "addHeader " : "setHeader ") + name + ": " + value, (request, response) -> {
            if (add) {
                response.addHeader(name, value);
            } else {
                response.setHeader(name, value);
            }
        });
    }

    /** Only Jetty has it, behind an odd call. */
    private static Step early() {
        return change("early hints", (request, response) -> {
            if (request.getHeader("Jetty") != null) {
                response.setHeader("Link", "</style.css>; rel=preload");
                response.sendError(103);
            }
        });
    }

    private List<Step> bodies(boolean measured) {
        List<Step> steps = new ArrayList<>();
        if (measured) {
            steps.addAll(measured());
            return steps;
        }
        for (int left = random.nextInt(4); left > 0; left--) {
            steps.add(body());
        }
        return steps;
    }

    /** A body whose length is said before. */
    private List<Step> measured() {
        byte[] bytes = bytes();
        byte[] content = oneIn(3) ? gzip(bytes) : bytes;
        boolean zipped = content != bytes;
        Step length = change("setContentLength " + content.length + (zipped ? " gzip" : ""), (request, response) -> {
            if (zipped) {
                response.setHeader("Content-Encoding", "gzip");
            }
            if (response.getStatus() != 204) {
                response.setContentLength(content.length);
            }
        });
        return List.of(length, stream(content));
    }

    private Step body() {
        return switch (random.nextInt(12)) {
            case 0 -> new Step("flush", false, (request, response) -> response.flushBuffer());
            case 1 -> change("resetBuffer", (request, response) -> response.resetBuffer());
            case 2 -> oneIn(2) ? change("reset", (request, response) -> response.reset()) : flushOfTheBody();
            case 3 -> oneIn(3) ? end() : head();
            default -> writer ? text() : stream(bytes());
        };
    }

    private Step flushOfTheBody() {
        return new Step(FLUSH, false, (request, response) -> {
            if (writer) {
                response.getWriter().flush();
            } else {
                response.getOutputStream().flush();
            }
        });
    }

    private Step end() {
        int status = oneOf(List.of(400, 404, 410, 500));
        String message = oneOf(List.of("", "<so> & so"));
        return switch (random.nextInt(6)) {
            case 0 ->
                change("sendError " + status + " " + message, (request, response) -> {
                    if (message.isEmpty()) {
                        response.sendError(status);
                    } else {
                        response.sendError(status, message);
                    }
                });
            case 1 -> {
                String location = oneOf(List.of("/there", "http://other.example/there?a=b", "there"));
                yield change("sendRedirect " + location, (request, response) -> response.sendRedirect(location));
            }
            case 2 ->
                change("throw", (request, response) -> {
                    throw new Broken();
                });
            case 3 -> change("setStatus 500 at the end", (request, response) -> response.setStatus(500));
            default ->
                new Step("close", true, (request, response) -> {
                    if (writer) {
                        response.getWriter().close();
                    } else {
                        response.getOutputStream().close();
                    }
                });
        };
    }

    private int size() {
        int around = oneOf(List.of(8192, 32_768, 65_536)) - 2 + random.nextInt(5);
        return oneIn(6) ? around : oneIn(30) ? 100_000 : random.nextInt(200);
    }

    private byte[] bytes() {
        byte[] bytes = new byte[size()];
        random.nextBytes(bytes);
        return bytes;
    }

    private Step stream(byte[] bytes) {
        return new Step(
                "write " + bytes.length + " bytes",
                false,
                (request, response) -> response.getOutputStream().write(bytes));
    }

    private Step text() {
        String unit = oneOf(TEXTS);
        String text = unit.isEmpty() ? "" : unit.repeat(1 + size() / unit.length());
        boolean single = oneIn(3) && !text.isEmpty() && text.length() < 300;
        return new Step("write " + text.length() + " of " + unit.trim(), false, (request, response) -> {
            if (single) {
                for (int i = 0; i < text.length(); i++) {
                    response.getWriter().write(text.charAt(i));
                }
            } else {
                response.getWriter().write(text);
            }
        });
    }

    private static byte[] gzip(byte[] bytes) {
        ByteArrayOutputStream zipped = new ByteArrayOutputStream();
        try (GZIPOutputStream out = new GZIPOutputStream(zipped)) {
            out.write(bytes);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
        return zipped.toByteArray();
    }

    /** What a step throws: without a stack trace, which an error page would show with the filter in it. */
    static final class Broken extends RuntimeException {
        private static final long serialVersionUID = 1L;

        Broken() {
            super("broken off", null, false, false);
        }
    }

    // ---- what the handler does with it ---------------------------------------------------------------------------

    /**
     * Runs the steps of a dispatch.
     *
     * @param late runs when a step changes a response that is committed, or fails when something was written
     */
    void handle(HttpServletRequest request, HttpServletResponse response, Runnable late)
            throws IOException, ServletException {
        if (request.getAttribute("inner") != null) {
            run(inner, request, response, late);
            if (request.getDispatcherType() == DispatcherType.ASYNC) {
                run(after, request, response, late);
            }
            return;
        }
        if (shape == Shape.ASYNC) {
            AsyncContext context = request.startAsync();
            Object left = request.getAttribute(TomcatContainer.LEFT);
            context.start(() -> {
                // Tomcat's thread, when it leaves, takes back that an error was sent. A flush then sends nothing of it.
                if (left instanceof CountDownLatch latch) {
                    await(latch);
                }
                runAll(request, context, late);
            });
            return;
        }
        run(before, request, response, late);
        request.setAttribute("inner", shape);
        switch (shape) {
            case FORWARD ->
                (ofContext
                                ? request.getServletContext().getRequestDispatcher("/x")
                                : request.getRequestDispatcher("/x"))
                        .forward(request, response);
            case INCLUDE -> request.getRequestDispatcher("/x").include(request, response);
            case ASYNC_DISPATCH -> request.startAsync().dispatch();
            default -> run(inner, request, response, late);
        }
        if (shape != Shape.ASYNC_DISPATCH) {
            run(after, request, response, late);
        }
    }

    private static void await(CountDownLatch latch) {
        try {
            latch.await();
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    private void runAll(HttpServletRequest request, AsyncContext context, Runnable late) {
        HttpServletResponse response = (HttpServletResponse) context.getResponse();
        try {
            for (List<Step> steps : List.of(before, inner, after)) {
                run(steps, request, response, late);
            }
        } catch (IOException | RuntimeException failed) {
            if (response.isCommitted()) {
                late.run();
            }
            response.setStatus(500);
        }
        context.complete();
    }

    private static void run(List<Step> steps, HttpServletRequest request, HttpServletResponse response, Runnable late)
            throws IOException {
        for (Step step : steps) {
            boolean writes = step.text().startsWith("write");
            boolean opens = writes && request.getAttribute("written") == null;
            if ((step.changes() || opens) && response.isCommitted()) {
                late.run();
            }
            try {
                step.action().run(request, response);
            } catch (IOException | RuntimeException broken) {
                if (request.getAttribute("written") != null || response.isCommitted()) {
                    late.run();
                }
                throw new Broken();
            }
            if (writes) {
                request.setAttribute("written", step);
            }
        }
    }

    boolean does(String text) {
        return steps().anyMatch(step -> step.startsWith(text));
    }

    /** Whether the stream or writer is flushed after an error was sent. */
    boolean flushesAnError() {
        return steps().dropWhile(step -> !step.startsWith("sendError")).anyMatch(FLUSH::equals);
    }

    /** Whether an error is sent before the stream or writer is opened. */
    boolean failsUnopened() {
        return steps().filter(step -> step.startsWith("sendError")
                        || step.startsWith("write")
                        || step.equals(FLUSH)
                        || step.equals("close"))
                .findFirst()
                .filter(step -> step.startsWith("sendError"))
                .isPresent();
    }

    private Stream<String> steps() {
        return Stream.of(before, inner, after).flatMap(List::stream).map(Step::text);
    }

    boolean writesText() {
        return writer;
    }

    @Override
    public String toString() {
        List<String> lines = new ArrayList<>();
        lines.add("seed " + seed + ": " + method + (origin.isEmpty() ? "" : ", Origin " + origin) + ", " + shape
                + (ofContext ? " of the context, " : ", ") + (writer ? "writer" : "stream"));
        for (List<Step> steps : List.of(before, inner, after)) {
            lines.add("  " + String.join("; ", steps.stream().map(Step::text).toList()));
        }
        return String.join("\n", lines);
    }
}
