package io.counterpoint.idempotency.examples.springboot;

import com.sun.net.httpserver.HttpExchange;
import com.sun.net.httpserver.HttpHandler;
import java.io.IOException;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;

/**
 * A provider that handles its next requests as a test has chosen. It loses a request or reply by closing the
 * connection.
 */
final class FaultyProvider extends DemoProvider {

    final AtomicInteger requests = new AtomicInteger();
    private final Queue<HttpHandler> next = new ConcurrentLinkedQueue<>();

    @Override
    public void handle(HttpExchange exchange) throws IOException {
        requests.incrementAndGet();
        HttpHandler chosen = next.poll();
        if (chosen == null) {
            super.handle(exchange);
        } else {
            chosen.handle(exchange);
        }
    }

    void recovers() {
        next.clear();
    }

    void losesRequest() {
        next.add(HttpExchange::close);
    }

    void losesReply() {
        next.add(exchange -> {
            String unused = charge(exchange);
            exchange.close();
        });
    }

    void answers(int status) {
        next.add(exchange -> answer(exchange, status, ""));
    }

    /** Closes the connection, keeps working on the request until the latch opens, and charges only then. */
    CountDownLatch isSlow() {
        CountDownLatch latch = new CountDownLatch(1);
        next.add(exchange -> {
            exchange.close();
            try {
                if (latch.await(1, TimeUnit.MINUTES)) {
                    String unused = charge(exchange);
                }
            } catch (InterruptedException stopped) {
                Thread.currentThread().interrupt();
            }
        });
        return latch;
    }
}
