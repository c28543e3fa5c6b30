package io.counterpoint.idempotency.examples.springboot;

import com.sun.net.httpserver.HttpExchange;
import com.sun.net.httpserver.HttpHandler;
import com.sun.net.httpserver.HttpServer;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.charset.StandardCharsets;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.Executors;
import java.util.concurrent.atomic.AtomicInteger;

/** A provider in this process, for demonstrations. It charges once per key and declines the card {@code declined}. */
class DemoProvider implements HttpHandler {

    /** The charge's identifier for each key. */
    final Map<String, String> charges = new ConcurrentHashMap<>();

    final AtomicInteger charged = new AtomicInteger();

    /** Starts the provider on a free port and returns its URL. */
    String start() {
        try {
            HttpServer server = HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
            server.setExecutor(Executors.newCachedThreadPool());
            server.createContext("/charges", this);
            server.start();
            return "http://127.0.0.1:" + server.getAddress().getPort() + "/charges";
        } catch (IOException noPort) {
            throw new UncheckedIOException(noPort);
        }
    }

    @Override
    public void handle(HttpExchange exchange) throws IOException {
        String order = new String(exchange.getRequestBody().readAllBytes(), StandardCharsets.UTF_8);
        if (order.startsWith("declined ")) {
            answer(exchange, 402, "The card is declined.");
        } else {
            answer(exchange, 201, charge(exchange));
        }
    }

    String charge(HttpExchange exchange) {
        return charges.computeIfAbsent(
                exchange.getRequestHeaders().getFirst("Idempotency-Key"), key -> "ch_" + charged.incrementAndGet());
    }

    static void answer(HttpExchange exchange, int status, String body) throws IOException {
        byte[] bytes = body.getBytes(StandardCharsets.UTF_8);
        exchange.sendResponseHeaders(status, bytes.length);
        exchange.getResponseBody().write(bytes);
        exchange.close();
    }
}
