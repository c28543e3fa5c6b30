package io.counterpoint.idempotency.client;

import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.net.URI;
import java.util.concurrent.atomic.AtomicInteger;

/**
 * A proxy in front of an HTTP server that may move. It cuts connections as a test says: instead of passing on a request, or
 * instead of passing on its answer.
 */
final class HttpProxy implements AutoCloseable {

    private static final int BUFFER = 16_384;

    private final ServerSocket listener;
    private final AtomicInteger requestsToCut = new AtomicInteger();
    private final AtomicInteger answersToCut = new AtomicInteger();
    private volatile int target;

    HttpProxy(int target) {
        this.target = target;
        try {
            listener = new ServerSocket(0, 50, InetAddress.getByAddress(new byte[] {127, 0, 0, 1}));
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
        thread(this::accept);
    }

    private static void thread(Runnable action) {
        Thread thread = new Thread(action, "HTTP proxy");
        thread.setDaemon(true);
        thread.start();
    }

    URI uri(String path) {
        return URI.create("http://127.0.0.1:" + listener.getLocalPort() + path);
    }

    /** From now on, new connections lead to another port. */
    void leadTo(int port) {
        target = port;
    }

    /** The next pieces that clients send do not reach the server. */
    void cutRequests(int pieces) {
        requestsToCut.set(pieces);
    }

    /** The next pieces that the server sends do not reach a client: the server has done what they answer. */
    void cutAnswers(int pieces) {
        answersToCut.set(pieces);
    }

    /** Whether all that was to be cut is cut. */
    boolean hasCut() {
        return requestsToCut.get() == 0 && answersToCut.get() == 0;
    }

    private void accept() {
        while (!listener.isClosed()) {
            try {
                connect(listener.accept());
            } catch (IOException closed) {
                // The next one, if there is one.
            }
        }
    }

    private void connect(Socket client) throws IOException {
        try {
            Socket server = new Socket(InetAddress.getByAddress(new byte[] {127, 0, 0, 1}), target);
            thread(() -> pass(client, server, requestsToCut));
            thread(() -> pass(server, client, answersToCut));
        } catch (IOException serverIsGone) {
            client.close();
        }
    }

    private static void pass(Socket from, Socket to, AtomicInteger toCut) {
        byte[] buffer = new byte[BUFFER];
        try (from;
                to) {
            InputStream in = from.getInputStream();
            OutputStream out = to.getOutputStream();
            for (int read = in.read(buffer); read >= 0; read = in.read(buffer)) {
                if (toCut.getAndUpdate(left -> Math.max(0, left - 1)) > 0) {
                    return;
                }
                out.write(buffer, 0, read);
            }
        } catch (IOException gone) {
            // Both are closed.
        }
    }

    @Override
    public void close() {
        try {
            listener.close();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }
}
