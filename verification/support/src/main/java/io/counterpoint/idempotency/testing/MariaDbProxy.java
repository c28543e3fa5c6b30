package io.counterpoint.idempotency.testing;

import java.io.BufferedInputStream;
import java.io.DataInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.net.Socket;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.charset.StandardCharsets;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/**
 * A proxy in front of MariaDB or MySQL that cuts a connection at a statement, before the server gets it or after the
 * server has replied. A statement that is cut off can arrive late. The proxy understands text and prepared statements,
 * without encryption.
 */
public final class MariaDbProxy extends StatementProxy {

    private static final int QUERY = 3;
    private static final int PREPARE = 22;
    private static final int EXECUTE = 23;

    /**
     * The statement id with which a client executes the statement that it has just prepared, before it has the reply to
     * that.
     */
    private static final int PREPARED_LAST = -1;

    private static final long SECONDS_FOR_AN_ANSWER = 10;

    private MariaDbProxy(String jdbcUrl) {
        super(jdbcUrl);
    }

    /** Starts a proxy in front of the server and database of a JDBC URL with one host. */
    public static MariaDbProxy inFrontOf(String jdbcUrl) {
        return accepting(new MariaDbProxy(jdbcUrl));
    }

    @Override
    ProxiedConnection connection(int number, Socket client, Socket server) {
        return new Connection(number, client, server);
    }

    /** {@link Cut#AFTER_SEND} is not supported. */
    @Override
    public synchronized void onNextStatement(Predicate<String> sql, Cut cut) {
        if (cut == Cut.AFTER_SEND) {
            throw new IllegalArgumentException("This proxy cannot make the cut " + cut + ".");
        }
        super.onNextStatement(sql, cut);
    }

    /** Resets all connections and accepts no more. */
    @Override
    public void close() {
        goAway();
        super.close();
    }

    private final class Connection extends ProxiedConnection {
        private final CountDownLatch answered = new CountDownLatch(1);
        /** Whether the client has sent a command, and is therefore authenticated. */
        private volatile boolean started;

        /** The prepared statements, by the server's statement ids. */
        private final Map<Integer, String> prepared = new ConcurrentHashMap<>();

        private volatile String preparedLast = "";
        private volatile CountDownLatch preparation = new CountDownLatch(0);

        private volatile boolean losesAnswer;
        private volatile boolean sentLate;

        Connection(int number, Socket client, Socket server) {
            super(MariaDbProxy.this, number, client, server);
        }

        /** While nothing may pass, the other side must not notice that this one has closed. */
        @Override
        void end() {
            awaitPassage(this);
            reset();
        }

        /**
         * A packet begins with its length in three bytes, little-endian, and a sequence number, which is 0 at the start
         * of a command.
         */
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
                awaitPassage(this);
                started |= frame[3] == 0;
                String sql = sql(frame);
                Cut cut = sql == null ? null : rules.takeFor(sql, false);
                if (cut == Cut.BEFORE_SEND || (started && rules.isMessageTooMany())) {
                    cut(this);
                    return;
                }
                if (cut == Cut.LATE) {
                    reset(client);
                    sentLate = true;
                }
                if (cut == Cut.LATE || cut == Cut.HOLD) {
                    hold(this);
                    awaitPassage(this);
                }
                if (cut == Cut.AFTER_ANSWER) {
                    await(preparation);
                    losesAnswer = true;
                }
                out.write(frame);
                out.flush();
                if (cut == Cut.LATE) {
                    // Keeps the connection until the server has done its part.
                    await(answered);
                    return;
                }
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

        /** The SQL of the statement that a frame executes. */
        private @Nullable String sql(byte[] frame) {
            int command = frame.length > 5 && frame[3] == 0 ? frame[4] : 0;
            if (command == PREPARE) {
                preparation = new CountDownLatch(1);
                preparedLast = new String(frame, 5, frame.length - 5, StandardCharsets.UTF_8);
            } else if (command == EXECUTE) {
                int id = number(frame);
                return id == PREPARED_LAST ? preparedLast : prepared.get(id);
            }
            return command == QUERY ? text(frame) : null;
        }

        private static int number(byte[] frame) {
            return ByteBuffer.wrap(frame).order(ByteOrder.LITTLE_ENDIAN).getInt(5);
        }

        /** MySQL's driver precedes a query with its number of attributes, 0, and the number of parameter sets, 1. */
        private static String text(byte[] frame) {
            int begin = frame.length > 7 && frame[5] == 0 && frame[6] == 1 ? 7 : 5;
            return new String(frame, begin, frame.length - begin, StandardCharsets.UTF_8);
        }

        /** Whatever is read at once counts as one message. */
        @Override
        void forwardToClient() throws IOException {
            InputStream in = server.getInputStream();
            OutputStream out = client.getOutputStream();
            byte[] buffer = new byte[8192];
            for (int read = in.read(buffer); read >= 0; read = in.read(buffer)) {
                awaitPassage(this);
                if (sentLate) {
                    answered.countDown();
                }
                if (losesAnswer || (started && rules.isMessageTooMany())) {
                    cut(this);
                    return;
                }
                // Once the client has this reply, it may prepare the next statement.
                CountDownLatch asked = preparation;
                if (asked.getCount() > 0 && buffer[4] == 0) {
                    prepared.put(number(buffer), preparedLast);
                }
                out.write(buffer, 0, read);
                out.flush();
                asked.countDown();
            }
        }
    }
}
