package io.counterpoint.idempotency.servlet;

import io.counterpoint.idempotency.Idempotency;
import io.counterpoint.idempotency.memory.InMemoryIdempotencyStore;
import java.io.DataInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.net.InetAddress;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.concurrent.atomic.AtomicLong;
import org.eclipse.jetty.io.ArrayByteBufferPool;

/**
 * Measures what the filter costs a replayed request: the same handler, answering the same bytes, on two servers in one
 * process, one without the filter and one with it over the in-memory store. Rounds alternate.
 */
final class Throughput {

    private static final int CLIENTS = 8;
    private static final int WARM_UP = 500_000;
    private static final String BODY =
            "{\"from\":\"a-1\",\"to\":\"b-2\",\"cents\":1250,\"text\":\"" + "x".repeat(200) + "\"}";
    private static final String ANSWER = "{\"transfer\":\"7\",\"state\":\"done\",\"text\":\"" + "y".repeat(200) + "\"}";

    private Throughput() {}

    /** Arguments: how many rounds, and how many seconds each. */
    public static void main(String[] args) throws Exception {
        int rounds = args.length > 0 ? Integer.parseInt(args[0]) : 10;
        int seconds = args.length > 1 ? Integer.parseInt(args[1]) : 2;
        FilterManaged style = FilterManaged.storedIn(Idempotency.on(new InMemoryIdempotencyStore()), "transfer")
                .build();
        IdempotencyFilter filter = IdempotencyFilter.scopedBy(ScopeResolver.anonymous())
                .elsewhere(RoutePolicy.required().responses(style))
                .build();
        try (TestServer without = new TestServer(new JettyContainer(new ArrayByteBufferPool()))
                        .handle("/*", Throughput::handle)
                        .start();
                TestServer with = new TestServer(new JettyContainer(new ArrayByteBufferPool()))
                        .filter(filter)
                        .handle("/*", Throughput::handle)
                        .start()) {
            // By requests, not by time: on a busy machine the compiler takes longer.
            for (double requests = 0; requests < WARM_UP; ) {
                requests += seconds * (measure(without, seconds) + measure(with, seconds));
            }
            double[] ratios = new double[rounds];
            for (int i = 0; i < rounds; i++) {
                double plain = measure(without, seconds);
                double replayed = measure(with, seconds);
                ratios[i] = replayed / plain;
                System.out.printf(
                        "round %2d: without %7.0f/s, replayed through the filter %7.0f/s, ratio %.2f%n",
                        i + 1, plain, replayed, ratios[i]);
            }
            Arrays.sort(ratios);
            System.out.printf(
                    "ratio: median %.2f, quartiles %.2f and %.2f, %d rounds of %d s, %d clients%n",
                    ratios[rounds / 2], ratios[rounds / 4], ratios[rounds * 3 / 4], rounds, seconds, CLIENTS);
        }
    }

    private static void handle(
            jakarta.servlet.http.HttpServletRequest request, jakarta.servlet.http.HttpServletResponse response)
            throws IOException {
        request.getInputStream().readAllBytes();
        response.setStatus(201);
        response.setContentType("application/json");
        response.getOutputStream().write(ANSWER.getBytes(StandardCharsets.US_ASCII));
    }

    /** Requests answered in one second, from all clients together. */
    private static double measure(TestServer server, int seconds) throws InterruptedException {
        AtomicLong answered = new AtomicLong();
        long start = System.nanoTime();
        long end = start + seconds * 1_000_000_000L;
        Thread[] clients = new Thread[CLIENTS];
        for (int i = 0; i < CLIENTS; i++) {
            int number = i;
            clients[i] = new Thread(() -> answered.addAndGet(send(server.port(), "k-" + number, end)));
            clients[i].start();
        }
        for (Thread client : clients) {
            client.join();
        }
        return answered.get() * 1e9 / (System.nanoTime() - start);
    }

    private static long send(int port, String key, long end) {
        byte[] request = ("POST /transfers HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\nIdempotency-Key: \""
                        + key + "\"\r\nContent-Length: " + BODY.length() + "\r\n\r\n" + BODY)
                .getBytes(StandardCharsets.US_ASCII);
        long answered = 0;
        try (Socket socket = new Socket(InetAddress.getLoopbackAddress(), port)) {
            socket.setTcpNoDelay(true);
            InputStream in = new java.io.BufferedInputStream(socket.getInputStream());
            DataInputStream data = new DataInputStream(in);
            byte[] body = new byte[ANSWER.length()];
            while (System.nanoTime() < end) {
                socket.getOutputStream().write(request);
                for (int newLines = 0; newLines < 4; ) {
                    int read = in.read();
                    newLines = read == '\r' || read == '\n' ? newLines + 1 : 0;
                }
                data.readFully(body);
                answered++;
            }
        } catch (IOException e) {
            throw new IllegalStateException(e);
        }
        return answered;
    }
}
