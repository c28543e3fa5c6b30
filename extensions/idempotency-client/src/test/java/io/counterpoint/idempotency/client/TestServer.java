package io.counterpoint.idempotency.client;

import jakarta.servlet.DispatcherType;
import jakarta.servlet.Filter;
import jakarta.servlet.http.HttpServlet;
import jakarta.servlet.http.HttpServletRequest;
import jakarta.servlet.http.HttpServletResponse;
import java.io.IOException;
import java.io.OutputStream;
import java.io.Writer;
import java.net.URI;
import java.util.EnumSet;
import org.eclipse.jetty.ee11.servlet.FilterHolder;
import org.eclipse.jetty.ee11.servlet.ServletContextHandler;
import org.eclipse.jetty.ee11.servlet.ServletHolder;
import org.eclipse.jetty.server.Server;
import org.eclipse.jetty.server.ServerConnector;
import org.eclipse.jetty.util.thread.QueuedThreadPool;

/** Jetty on a free port of this machine, with filters before its handlers. */
final class TestServer implements AutoCloseable {

    private static final int THREADS = 32;

    private final Server server;
    private final ServerConnector connector;
    private final ServletContextHandler context = new ServletContextHandler();

    TestServer() {
        QueuedThreadPool threads = new QueuedThreadPool(THREADS);
        threads.setDaemon(true);
        server = new Server(threads);
        connector = new ServerConnector(server, 1, 1);
        connector.setHost("127.0.0.1");
        server.addConnector(connector);
        server.setHandler(context);
    }

    /** What a handler does. */
    @FunctionalInterface
    interface Handler {
        void handle(HttpServletRequest request, HttpServletResponse response) throws IOException;
    }

    TestServer filter(Filter filter) {
        context.addFilter(new FilterHolder(filter), "/*", EnumSet.of(DispatcherType.REQUEST));
        return this;
    }

    TestServer handle(String path, Handler handler) {
        HttpServlet servlet = new HttpServlet() {
            private static final long serialVersionUID = 1L;

            @Override
            protected void service(HttpServletRequest request, HttpServletResponse response) throws IOException {
                handler.handle(request, response);
                readRest(request);
            }
        };
        context.addServlet(new ServletHolder(servlet), path);
        return this;
    }

    /** Jetty resets a connection whose request has not been read, and the client loses what it has not read either. */
    private static void readRest(HttpServletRequest request) throws IOException {
        try {
            request.getInputStream().transferTo(OutputStream.nullOutputStream());
        } catch (IllegalStateException readAsText) {
            request.getReader().transferTo(Writer.nullWriter());
        }
    }

    TestServer start() {
        try {
            server.start();
        } catch (Exception e) {
            throw new IllegalStateException(e);
        }
        return this;
    }

    int port() {
        return connector.getLocalPort();
    }

    URI uri(String path) {
        return URI.create("http://127.0.0.1:" + port() + path);
    }

    @Override
    public void close() {
        try {
            server.stop();
        } catch (Exception e) {
            throw new IllegalStateException(e);
        }
    }
}
