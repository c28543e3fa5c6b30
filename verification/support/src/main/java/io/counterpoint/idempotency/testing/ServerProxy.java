package io.counterpoint.idempotency.testing;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.util.HashSet;
import java.util.List;
import java.util.Set;

/** A proxy on 127.0.0.1 in front of a database server. The subclass decides what happens to the traffic. */
abstract class ServerProxy implements AutoCloseable {

    /** As numbers, because a name would have to be resolved and may have two addresses. */
    private static final byte[] LOCALHOST = {127, 0, 0, 1};

    private final ServerSocket listener;
    private volatile JdbcUrl target;

    private volatile boolean refusing;
    /** Guarded by the lock of this, which is notified when a connection has gone. */
    private final Set<ProxiedConnection> connections = new HashSet<>();
    /** Confined to the accepting thread. */
    private int accepted;

    /** Creates a proxy for the server and database of a JDBC URL with one host. It does not accept connections yet. */
    ServerProxy(String jdbcUrl) {
        this(jdbcUrl, 0);
    }

    /** The same on a given port of 127.0.0.1; 0 for any free port. */
    ServerProxy(String jdbcUrl, int port) {
        try {
            target = JdbcUrl.parse(jdbcUrl);
            listener = new ServerSocket(port, 0, InetAddress.getByAddress(LOCALHOST));
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    static <P extends ServerProxy> P accepting(P proxy) {
        ProxiedConnection.inBackground("proxy on port " + proxy.port(), proxy::accept);
        return proxy;
    }

    final void accept() {
        while (!listener.isClosed()) {
            try {
                connect(listener.accept());
            } catch (IOException clientOrListenerIsGone) {
                // Continue with the next client, if any.
            }
        }
    }

    /** Resets a client that is refused, or whose server is down or has been replaced meanwhile. */
    private void connect(Socket client) {
        accepted++;
        JdbcUrl leadsTo = target;
        try {
            Socket server = refusing ? new Socket() : new Socket(leadsTo.host(), leadsTo.port());
            ProxiedConnection connection = connection(accepted, client, server);
            // Atomic with respect to methods that refuse, reset, close or redirect. Connecting may take long, so it is
            // outside.
            synchronized (this) {
                if (refusing || listener.isClosed() || !leadsTo.equals(target)) {
                    connection.reset();
                } else {
                    connections.add(connection);
                    connection.start();
                }
            }
        } catch (IOException serverIsDown) {
            ProxiedConnection.reset(client);
        }
    }

    /**
     * Creates a connection that does not forward yet.
     *
     * @param number 1 for the first accepted connection
     */
    abstract ProxiedConnection connection(int number, Socket client, Socket server);

    /** The JDBC URL of the database through this proxy; options may be appended as {@code &name=value}. */
    public String jdbcUrl() {
        return target.at("127.0.0.1", port()).toString();
    }

    public int port() {
        return listener.getLocalPort();
    }

    synchronized void setTarget(JdbcUrl target) {
        this.target = target;
    }

    synchronized void setRefusing(boolean refusing) {
        this.refusing = refusing;
    }

    synchronized List<ProxiedConnection> connections() {
        return List.copyOf(connections);
    }

    synchronized void forget(ProxiedConnection connection) {
        connections.remove(connection);
        notifyAll();
    }

    /** Closes all connections and accepts no more. */
    @Override
    public void close() {
        try {
            listener.close();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
        connections().forEach(ProxiedConnection::close);
    }

    @Override
    public String toString() {
        return "proxy in front of " + target.host() + ":" + target.port();
    }
}
