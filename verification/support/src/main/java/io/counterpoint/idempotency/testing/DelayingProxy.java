package io.counterpoint.idempotency.testing;

import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.net.Socket;
import java.time.Duration;
import java.util.Arrays;
import java.util.concurrent.ArrayBlockingQueue;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.locks.LockSupport;

/**
 * A proxy in front of a PostgreSQL server that simulates distance: every byte is delayed by the same time in each
 * direction, without limiting the throughput. The operating system adds some tens of microseconds to wake a thread.
 */
public final class DelayingProxy extends ServerProxy {

    private static final int CHUNK_BYTES = 64 * 1024;
    private static final int CHUNKS_UNDER_WAY = 1024;
    private static final Chunk END = new Chunk(new byte[0], 0);

    private final long nanosEachWay;

    private DelayingProxy(String jdbcUrl, long nanosEachWay) {
        super(jdbcUrl);
        this.nanosEachWay = nanosEachWay;
    }

    /** Starts a proxy in front of the server and database of a JDBC URL with one host. */
    public static DelayingProxy inFrontOf(String jdbcUrl, Duration eachWay) {
        return accepting(new DelayingProxy(jdbcUrl, eachWay.toNanos()));
    }

    @Override
    ProxiedConnection connection(int number, Socket client, Socket server) {
        return new ProxiedConnection(this, number, client, server) {
            @Override
            void forwardToServer() throws IOException, InterruptedException {
                forward(this, client, server);
            }

            @Override
            void forwardToClient() throws IOException, InterruptedException {
                forward(this, server, client);
            }
        };
    }

    private void forward(ProxiedConnection connection, Socket from, Socket to)
            throws IOException, InterruptedException {
        BlockingQueue<Chunk> underWay = new ArrayBlockingQueue<>(CHUNKS_UNDER_WAY);
        ProxiedConnection.inBackground("delaying proxy reads", () -> read(from, underWay));
        try {
            OutputStream out = to.getOutputStream();
            for (Chunk chunk = underWay.take(); !chunk.isEnd(); chunk = underWay.take()) {
                chunk.awaitArrival();
                out.write(chunk.bytes);
            }
        } finally {
            connection.close();
            // Wakes a reader that is waiting for room.
            underWay.clear();
        }
    }

    private void read(Socket from, BlockingQueue<Chunk> underWay) throws InterruptedException {
        byte[] buffer = new byte[CHUNK_BYTES];
        try {
            InputStream in = from.getInputStream();
            for (int count = in.read(buffer); count >= 0; count = in.read(buffer)) {
                underWay.put(new Chunk(Arrays.copyOf(buffer, count), System.nanoTime() + nanosEachWay));
            }
        } catch (IOException broken) {
            // Equivalent to the end of the connection.
        }
        underWay.put(END);
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
