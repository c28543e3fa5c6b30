package io.counterpoint.idempotency.examples.appplatform;

import io.counterpoint.idempotency.examples.appplatform.http.LocalServer;
import io.counterpoint.idempotency.programs.CannotRun;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Consumer;
import java.util.function.Supplier;
import org.eclipse.jetty.client.Response;
import org.eclipse.jetty.http.HttpURI;
import org.eclipse.jetty.proxy.ProxyHandler;
import org.eclipse.jetty.server.Request;
import org.eclipse.jetty.util.Callback;

/**
 * Hands requests to nodes, one after the other in turn, so the tries of one key reach different nodes. A node that has
 * ended gets none, and one that takes its place gets its share. Where a node gives no answer, the client gets a 503 and
 * asks again with its key. The gateway itself sends nothing twice, since not every request has a key.
 */
final class Gateway implements AutoCloseable {

    private static final int UNAVAILABLE = 503;

    private final String first;
    private final Supplier<List<String>> others;
    private final AtomicInteger next = new AtomicInteger();
    private final Map<String, Integer> handed = new ConcurrentHashMap<>();
    private final LocalServer server;

    /**
     * Listens on a port of this machine.
     *
     * @param first the URL of a node that does not end before this
     * @param others the URLs of further nodes, as they are when a request comes
     * @param port 0 for any
     */
    Gateway(String first, Supplier<List<String>> others, int port, Consumer<String> log) throws CannotRun {
        this.first = first;
        this.others = others;
        server = new LocalServer(port, log).start(new Proxy());
    }

    String url() {
        return server.url();
    }

    /** How many requests each node has got, by its URL; no entry for a node without one. */
    Map<String, Integer> handed() {
        return Map.copyOf(handed);
    }

    private HttpURI choose(Request request) {
        List<String> now = others.get();
        int chosen = Math.floorMod(next.getAndIncrement(), now.size() + 1);
        String node = chosen == 0 ? first : now.get(chosen - 1);
        int unused = handed.merge(node, 1, Integer::sum);
        return HttpURI.from(node + request.getHttpURI().getPathQuery());
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
        server.close();
    }
}
