package io.counterpoint.idempotency.examples.appplatform;

import io.counterpoint.idempotency.programs.CannotRun;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicIntegerArray;
import java.util.function.BooleanSupplier;
import java.util.stream.IntStream;
import org.eclipse.jetty.client.Response;
import org.eclipse.jetty.http.HttpURI;
import org.eclipse.jetty.io.ByteBufferPool;
import org.eclipse.jetty.proxy.ProxyHandler;
import org.eclipse.jetty.server.HttpConfiguration;
import org.eclipse.jetty.server.HttpConnectionFactory;
import org.eclipse.jetty.server.Request;
import org.eclipse.jetty.server.Server;
import org.eclipse.jetty.server.ServerConnector;
import org.eclipse.jetty.util.Callback;
import org.eclipse.jetty.util.thread.QueuedThreadPool;

/**
 * Hands requests to nodes, one after the other in turn, so the tries of one key reach different nodes. A node that has
 * ended gets none. Where a node gives no answer, the client gets a 503 and asks again with its key. The gateway itself sends
 * nothing twice, since not every request has a key.
 */
final class Gateway implements AutoCloseable {

    private static final int UNAVAILABLE = 503;

    private final List<Node> nodes;
    private final AtomicInteger next = new AtomicInteger();
    private final AtomicIntegerArray handed;
    private final Server server;
    private final ServerConnector connector;

    /**
     * A node behind the gateway.
     *
     * @param url where it listens, without a path
     */
    record Node(String url, BooleanSupplier isAlive) {}

    /** Listens on a port of this machine; 0 for any. */
    Gateway(List<Node> nodes, int port) throws CannotRun {
        this.nodes = List.copyOf(nodes);
        this.handed = new AtomicIntegerArray(nodes.size());
        QueuedThreadPool threads = new QueuedThreadPool(100);
        threads.setDaemon(true);
        server = new Server(threads);
        HttpConfiguration http = new HttpConfiguration();
        http.setSendServerVersion(false);
        // Without a pool of buffers, for the reason that the service has.
        connector = new ServerConnector(
                server, null, null, new ByteBufferPool.NonPooling(), 1, 1, new HttpConnectionFactory(http));
        connector.setHost("127.0.0.1");
        connector.setPort(port);
        connector.setAcceptQueueSize(512);
        server.addConnector(connector);
        server.setHandler(new Proxy());
        try {
            server.start();
        } catch (Exception e) {
            throw new CannotRun("Cannot listen on port " + port + ": " + CannotRun.rootMessage(e) + ".");
        }
    }

    String url() {
        return "http://127.0.0.1:" + connector.getLocalPort();
    }

    /** How many requests each node has got. */
    List<Integer> handed() {
        return IntStream.range(0, handed.length()).mapToObj(handed::get).toList();
    }

    private HttpURI choose(Request request) {
        int first = next.getAndIncrement();
        int chosen = Math.floorMod(first, nodes.size());
        for (int i = 0; i < nodes.size(); i++) {
            int candidate = Math.floorMod(first + i, nodes.size());
            if (nodes.get(candidate).isAlive().getAsBoolean()) {
                chosen = candidate;
                break;
            }
        }
        handed.incrementAndGet(chosen);
        return HttpURI.from(nodes.get(chosen).url() + request.getHttpURI().getPathQuery());
    }

    private final class Proxy extends ProxyHandler.Reverse {

        Proxy() {
            super(Gateway.this::choose);
            // The pool of the server, whose threads end with it.
            setUseServerThreadPool(true);
        }

        @Override
        protected void onServerToProxyResponseFailure(
                Request fromClient,
                org.eclipse.jetty.client.Request toNode,
                Response fromNode,
                org.eclipse.jetty.server.Response toClient,
                Callback callback,
                Throwable failure) {
            toClient.getHeaders().put("Retry-After", "1");
            org.eclipse.jetty.server.Response.writeError(fromClient, toClient, callback, UNAVAILABLE, "No answer.");
        }
    }

    @Override
    public void close() {
        try {
            server.stop();
        } catch (Exception e) {
            // Its threads are daemons.
            connector.close();
        }
    }
}
