package io.counterpoint.idempotency.examples.appplatform.page;

import static java.nio.charset.StandardCharsets.UTF_8;

import io.counterpoint.idempotency.programs.Json;
import jakarta.servlet.http.HttpServlet;
import jakarta.servlet.http.HttpServletRequest;
import jakarta.servlet.http.HttpServletResponse;
import java.io.IOException;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ArrayBlockingQueue;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;

/**
 * Server-sent events for every open page. A page that opens gets the last event of each type first. One that reads too
 * slowly is disconnected, and its browser connects again.
 */
final class EventStream extends HttpServlet {
    private static final long serialVersionUID = 1L;

    private static final int PAGES = 8;
    private static final int WAITING = 2_000;
    private static final long SILENCE_SECONDS = 15;
    private static final String END = "";

    private final transient Map<String, String> last = new ConcurrentHashMap<>();
    private final transient Set<BlockingQueue<String>> pages = ConcurrentHashMap.newKeySet();
    private volatile boolean closed;

    /** Sends to all pages what they may miss. */
    void send(String type, Object content) {
        offer(text(type, content));
    }

    /** Sends to all pages, and to those that open later, how something is now. */
    void show(String type, Object content) {
        String text = text(type, content);
        if (!text.equals(last.put(type, text))) {
            offer(text);
        }
    }

    private static String text(String type, Object content) {
        return "event: " + type + "\ndata: " + Json.of(content) + "\n\n";
    }

    private void offer(String text) {
        for (BlockingQueue<String> page : pages) {
            if (!page.offer(text)) {
                end(page);
            }
        }
    }

    private void end(BlockingQueue<String> page) {
        pages.remove(page);
        page.clear();
        boolean unused = page.offer(END);
    }

    /** Whether anybody looks. */
    boolean isWatched() {
        return !pages.isEmpty();
    }

    @Override
    protected void doGet(HttpServletRequest request, HttpServletResponse response) throws IOException {
        if (pages.size() >= PAGES || closed) {
            Reply.problem(response, 503, "At most " + PAGES + " pages may be open.");
            return;
        }
        BlockingQueue<String> page = new ArrayBlockingQueue<>(WAITING);
        response.setContentType("text/event-stream;charset=utf-8");
        pages.add(page);
        last.values().forEach(page::offer);
        try {
            write(response, ": open\n\n");
            while (!closed) {
                String text = page.poll(SILENCE_SECONDS, TimeUnit.SECONDS);
                if (END.equals(text)) {
                    return;
                }
                write(response, text == null ? ": nothing new\n\n" : text);
            }
        } catch (InterruptedException stopping) {
            Thread.currentThread().interrupt();
        } finally {
            pages.remove(page);
        }
    }

    private static void write(HttpServletResponse response, String text) throws IOException {
        response.getOutputStream().write(text.getBytes(UTF_8));
        response.flushBuffer();
    }

    /** Ends all streams. */
    void close() {
        closed = true;
        pages.forEach(this::end);
    }
}
