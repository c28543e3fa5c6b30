package io.counterpoint.idempotency.examples.appplatform.http;

import io.counterpoint.idempotency.programs.CannotRun;
import java.time.Duration;
import java.util.Set;
import java.util.function.Consumer;
import org.eclipse.jetty.http.HttpException;
import org.eclipse.jetty.http.HttpStatus;
import org.eclipse.jetty.io.ByteBufferPool;
import org.eclipse.jetty.server.Handler;
import org.eclipse.jetty.server.HttpConfiguration;
import org.eclipse.jetty.server.HttpConnectionFactory;
import org.eclipse.jetty.server.Request;
import org.eclipse.jetty.server.Server;
import org.eclipse.jetty.server.ServerConnector;
import org.eclipse.jetty.server.handler.GracefulHandler;
import org.eclipse.jetty.util.thread.QueuedThreadPool;

/** A Jetty server on 127.0.0.1, with threads that do not keep the process alive. */
public final class LocalServer implements AutoCloseable {

    private static final Set<String> NAMES = Set.of("127.0.0.1", "localhost");
    private static final int THREADS = 100;
    private static final int WAITING_CONNECTIONS = 512;
    private static final long IDLE_MILLIS = 200;

    private final Server server;
    private final ServerConnector connector;
    private final Consumer<String> log;

    /**
     * Binds a port, but does not respond until {@link #start}.
     *
     * @param port on this machine; 0 for any free port
     * @throws CannotRun if the port is in use
     */
    public LocalServer(int port, Consumer<String> log) throws CannotRun {
        this.log = log;
        QueuedThreadPool threads = new QueuedThreadPool(THREADS);
        threads.setDaemon(true);
        server = new Server(threads);
        HttpConfiguration http = new HttpConfiguration();
        http.setSendServerVersion(false);
        http.addCustomizer((request, headers) -> addressedToThisMachine(request));
        // Without a buffer pool: if some requests are malformed, Jetty 12.1.14 may give one buffer to two connections.
        connector = new ServerConnector(
                server, null, null, new ByteBufferPool.NonPooling(), 1, 1, new HttpConnectionFactory(http));
        connector.setHost("127.0.0.1");
        connector.setPort(port);
        // Java's client keeps idle connections for twenty minutes, and might send a request just as the server closes
        // one.
        connector.setIdleTimeout(Duration.ofMinutes(30).toMillis());
        connector.setAcceptQueueSize(WAITING_CONNECTIONS);
        server.addConnector(connector);
        try {
            connector.open();
        } catch (Exception e) {
            throw new CannotRun("Cannot listen on port " + port + ": " + CannotRun.rootMessage(e) + ".");
        }
    }

    /**
     * Fails early if a port is in use, before a program starts anything that takes long.
     *
     * @throws CannotRun if the port is in use
     */
    public static void requireFree(int port) throws CannotRun {
        new LocalServer(port, line -> {}).close();
    }

    /** Prevents DNS rebinding: a page under another name that resolves to this machine must not use this server. */
    private static Request addressedToThisMachine(Request request) {
        if (!NAMES.contains(Request.getServerName(request))) {
            throw new HttpException.RuntimeException(
                    HttpStatus.MISDIRECTED_REQUEST_421, "This server is available at 127.0.0.1 only.");
        }
        return request;
    }

    /** On close, waits up to this long for requests in flight, and rejects new ones. */
    public LocalServer endsGracefully(Duration longest) {
        // How soon idle connections are closed on shutdown.
        connector.setShutdownIdleTimeout(IDLE_MILLIS);
        server.setStopTimeout(longest.toMillis());
        server.setHandler(new GracefulHandler());
        return this;
    }

    /**
     * Starts responding with this handler.
     *
     * @throws CannotRun if the handler cannot be started
     */
    public LocalServer start(Handler handler) throws CannotRun {
        if (server.getHandler() instanceof GracefulHandler graceful) {
            graceful.setHandler(handler);
        } else {
            server.setHandler(handler);
        }
        try {
            server.start();
            return this;
        } catch (Exception e) {
            close();
            throw new CannotRun("A server did not start: " + CannotRun.rootMessage(e) + ".");
        }
    }

    /** The URL of the server, without a path. */
    public String url() {
        return "http://127.0.0.1:" + connector.getLocalPort();
    }

    /** Also releases the port, even if the server was never started. */
    @Override
    public void close() {
        try {
            server.stop();
        } catch (Exception e) {
            log.accept("Jetty did not shut down cleanly: " + e);
        }
        connector.close();
    }
}
