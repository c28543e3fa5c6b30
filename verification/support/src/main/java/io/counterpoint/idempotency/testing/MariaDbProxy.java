package io.counterpoint.idempotency.testing;

import java.io.BufferedInputStream;
import java.io.DataInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
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
 * cut can arrive late. It reads statements that are sent as text, which is how drivers send them by default, without
 * encryption. A cut is armed once and used up by the first statement that fits.
 */
public final class MariaDbProxy extends ServerProxy {

    private static final int QUERY = 3;
    private static final long SECONDS_FOR_AN_ANSWER = 10;

    private final AtomicReference<@Nullable Rule> armed = new AtomicReference<>();
    private final Set<CountDownLatch> holds = ConcurrentHashMap.newKeySet();
    private volatile boolean hasCut;

    private MariaDbProxy(String jdbcUrl) {
        super(jdbcUrl);
    }

    private record Rule(Predicate<String> sql, Cut cut) {}

    /** Starts a proxy in front of the server, and for the database, of a JDBC URL with one host. */
    public static MariaDbProxy inFrontOf(String jdbcUrl) {
        return accepting(new MariaDbProxy(jdbcUrl));
    }

    @Override
    ProxiedConnection connection(int number, Socket client, Socket server) {
        return new Connection(number, client, server);
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
        setRefusing(true);
    }

    /** From now on new connections are reset, and all that there are. */
    public void goAway() {
        refuse();
        connections().forEach(ProxiedConnection::reset);
    }

    /** Only forwards again, and sends on what it holds. */
    public void heal() {
        setRefusing(false);
        armed.set(null);
        for (CountDownLatch hold : Set.copyOf(holds)) {
            holds.remove(hold);
            hold.countDown();
        }
    }

    /** Resets all connections and accepts no more. */
    @Override
    public void close() {
        goAway();
        super.close();
    }

    private final class Connection extends ProxiedConnection {
        private final CountDownLatch answered = new CountDownLatch(1);
        private volatile boolean losesAnswer;
        private volatile boolean sentLate;

        Connection(int number, Socket client, Socket server) {
            super(MariaDbProxy.this, number, client, server);
        }

        @Override
        void end() {
            reset();
        }

        /** A packet has a length of three bytes, the lowest first, and a number. */
        @Override
        void forwardToServer() throws IOException {
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
                    reset(client);
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
            while (holds.contains(hold) && !isClosed()) {
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
                    && rule.sql().test(sql(frame));
            return fits && armed.compareAndSet(rule, null) ? rule : null;
        }

        /** A driver of MySQL sends how many attributes a query has, none, and in how many sets they come, one. */
        private static String sql(byte[] frame) {
            int begin = frame.length > 7 && frame[5] == 0 && frame[6] == 1 ? 7 : 5;
            return new String(frame, begin, frame.length - begin, StandardCharsets.UTF_8);
        }

        @Override
        void forwardToClient() throws IOException {
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
    }
}
