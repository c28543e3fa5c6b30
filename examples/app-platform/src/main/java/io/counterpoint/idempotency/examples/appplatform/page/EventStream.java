package io.counterpoint.idempotency.examples.appplatform.page;

import static java.nio.charset.StandardCharsets.UTF_8;

import io.counterpoint.idempotency.examples.appplatform.http.Replies;
import io.counterpoint.idempotency.programs.Json;
import jakarta.servlet.http.HttpServlet;
import jakarta.servlet.http.HttpServletRequest;
import jakarta.servlet.http.HttpServletResponse;
import java.io.IOException;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;

/**
 * Server-sent events for every open page. When a page opens, it first receives the last event of each type. A page that
 * reads too slowly is disconnected, and its browser reconnects.
 */
final class EventStream extends HttpServlet {
    private static final long serialVersionUID = 1L;

    private static final int PAGES = 8;
    private static final int WAITING = 2_000;

    private final transient Map<String, String> last = new ConcurrentHashMap<>();
    /** The pending events of each open page. */
    private final transient Set<BlockingQueue<String>> pages = ConcurrentHashMap.newKeySet();

    /** Sends a transient event to the open pages. */
    void send(String type, Object content) {
        String text = "event: " + type + "\ndata: " + Json.of(content) + "\n\n";
        pages.removeIf(page -> !page.offer(text));
    }

    /** Sends the current state to the open pages, and to those that open later. */
    void show(String type, Object content) {
        String text = Json.of(content).toString();
        if (!text.equals(last.put(type, text))) {
            send(type, content);
        }
    }

    /** Whether a page is open. */
    boolean isWatched() {
        return !pages.isEmpty();
    }

    @Override
    protected void doGet(HttpServletRequest request, HttpServletResponse response) throws IOException {
        if (pages.size() >= PAGES) {
            Replies.problem(response, 503, "try-again", "At most " + PAGES + " pages may be open.");
            return;
        }
        BlockingQueue<String> page = new LinkedBlockingQueue<>(WAITING);
        pages.add(page);
        last.forEach((type, text) -> page.add("event: " + type + "\ndata: " + text + "\n\n"));
        response.setContentType("text/event-stream;charset=utf-8");
        try {
            while (pages.contains(page)) {
                String text = page.poll(1, TimeUnit.SECONDS);
                response.getOutputStream().write((text == null ? ": nothing new\n\n" : text).getBytes(UTF_8));
                response.flushBuffer();
            }
        } catch (InterruptedException stopping) {
            Thread.currentThread().interrupt();
        } finally {
            pages.remove(page);
        }
    }

    /** Ends all streams within a second. */
    void close() {
        pages.clear();
    }
}
