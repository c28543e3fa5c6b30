package io.counterpoint.idempotency.testing;

import java.io.BufferedInputStream;
import java.io.DataInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/**
 * A proxy in front of MariaDB or MySQL that cuts a connection at a statement: before the server gets it, or after the
 * server has answered it. A statement that is
 * cut can arrive late. It reads statements that are sent as text, which is how drivers send them as built, without
 * encryption. A cut is armed once and used up by the first statement that fits.
 */
public final class MariaDbProxy implements AutoCloseable {

    private static final byte[] LOCALHOST = {127, 0, 0, 1};
    private static final int QUERY = 3;
    private static final long SECONDS_FOR_AN_ANSWER = 10;

    private final JdbcUrl target;
    private final ServerSocket listener;
    private final Set<Connection> connections = ConcurrentHashMap.newKeySet();
    private final AtomicReference<@Nullable Rule> armed = new AtomicReference<>();
    private final Set<CountDownLatch> holds = ConcurrentHashMap.newKeySet();
    private volatile boolean hasCut;
    private volatile boolean refusing;

    private MariaDbProxy(JdbcUrl target, ServerSocket listener) {
        this.target = target;
        this.listener = listener;
    }

    private record Rule(Predicate<String> sql, Cut cut) {}

    /** Starts a proxy in front of the server, and for the database, of a JDBC URL with one host. */
    public static MariaDbProxy inFrontOf(String jdbcUrl) {
        try {
            MariaDbProxy proxy = new MariaDbProxy(
                    JdbcUrl.parse(jdbcUrl), new ServerSocket(0, 0, InetAddress.getByAddress(LOCALHOST)));
            inBackground(proxy::accept);
            return proxy;
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private static void inBackground(Runnable work) {
        Thread thread = new Thread(work, "proxy of MariaDB");
        thread.setDaemon(true);
        thread.start();
    }

    private void accept() {
        while (!listener.isClosed()) {
            try {
                Socket client = listener.accept();
                if (refusing) {
                    client.setSoLinger(true, 0);
                    client.close();
                } else {
                    new Connection(client, new Socket(target.host(), target.port())).start();
                }
            } catch (IOException clientOrServerIsGone) {
                // The next client, if there is one.
            }
        }
    }

    /** The JDBC URL of the database behind this proxy, through this proxy; options may be appended as {@code &name=value}. */
    public String jdbcUrl() {
        return target.at("127.0.0.1", listener.getLocalPort()).toString();
    }

    /**
     * Cuts at the next statement whose SQL fits.
     *
     * @param cut {@link Cut#BEFORE_SEND}, {@link Cut#AFTER_ANSWER} or {@link Cut#LATE}
     */
    public void onNextStatement(Predicate<String> sql, Cut cut) {
        if (cut == Cut.AFTER_SEND || cut == Cut.HOLD) {
            throw new IllegalArgumentException("This proxy cannot make the cut " + cut + ".");
        }
        hasCut = false;
        armed.set(new Rule(sql, cut));
    }

    /** Whether the armed cut has been made. */
    public boolean hasCut() {
        return hasCut;
    }

    /** From now on new connections are reset; those that there are go on. */
    public void refuse() {
        refusing = true;
    }

    /** From now on new connections are reset, and all that there are. */
    public void goAway() {
        refuse();
        connections.forEach(Connection::reset);
    }

    /** Only forwards again, and sends on what it holds. */
    public void heal() {
        refusing = false;
        armed.set(null);
        for (CountDownLatch hold : Set.copyOf(holds)) {
            holds.remove(hold);
            hold.countDown();
        }
    }

    /** Closes all connections and accepts no more. */
    @Override
    public void close() {
        try {
            listener.close();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
        connections.forEach(Connection::reset);
    }

    /** One client and its connection to the server, with a thread for each direction. */
    private final class Connection {
        private final Socket client;
        private final Socket server;
        private final CountDownLatch answered = new CountDownLatch(1);
        private volatile boolean losesAnswer;
        private volatile boolean sentLate;

        Connection(Socket client, Socket server) {
            this.client = client;
            this.server = server;
        }

        void start() throws IOException {
            client.setTcpNoDelay(true);
            server.setTcpNoDelay(true);
            connections.add(this);
            inBackground(() -> run(this::toServer));
            inBackground(() -> run(this::toClient));
        }

        private interface Forwarding {
            void run() throws IOException;
        }

        private void run(Forwarding forwarding) {
            try {
                forwarding.run();
            } catch (IOException broken) {
                // One side is gone: so is the connection.
            } finally {
                reset();
            }
        }

        /** A packet has a length of three bytes, the lowest first, and a number. */
        private void toServer() throws IOException {
            DataInputStream in = new DataInputStream(new BufferedInputStream(client.getInputStream()));
            OutputStream out = server.getOutputStream();
            byte[] head = new byte[4];
            for (; ; ) {
                in.readFully(head);
                byte[] frame = new byte[4 + ((head[0] & 255) | (head[1] & 255) << 8 | (head[2] & 255) << 16)];
                System.arraycopy(head, 0, frame, 0, 4);
                in.readFully(frame, 4, frame.length - 4);
                Rule rule = taken(frame);
                if (rule != null && rule.cut() == Cut.BEFORE_SEND) {
                    hasCut = true;
                    return;
                }
                if (rule != null && rule.cut() == Cut.LATE) {
                    resetClient();
                    hasCut = true;
                    holdUntilHealed();
                    sentLate = true;
                    out.write(frame);
                    out.flush();
                    // This connection does not end before the server has done its part.
                    await(answered);
                    return;
                }
                losesAnswer |= rule != null;
                out.write(frame);
                out.flush();
            }
        }

        private void holdUntilHealed() throws IOException {
            CountDownLatch hold = new CountDownLatch(1);
            holds.add(hold);
            while (holds.contains(hold) && !server.isClosed()) {
                await(hold);
            }
        }

        private void await(CountDownLatch latch) throws IOException {
            try {
                boolean unused = latch.await(SECONDS_FOR_AN_ANSWER, TimeUnit.SECONDS);
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
                throw new IOException(e);
            }
        }

        private @Nullable Rule taken(byte[] frame) {
            Rule rule = armed.get();
            boolean fits = rule != null
                    && frame.length > 5
                    && frame[3] == 0
                    && frame[4] == QUERY
                    && rule.sql().test(new String(frame, 5, frame.length - 5, StandardCharsets.UTF_8));
            return fits && armed.compareAndSet(rule, null) ? rule : null;
        }

        private void toClient() throws IOException {
            InputStream in = server.getInputStream();
            OutputStream out = client.getOutputStream();
            byte[] buffer = new byte[8192];
            for (int read = in.read(buffer); read >= 0; read = in.read(buffer)) {
                if (sentLate) {
                    answered.countDown();
                }
                if (losesAnswer) {
                    hasCut = true;
                    return;
                }
                out.write(buffer, 0, read);
                out.flush();
            }
        }

        void reset() {
            connections.remove(this);
            resetClient();
            try {
                server.close();
            } catch (IOException alreadyClosed) {
                // Then there is nothing left to reset.
            }
        }

        private void resetClient() {
            try {
                client.setSoLinger(true, 0);
                client.close();
            } catch (IOException alreadyClosed) {
                // Then there is nothing left to reset.
            }
        }
    }
}
