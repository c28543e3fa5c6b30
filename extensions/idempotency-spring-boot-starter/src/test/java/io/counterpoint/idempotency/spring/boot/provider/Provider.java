package io.counterpoint.idempotency.spring.boot.provider;

import com.sun.net.httpserver.HttpExchange;
import com.sun.net.httpserver.HttpServer;
import java.io.IOException;
import java.io.OutputStream;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.HashSet;
import java.util.Set;
import java.util.concurrent.Executors;
import java.util.concurrent.atomic.AtomicInteger;

/**
 * A payment provider in a process of its own, to be killed at any time. It charges once for each key, which it remembers in a
 * file, and loses answers: of every eight requests one before its charge and two after it.
 */
final class Provider {

    private static final int LOSSES = 8;

    private final Path file;
    private final Set<String> charged = new HashSet<>();
    private final AtomicInteger requests = new AtomicInteger();

    private Provider(Path file) throws IOException {
        this.file = file;
        for (String line : Files.exists(file) ? Files.readAllLines(file) : java.util.List.<String>of()) {
            charged.add(line.split(" ", 2)[0]);
        }
    }

    /** Arguments: the file of all charges. Prints its port. */
    public static void main(String[] args) throws IOException {
        Provider provider = new Provider(Path.of(args[0]));
        HttpServer server = HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
        server.setExecutor(Executors.newFixedThreadPool(8));
        server.createContext("/charges", provider::answer);
        server.start();
        System.out.println(server.getAddress().getPort());
        // Ends with the process that started it, at the latest.
        int unused = System.in.read();
        Runtime.getRuntime().halt(0);
    }

    private void answer(HttpExchange exchange) throws IOException {
        String cents = new String(exchange.getRequestBody().readAllBytes(), StandardCharsets.UTF_8);
        int request = requests.incrementAndGet() % LOSSES;
        if (request == 1) {
            exchange.close();
            return;
        }
        charge(exchange.getRequestHeaders().getFirst("Idempotency-Key"), cents);
        if (request == 2 || request == 3) {
            exchange.close();
            return;
        }
        exchange.sendResponseHeaders(200, -1);
        exchange.close();
    }

    /** The line is the effect: it is whole or not there, however the process ends. */
    private synchronized void charge(String key, String cents) throws IOException {
        if (charged.add(key)) {
            try (OutputStream out = Files.newOutputStream(file, StandardOpenOption.CREATE, StandardOpenOption.APPEND)) {
                out.write((key + " " + cents + "\n").getBytes(StandardCharsets.UTF_8));
            }
        }
    }
}
