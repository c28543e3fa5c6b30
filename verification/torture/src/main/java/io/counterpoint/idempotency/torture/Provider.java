package io.counterpoint.idempotency.torture;

import static java.nio.charset.StandardCharsets.UTF_8;

import com.sun.net.httpserver.HttpExchange;
import com.sun.net.httpserver.HttpServer;
import java.io.FileOutputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.net.BindException;
import java.net.HttpURLConnection;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.concurrent.Executors;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;

/**
 * The remote side of an external effect, as a separate process. It charges once per key, or declines, and answers every
 * later request for that key in the same way. Each decision is written to the operating system before the response, so
 * it survives the process. It takes the orders of a {@link Worker}, and {@code cut}, which closes all connections.
 */
final class Provider {

    static final String CUT = "cut";

    private static final int DECLINED_OF_100 = 10;

    /** Each one hits {@code EACH_OF_100} of a hundred requests, half of them before the decision, half after it. */
    private static final List<FaultType> FAULTS =
            List.of(FaultType.PROVIDER_SILENT, FaultType.PROVIDER_FAILED, FaultType.PROVIDER_LATE);

    private static final int EACH_OF_100 = 6;

    private final InetSocketAddress address;
    private final OutputStream ledger;
    private final History history;
    private final boolean hasFaults;
    private final Random random;
    private final Map<String, Decision> decided = new HashMap<>();
    private HttpServer server;

    /** Arguments: its port, its ledger, its history, and a seed; 0 for no faults. */
    private Provider(String... arguments) throws IOException {
        address = new InetSocketAddress(InetAddress.getLoopbackAddress(), Integer.parseInt(arguments[0]));
        server = bind();
        Path path = Path.of(arguments[1]);
        decisions(path).forEach(decision -> decided.put(decision.hash, decision));
        ledger = new FileOutputStream(path.toFile(), true);
        // Terminates a line that the previous process may have left incomplete.
        ledger.write('\n');
        history = History.at(Path.of(arguments[2]));
        random = new Random(Long.parseLong(arguments[3]));
        hasFaults = !arguments[3].equals("0");
    }

    /** Waits until the previous process, which may still be writing to the ledger, is gone. */
    private HttpServer bind() throws IOException {
        while (true) {
            try {
                return HttpServer.create(address, 0);
            } catch (BindException taken) {
                pause(20);
            }
        }
    }

    /**
     * A decision about a key.
     *
     * @param result the result of the charge; empty if it was declined
     */
    record Decision(String hash, String key, String result, long millis) {}

    /** All decisions, in order. */
    static List<Decision> decisions(Path ledger) throws IOException {
        return (Files.exists(ledger) ? Files.readAllLines(ledger) : List.<String>of())
                .stream()
                        .map(line -> line.split("\t", -1))
                        .filter(field -> field.length == 5)
                        .map(field -> new Decision(field[0], field[1], field[2], Long.parseLong(field[3])))
                        .toList();
    }

    public static void main(String[] arguments) throws IOException {
        Provider provider = new Provider(arguments);
        provider.serve();
        Heartbeat.begin(provider.history);
        Worker.listen(provider::obey);
        System.out.println(Worker.READY);
    }

    private void serve() {
        server.createContext("/", this::answer);
        server.setExecutor(Executors.newCachedThreadPool());
        server.start();
    }

    /** After a cut, requests in progress continue, but nobody gets a response. */
    private void obey(String order) throws IOException {
        if (order.equals(CUT)) {
            server.stop(0);
            server = bind();
            serve();
        } else if (order.equals(Worker.STOP)) {
            System.exit(0);
        }
    }

    private void answer(HttpExchange exchange) throws IOException {
        try (exchange) {
            String[] asked = exchange.getRequestURI().getPath().split("/", -1);
            int dice = hasFaults ? random.nextInt(100) / EACH_OF_100 : FAULTS.size();
            boolean decidesFirst = random.nextBoolean();
            if (!decidesFirst && isEnded(exchange, dice)) {
                return;
            }
            String result = decide(asked[1], asked[2], asked[3]);
            if (!decidesFirst || !isEnded(exchange, dice)) {
                reply(
                        exchange,
                        result.isEmpty() ? HttpURLConnection.HTTP_PAYMENT_REQUIRED : HttpURLConnection.HTTP_OK,
                        result);
            }
        }
    }

    /** Whether a fault ended the request. Without a response, the connection is closed. */
    private boolean isEnded(HttpExchange exchange, int dice) throws IOException {
        if (dice >= FAULTS.size()) {
            return false;
        }
        FaultType fault = FAULTS.get(dice);
        history.noted(fault, 1);
        if (fault == FaultType.PROVIDER_LATE) {
            pause(random.nextInt((int) Mode.PROVIDER_WAIT.toMillis() * 2));
        } else if (fault == FaultType.PROVIDER_FAILED) {
            reply(exchange, HttpURLConnection.HTTP_INTERNAL_ERROR, "");
        }
        return fault != FaultType.PROVIDER_LATE;
    }

    private static void pause(long millis) {
        LockSupport.parkNanos(TimeUnit.MILLISECONDS.toNanos(millis));
    }

    private static void reply(HttpExchange exchange, int status, String body) throws IOException {
        exchange.sendResponseHeaders(status, body.isEmpty() ? -1 : body.length());
        exchange.getResponseBody().write(body.getBytes(UTF_8));
    }

    private synchronized String decide(String hash, String key, String result) throws IOException {
        if (!decided.containsKey(hash)) {
            boolean declines = random.nextInt(100) < DECLINED_OF_100;
            Decision made = new Decision(hash, key, declines ? "" : result, System.currentTimeMillis());
            ledger.write(String.join("\t", hash, key, made.result, made.millis + "\t.\n")
                    .getBytes(UTF_8));
            decided.put(hash, made);
        }
        return decided.get(hash).result;
    }
}
