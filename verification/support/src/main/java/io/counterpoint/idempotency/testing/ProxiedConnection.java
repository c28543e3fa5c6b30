package io.counterpoint.idempotency.testing;

import java.io.IOException;
import java.net.Socket;

/** One client of a {@link ServerProxy} and its connection to the server, with one thread per direction. */
abstract class ProxiedConnection {

    final Socket client;
    final Socket server;
    private final ServerProxy proxy;
    private final String name;
    private volatile boolean closed;

    ProxiedConnection(ServerProxy proxy, int number, Socket client, Socket server) {
        this.proxy = proxy;
        this.name = "proxy connection " + number;
        this.client = client;
        this.server = server;
    }

    interface Work {
        void run() throws IOException, InterruptedException;
    }

    static void inBackground(String name, Work work) {
        Thread thread = new Thread(
                () -> {
                    try {
                        work.run();
                    } catch (IOException broken) {
                        // If one side is gone, so is the connection.
                    } catch (InterruptedException e) {
                        Thread.currentThread().interrupt();
                    }
                },
                name);
        thread.setDaemon(true);
        thread.start();
    }

    void start() {
        inBackground(name + " to server", () -> run(server, this::forwardToServer));
        inBackground(name + " from server", () -> run(client, this::forwardToClient));
    }

    private void run(Socket to, Work forwarding) throws IOException, InterruptedException {
        try {
            to.setTcpNoDelay(true);
            forwarding.run();
        } finally {
            end();
        }
    }

    abstract void forwardToServer() throws IOException, InterruptedException;

    abstract void forwardToClient() throws IOException, InterruptedException;

    /** Called when one direction has ended. */
    void end() {
        close();
    }

    boolean isClosed() {
        return closed;
    }

    /**
     * Resets the client's side, but closes the server's side normally, so that everything sent to the server still
     * arrives.
     */
    void reset() {
        reset(client);
        close();
    }

    void close() {
        closed = true;
        close(client);
        close(server);
        proxy.forget(this);
    }

    static void reset(Socket socket) {
        try {
            socket.setSoLinger(true, 0);
        } catch (IOException alreadyClosed) {
            // Only closing is left to do.
        }
        close(socket);
    }

    private static void close(Socket socket) {
        try {
            socket.close();
        } catch (IOException alreadyBroken) {
            // The socket is no longer used, so this does not matter.
        }
    }
}
