package io.counterpoint.idempotency.testing;

import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.time.Duration;
import java.util.Arrays;
import java.util.Set;
import java.util.concurrent.ArrayBlockingQueue;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.locks.LockSupport;

/**
 * A proxy in front of a PostgreSQL server that is as far away as it says: every byte arrives that much later, in both
 * directions, and no fewer bytes pass in a second. What the operating system adds by waking a thread late, some tens of
 * microseconds, comes on top.
 */
public final class DelayingProxy implements AutoCloseable {

    /** Written out, because a name would be looked up and may have two addresses. */
    private static final byte[] LOCALHOST = {127, 0, 0, 1};

    private static final int CHUNK_BYTES = 64 * 1024;
    private static final int CHUNKS_UNDER_WAY = 1024;
    private static final Chunk END = new Chunk(new byte[0], 0);

    private final JdbcUrl target;
    private final long nanosEachWay;
    private final ServerSocket listener;
    private final Set<Socket> sockets = ConcurrentHashMap.newKeySet();

    private DelayingProxy(JdbcUrl target, long nanosEachWay, ServerSocket listener) {
        this.target = target;
        this.nanosEachWay = nanosEachWay;
        this.listener = listener;
    }

    /** Starts a proxy in front of the server, and for the database, of a JDBC URL with one host. */
    public static DelayingProxy inFrontOf(String jdbcUrl, Duration eachWay) {
        try {
            DelayingProxy proxy = new DelayingProxy(
                    JdbcUrl.parse(jdbcUrl),
                    eachWay.toNanos(),
                    new ServerSocket(0, 0, InetAddress.getByAddress(LOCALHOST)));
            inBackground("delaying proxy", proxy::accept);
            return proxy;
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /** The JDBC URL of the database behind this proxy, through this proxy; options may be appended as {@code &name=value}. */
    public String jdbcUrl() {
        return target.at("127.0.0.1", listener.getLocalPort()).toString();
    }

    private void accept() {
        while (!listener.isClosed()) {
            try {
                connect(listener.accept());
            } catch (IOException clientServerOrListenerIsGone) {
                // The next client, if there is one.
            }
        }
    }

    private void connect(Socket client) throws IOException {
        sockets.add(client);
        Socket server;
        try {
            server = new Socket(target.host(), target.port());
        } catch (IOException serverIsDown) {
            close(client);
            throw serverIsDown;
        }
        sockets.add(server);
        forward(client, server);
        forward(server, client);
    }

    private void forward(Socket from, Socket to) throws IOException {
        to.setTcpNoDelay(true);
        BlockingQueue<Chunk> underWay = new ArrayBlockingQueue<>(CHUNKS_UNDER_WAY);
        inBackground("delaying proxy reads", () -> read(from, underWay));
        inBackground("delaying proxy writes", () -> write(underWay, to, from));
    }

    private void read(Socket from, BlockingQueue<Chunk> underWay) throws InterruptedException {
        byte[] buffer = new byte[CHUNK_BYTES];
        try {
            InputStream in = from.getInputStream();
            for (int count = in.read(buffer); count >= 0; count = in.read(buffer)) {
                underWay.put(new Chunk(Arrays.copyOf(buffer, count), System.nanoTime() + nanosEachWay));
            }
        } catch (IOException broken) {
            // As good as its end.
        }
        underWay.put(END);
    }

    private void write(BlockingQueue<Chunk> underWay, Socket to, Socket from) throws InterruptedException {
        try {
            OutputStream out = to.getOutputStream();
            for (Chunk chunk = underWay.take(); !chunk.isEnd(); chunk = underWay.take()) {
                chunk.awaitArrival();
                out.write(chunk.bytes);
            }
        } catch (IOException broken) {
            // One side is gone: so is the connection.
        } finally {
            close(to);
            close(from);
            // A reader that waits for room learns of the end this way.
            underWay.clear();
        }
    }

    private void close(Socket socket) {
        sockets.remove(socket);
        try {
            socket.close();
        } catch (IOException alreadyBroken) {
            // It is not used any more either way.
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
        sockets.forEach(this::close);
    }

    private static void inBackground(String name, Forwarding forwarding) {
        Thread thread = new Thread(
                () -> {
                    try {
                        forwarding.run();
                    } catch (InterruptedException e) {
                        Thread.currentThread().interrupt();
                    }
                },
                name);
        thread.setDaemon(true);
        thread.start();
    }

    private interface Forwarding {
        void run() throws InterruptedException;
    }

    private static final class Chunk {
        private final byte[] bytes;
        private final long arrival;

        Chunk(byte[] bytes, long arrival) {
            this.bytes = bytes;
            this.arrival = arrival;
        }

        boolean isEnd() {
            return bytes.length == 0;
        }

        void awaitArrival() {
            for (long left = arrival - System.nanoTime(); left > 0; left = arrival - System.nanoTime()) {
                LockSupport.parkNanos(left);
            }
        }
    }
}
