package io.counterpoint.idempotency.examples.appplatform.payment;

import static java.nio.charset.StandardCharsets.US_ASCII;

import com.sun.net.httpserver.HttpExchange;
import com.sun.net.httpserver.HttpServer;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.channels.FileChannel;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.StandardOpenOption;
import java.util.Optional;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;

/**
 * A payment provider like those that others run: it charges once per key, stores that on disk, and can be queried. It
 * may be killed at any moment. {@link #main} runs it as a process.
 *
 * <p>{@code PUT /payments/KEY} with an amount charges, {@code GET /payments/KEY} returns the amount charged, and
 * {@code GET /payments/} returns the number of charges.
 */
public class PaymentProvider implements AutoCloseable {

    /** The prefix of the first line that the process prints, followed by its URL. */
    public static final String READY = "listening on ";

    static final String PATH = "/payments/";

    /** Stored in place of an amount. */
    static final String REFUSED = "refused";

    private final Path folder;
    private final HttpServer server;
    private final ExecutorService threads = Executors.newCachedThreadPool();

    /**
     * Binds a port on this machine, but does not respond until {@link #start}.
     *
     * @param folder where payments are stored
     * @param port 0 for any free port
     * @throws IOException if it cannot listen
     */
    public PaymentProvider(Path folder, int port) throws IOException {
        this.folder = folder;
        server = HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), port), 256);
        server.setExecutor(threads);
    }

    /** Starts responding. */
    public void start() {
        server.createContext(PATH, this::payment);
        server.start();
    }

    /**
     * Runs a process: prints its URL, and serves until it is killed or its standard input ends, so it does not outlive
     * the process that started it.
     *
     * @param args the folder and, optionally, the port
     * @throws IOException if it cannot listen
     */
    public static void main(String[] args) throws IOException {
        PaymentProvider provider =
                new PaymentProvider(Path.of(args[0]), args.length > 1 ? Integer.parseInt(args[1]) : 0);
        provider.start();
        System.out.println(READY + provider.url());
        int unused = System.in.read();
        provider.close();
    }

    /**
     * The provider's URL.
     *
     * @return the URL, without a trailing slash
     */
    public String url() {
        return "http://127.0.0.1:" + server.getAddress().getPort();
    }

    /**
     * The number of payments charged.
     *
     * @return the number
     * @throws IOException if the folder cannot be read
     */
    public long charges() throws IOException {
        long charged = 0;
        try (DirectoryStream<Path> payments = Files.newDirectoryStream(folder, "[0-9a-f]*[0-9a-f]")) {
            for (Path payment : payments) {
                charged += Files.readString(payment).equals(REFUSED) ? 0 : 1;
            }
        }
        return charged;
    }

    private void payment(HttpExchange exchange) throws IOException {
        String key = exchange.getRequestURI().getPath().substring(PATH.length());
        if (key.isEmpty() && exchange.getRequestMethod().equals("GET")) {
            answer(exchange, 200, Long.toString(charges()));
        } else if (!key.matches("[0-9a-f]{64}")) {
            answer(exchange, 400, "A key must be 64 lower-case hexadecimal digits.");
        } else if (exchange.getRequestMethod().equals("GET")) {
            Optional<String> there = remembered(key).filter(amount -> !amount.equals(REFUSED));
            answer(exchange, there.isPresent() ? 200 : 404, there.orElse(""));
        } else if (exchange.getRequestMethod().equals("PUT")) {
            pay(exchange, key);
        } else {
            answer(exchange, 405, "");
        }
    }

    private void pay(HttpExchange exchange, String key) throws IOException {
        String amount = new String(exchange.getRequestBody().readNBytes(100), US_ASCII);
        if (amount.matches("[1-9][0-9]{0,17}")) {
            pay(exchange, key, amount);
        } else {
            answer(exchange, 400, "An amount must be a positive integer.");
        }
    }

    /** Charges and responds. Faulty providers override this. */
    void pay(HttpExchange exchange, String key, String amount) throws IOException {
        String decided = decide(key, amount);
        if (decided.equals(REFUSED)) {
            answer(exchange, 402, REFUSED);
        } else {
            answer(exchange, decided.equals(amount) ? 200 : 409, decided);
        }
    }

    /** The first decision for a key is final, even across {@code kill -9}. */
    synchronized String decide(String key, String decision) throws IOException {
        Optional<String> before = remembered(key);
        if (before.isPresent()) {
            return before.get();
        }
        Path written = folder.resolve(key + ".new");
        Files.writeString(written, decision, US_ASCII);
        try (FileChannel channel = FileChannel.open(written, StandardOpenOption.WRITE)) {
            channel.force(true);
        }
        Path unused = Files.move(written, folder.resolve(key), StandardCopyOption.ATOMIC_MOVE);
        return decision;
    }

    private Optional<String> remembered(String key) throws IOException {
        Path file = folder.resolve(key);
        return Files.exists(file) ? Optional.of(Files.readString(file, US_ASCII)) : Optional.empty();
    }

    private static void answer(HttpExchange exchange, int status, String text) throws IOException {
        byte[] bytes = text.getBytes(US_ASCII);
        exchange.sendResponseHeaders(status, bytes.length == 0 ? -1 : bytes.length);
        exchange.getResponseBody().write(bytes);
        exchange.close();
    }

    /** Closes all connections. */
    @Override
    public void close() {
        server.stop(0);
        threads.shutdownNow();
    }
}
