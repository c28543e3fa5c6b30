package io.counterpoint.idempotency.servlet;

import io.counterpoint.idempotency.Idempotency;
import io.counterpoint.idempotency.memory.InMemoryIdempotencyStore;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.lang.management.ManagementFactory;
import java.net.InetAddress;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.util.concurrent.atomic.AtomicInteger;

/**
 * Sends one large body through the filter, twice, in a process with a small heap: its handler reads it once, and the retry
 * is a replay. Prints how long that took, and the largest heap.
 */
final class Upload {

    private static final long MEBIBYTE = 1024L * 1024;

    private Upload() {}

    /** Arguments: how many MiB. */
    public static void main(String[] args) throws Exception {
        long bytes = Long.parseLong(args[0]) * MEBIBYTE;
        AtomicInteger runs = new AtomicInteger();
        FilterManaged style = FilterManaged.storedIn(Idempotency.on(new InMemoryIdempotencyStore()), "upload")
                .build();
        IdempotencyFilter filter = IdempotencyFilter.scopedBy(ScopeResolver.anonymous())
                .elsewhere(RoutePolicy.required().maxRequestBody(bytes).responses(style))
                .build();
        try (TestServer server = new TestServer()
                .filter(filter)
                .handle("/*", (request, response) -> {
                    runs.incrementAndGet();
                    response.getWriter().write("read " + count(request.getInputStream()));
                })
                .start()) {
            for (String what : new String[] {"first", "retry"}) {
                long start = System.nanoTime();
                String answer = upload(server.port(), bytes);
                double seconds = (System.nanoTime() - start) / 1e9;
                System.out.printf(
                        "%s: %d MiB in %.1f s (%.0f MiB/s)%n",
                        what, bytes / MEBIBYTE, seconds, bytes / (double) MEBIBYTE / seconds);
                if (!answer.startsWith("HTTP/1.1 200") || !answer.endsWith("read " + bytes)) {
                    throw new IllegalStateException("Unexpected answer: " + answer);
                }
                if (answer.contains("Idempotent-Replayed: true") != what.equals("retry")) {
                    throw new IllegalStateException("Expected a replay of the retry only: " + answer);
                }
            }
        }
        if (runs.get() != 1) {
            throw new IllegalStateException("The handler ran " + runs + " times.");
        }
        long peak = ManagementFactory.getMemoryPoolMXBeans().stream()
                .filter(pool -> pool.getType() == java.lang.management.MemoryType.HEAP)
                .mapToLong(pool -> pool.getPeakUsage().getUsed())
                .sum();
        System.out.printf(
                "heap: at most %d MiB used, %d MiB allowed%n",
                peak / MEBIBYTE, Runtime.getRuntime().maxMemory() / MEBIBYTE);
    }

    private static long count(InputStream in) throws IOException {
        byte[] chunk = new byte[64 * 1024];
        long count = 0;
        for (int read; (read = in.read(chunk)) >= 0; ) {
            count += read;
        }
        return count;
    }

    private static String upload(int port, long bytes) throws IOException {
        try (Socket socket = new Socket(InetAddress.getLoopbackAddress(), port)) {
            OutputStream out = socket.getOutputStream();
            out.write(("POST /upload HTTP/1.1\r\nHost: x\r\nConnection: close\r\nIdempotency-Key: \"large\"\r\n"
                            + "Content-Length: " + bytes + "\r\n\r\n")
                    .getBytes(StandardCharsets.US_ASCII));
            byte[] chunk = new byte[64 * 1024];
            for (long left = bytes; left > 0; left -= chunk.length) {
                out.write(chunk, 0, (int) Math.min(left, chunk.length));
            }
            return new String(socket.getInputStream().readAllBytes(), StandardCharsets.US_ASCII);
        }
    }
}
