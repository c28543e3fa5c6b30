package io.counterpoint.idempotency.torture;

import static java.nio.charset.StandardCharsets.UTF_8;

import com.sun.net.httpserver.HttpExchange;
import com.sun.net.httpserver.HttpServer;
import java.io.FileOutputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.io.UncheckedIOException;
import java.net.BindException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.Executor;
import java.util.concurrent.Executors;
import org.jspecify.annotations.Nullable;

/**
 * The other side of an external effect, as a process of its own. It charges once for each key, or declines, and answers
 * every later request under that key the same. The operating system gets each decision before it is answered, so that it
 * outlives the process. Orders are those of a {@link Worker}, and {@code cut}, which closes all connections.
 */
final class Provider {

    static final String CUT = "cut";
    static final int CHARGED = 200;
    static final int DECLINED = 402;

    private static final int FAILED = 500;
    private static final int DECLINED_OF_100 = 10;

    /** Each meets so many of a hundred requests, half of them before the decision and half of them after it. */
    private static final List<FaultType> FAULTS =
            List.of(FaultType.PROVIDER_SILENT, FaultType.PROVIDER_FAILED, FaultType.PROVIDER_LATE);

    private static final int EACH_OF_100 = 6;

    private final InetSocketAddress address;
    private final OutputStream ledger;
    private final History history;
    private final boolean hasFaults;
    private final Random random;
    private final Map<String, String> decided = new HashMap<>();
    private final Executor threads = Executors.newCachedThreadPool();
    private final CountDownLatch over = new CountDownLatch(1);
    private @Nullable HttpServer server;

    private Provider(int port, Path ledger, History history, boolean hasFaults, long seed) throws IOException {
        this.address = new InetSocketAddress(InetAddress.getLoopbackAddress(), port);
        decisions(ledger).forEach(decision -> decided.put(decision.hash, decision.result));
        this.ledger = new FileOutputStream(ledger.toFile(), true);
        // Ends a line that the last process has not.
        this.ledger.write('\n');
        this.history = history;
        this.hasFaults = hasFaults;
        this.random = new Random(seed);
    }

    /**
     * A decision about a key.
     *
     * @param result of the charge; empty if it was declined
     */
    record Decision(String hash, String key, String result, long millis) {
        private String line() {
            return hash + "\t" + key + "\t" + result + "\t" + millis + "\t.\n";
        }
    }

    /** All that were made, in their order. */
    static List<Decision> decisions(Path ledger) throws IOException {
        if (!Files.exists(ledger)) {
            return List.of();
        }
        return Files.readAllLines(ledger).stream()
                .map(line -> line.split("\t", -1))
                .filter(field -> field.length == 5)
                .map(field -> new Decision(field[0], field[1], field[2], Long.parseLong(field[3])))
                .toList();
    }

    /** Takes its port, its ledger, its history, whether it has faults, and a seed. */
    public static void main(String[] arguments) throws IOException, InterruptedException {
        System.setProperty("sun.net.httpserver.nodelay", "true");
        try (History history = History.at(Path.of(arguments[2]))) {
            Provider provider = new Provider(
                    Integer.parseInt(arguments[0]),
                    Path.of(arguments[1]),
                    history,
                    Boolean.parseBoolean(arguments[3]),
                    Long.parseLong(arguments[4]));
            provider.open();
            Heartbeat.begin(history);
            Worker.listen(provider::obey);
            System.out.println(Worker.READY);
            provider.over.await();
        }
        System.exit(0);
    }

    private void obey(String order) {
        if (order.equals(CUT)) {
            open();
        } else if (order.equals(Worker.STOP)) {
            over.countDown();
        }
    }

    /** Anew, if it is open: what is being carried out goes on, and nobody hears of it. */
    private void open() {
        if (server != null) {
            server.stop(0);
        }
        while (true) {
            try {
                server = HttpServer.create(address, 0);
                break;
            } catch (BindException theLastProcessIsNotGone) {
                pause(20);
            } catch (IOException e) {
                throw new UncheckedIOException(e);
            }
        }
        server.createContext("/", this::answer);
        server.setExecutor(threads);
        server.start();
    }

    private void answer(HttpExchange exchange) throws IOException {
        try (exchange) {
            String[] asked = new String(exchange.getRequestBody().readAllBytes(), UTF_8).split(" ", -1);
            int dice = hasFaults ? random.nextInt(100) / EACH_OF_100 : FAULTS.size();
            boolean decidesFirst = random.nextBoolean();
            if (!decidesFirst && isEnded(exchange, dice)) {
                return;
            }
            String result = decide(asked[0], asked[1], asked[2]);
            if (!decidesFirst || !isEnded(exchange, dice)) {
                reply(exchange, result.isEmpty() ? DECLINED : CHARGED, result);
            }
        }
    }

    /** Whether a fault ends it. Without a reply the connection is closed. */
    private boolean isEnded(HttpExchange exchange, int dice) throws IOException {
        if (dice >= FAULTS.size()) {
            return false;
        }
        FaultType fault = FAULTS.get(dice);
        history.noted(fault, 1);
        if (fault == FaultType.PROVIDER_LATE) {
            pause(random.nextInt((int) Mode.PROVIDER_WAIT.toMillis() * 2));
            return false;
        }
        if (fault == FaultType.PROVIDER_FAILED) {
            reply(exchange, FAILED, "");
        }
        return true;
    }

    private static void pause(long millis) {
        try {
            Thread.sleep(millis);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    private static void reply(HttpExchange exchange, int status, String body) throws IOException {
        byte[] bytes = body.getBytes(UTF_8);
        exchange.sendResponseHeaders(status, bytes.length == 0 ? -1 : bytes.length);
        exchange.getResponseBody().write(bytes);
    }

    private synchronized String decide(String hash, String key, String result) throws IOException {
        String before = decided.get(hash);
        if (before != null) {
            return before;
        }
        boolean declines = random.nextInt(100) < DECLINED_OF_100;
        Decision decision = new Decision(hash, key, declines ? "" : result, System.currentTimeMillis());
        ledger.write(decision.line().getBytes(UTF_8));
        decided.put(hash, decision.result);
        return decision.result;
    }
}
