package io.counterpoint.idempotency.testing.bridge;

import static java.nio.charset.StandardCharsets.UTF_8;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.util.HashMap;
import java.util.Locale;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicBoolean;
import org.jspecify.annotations.Nullable;

/**
 * A node of the service as a program: it reads payments from its standard input, and stops wherever each of them says.
 */
public final class BridgeNode {

    /** The prefix of a node's messages to its parent. */
    static final String SIGN = "bridge: ";

    private static final ThreadLocal<@Nullable Order> CURRENT = new ThreadLocal<>();

    private BridgeNode() {}

    /** The use case. */
    public interface Payments {

        /**
         * Pays.
         *
         * @return the receipt
         */
        String pay(String userId, String requestId, long cents) throws Exception;
    }

    /** A call, and where it stops. */
    private record Order(String id, Stop stop, AtomicBoolean paid, CountDownLatch go) {

        void at(Stop here) {
            if (here != stop || go.getCount() == 0) {
                return;
            }
            say("stopped " + id);
            try {
                go.await();
            } catch (InterruptedException e) {
                throw new IllegalStateException(e);
            }
        }
    }

    /** Serves until standard input ends. */
    public static void serve(Payments payments) throws IOException {
        Map<String, Order> orders = new HashMap<>();
        BufferedReader lines = new BufferedReader(new InputStreamReader(System.in, UTF_8));
        say("ready");
        for (String line = lines.readLine(); line != null; line = lines.readLine()) {
            String[] words = line.split(" ", -1);
            if (words[0].equals("go")) {
                Objects.requireNonNull(orders.get(words[1])).go().countDown();
            } else {
                Order order = new Order(words[0], Stop.valueOf(words[1]), new AtomicBoolean(), new CountDownLatch(1));
                orders.put(order.id(), order);
                new Thread(() -> run(payments, order, words[2], words[3], Long.parseLong(words[4]))).start();
            }
        }
        Runtime.getRuntime().halt(0);
    }

    private static void run(Payments payments, Order order, String userId, String requestId, long cents) {
        CURRENT.set(order);
        String answer;
        try {
            answer = "receipt " + payments.pay(userId, requestId, cents);
        } catch (Exception thrown) {
            answer = thrown.getClass().getSimpleName() + " " + thrown.getMessage();
        }
        order.at(Stop.BEFORE_THE_REPLY);
        say("answer " + order.id() + " " + answer.lines().findFirst().orElse(""));
    }

    /** Called when a statement or a COMMIT is about to be sent. */
    static void sending(String sql) {
        Order order = CURRENT.get();
        if (order == null) {
            return;
        }
        String text = sql.toLowerCase(Locale.ROOT);
        if (text.startsWith("insert into processed_request")) {
            order.at(Stop.BEFORE_THE_KEY);
        } else if (text.startsWith("insert into payment")) {
            order.at(Stop.BEFORE_THE_EFFECT);
            order.paid().set(true);
        } else if (sql.contains("COMMIT") && order.paid().get()) {
            order.at(Stop.BEFORE_THE_COMMIT);
        }
    }

    private static void say(String what) {
        synchronized (System.out) {
            System.out.println(SIGN + what);
            System.out.flush();
        }
    }
}
