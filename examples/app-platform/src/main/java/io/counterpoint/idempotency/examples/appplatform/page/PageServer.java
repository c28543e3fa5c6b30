package io.counterpoint.idempotency.examples.appplatform.page;

import io.counterpoint.idempotency.programs.CannotRun;
import jakarta.servlet.DispatcherType;
import jakarta.servlet.http.HttpServlet;
import java.util.EnumSet;
import org.eclipse.jetty.ee11.servlet.FilterHolder;
import org.eclipse.jetty.ee11.servlet.ServletContextHandler;
import org.eclipse.jetty.ee11.servlet.ServletHolder;
import org.eclipse.jetty.io.ByteBufferPool;
import org.eclipse.jetty.server.HttpConfiguration;
import org.eclipse.jetty.server.HttpConnectionFactory;
import org.eclipse.jetty.server.Server;
import org.eclipse.jetty.server.ServerConnector;
import org.eclipse.jetty.util.thread.QueuedThreadPool;

/** The page's server, on loopback only. It outlives the nodes that the page kills. */
final class PageServer {

    private static final int THREADS = 100;

    private final Server server;
    private final ServerConnector connector;
    private final ServletContextHandler context = new ServletContextHandler();

    /** Takes a port of this machine, 0 for any, and answers nothing before {@link #start}. */
    PageServer(int port, Gate gate) throws CannotRun {
        QueuedThreadPool threads = new QueuedThreadPool(THREADS);
        threads.setDaemon(true);
        server = new Server(threads);
        HttpConfiguration http = new HttpConfiguration();
        http.setSendServerVersion(false);
        // Without a pool of buffers, for the reason that the service has.
        connector = new ServerConnector(
                server, null, null, new ByteBufferPool.NonPooling(), 1, 1, new HttpConnectionFactory(http));
        connector.setHost("127.0.0.1");
        connector.setPort(port);
        server.addConnector(connector);
        context.addFilter(new FilterHolder(gate), "/*", EnumSet.of(DispatcherType.REQUEST));
        server.setHandler(context);
        try {
            connector.open();
        } catch (Exception e) {
            throw new CannotRun("Cannot listen on port " + port + ": " + CannotRun.rootMessage(e) + ".");
        }
    }

    /** Where it listens, without a path. */
    String url() {
        return "http://127.0.0.1:" + connector.getLocalPort();
    }

    PageServer at(String path, HttpServlet servlet) {
        context.addServlet(new ServletHolder(servlet), path);
        return this;
    }

    void start() throws CannotRun {
        try {
            server.start();
        } catch (Exception e) {
            throw new CannotRun("The page's server did not start: " + CannotRun.rootMessage(e) + ".");
        }
    }

    /** Also frees the port of a server that did not start. */
    void stop() throws Exception {
        server.stop();
        connector.close();
    }
}
