package io.counterpoint.idempotency.servlet;

import jakarta.servlet.DispatcherType;
import jakarta.servlet.Filter;
import jakarta.servlet.MultipartConfigElement;
import jakarta.servlet.ServletException;
import jakarta.servlet.http.HttpServlet;
import jakarta.servlet.http.HttpServletRequest;
import jakarta.servlet.http.HttpServletResponse;
import java.io.IOException;
import java.net.URI;
import java.util.EnumSet;
import org.eclipse.jetty.ee11.servlet.ErrorPageErrorHandler;
import org.eclipse.jetty.ee11.servlet.FilterHolder;
import org.eclipse.jetty.ee11.servlet.ServletContextHandler;
import org.eclipse.jetty.ee11.servlet.ServletHolder;
import org.eclipse.jetty.io.ByteBufferPool;
import org.eclipse.jetty.server.HttpConfiguration;
import org.eclipse.jetty.server.HttpConnectionFactory;
import org.eclipse.jetty.server.Server;
import org.eclipse.jetty.server.ServerConnector;
import org.eclipse.jetty.util.thread.QueuedThreadPool;

/** A real Jetty on a free port of this machine, with the filter before the handlers. */
final class TestServer implements AutoCloseable {

    private final Server server;
    private final ServerConnector connector;
    private final ServletContextHandler context = new ServletContextHandler();

    /**
     * Without a pool of buffers: where some requests are malformed, Jetty 12.1.14 may hand one buffer to two connections,
     * with any filter or none, and one of them then reads or answers what belongs to the other.
     */
    TestServer() {
        this(new ByteBufferPool.NonPooling());
    }

    TestServer(ByteBufferPool buffers) {
        QueuedThreadPool threads = new QueuedThreadPool(250);
        threads.setDaemon(true);
        server = new Server(threads);
        HttpConfiguration http = new HttpConfiguration();
        http.setSendServerVersion(false);
        http.setSendDateHeader(false);
        connector = new ServerConnector(server, null, null, buffers, 1, 1, new HttpConnectionFactory(http));
        connector.setHost("127.0.0.1");
        connector.setAcceptQueueSize(512);
        server.addConnector(connector);
        server.setHandler(context);
    }

    /** What a handler does. */
    @FunctionalInterface
    interface Handler {
        void handle(HttpServletRequest request, HttpServletResponse response) throws IOException, ServletException;
    }

    TestServer filter(Filter filter) {
        FilterHolder holder = new FilterHolder(filter);
        holder.setAsyncSupported(true);
        // More dispatches than it needs, to see that it leaves those alone.
        context.addFilter(holder, "/*", EnumSet.allOf(DispatcherType.class));
        return this;
    }

    /** Lets a handler write the page for a status. */
    TestServer errorPage(int status, String path, Handler handler) {
        ErrorPageErrorHandler pages = new ErrorPageErrorHandler();
        pages.addErrorPage(status, path);
        context.setErrorHandler(pages);
        return handle(path, handler);
    }

    TestServer handle(String path, Handler handler) {
        holder(path, handler);
        return this;
    }

    TestServer handleMultipart(String path, Handler handler) {
        holder(path, handler)
                .getRegistration()
                .setMultipartConfig(new MultipartConfigElement(System.getProperty("java.io.tmpdir"), -1, -1, 1024));
        return this;
    }

    TestServer servlet(String path, HttpServlet servlet) {
        holder(path, servlet);
        return this;
    }

    private ServletHolder holder(String path, Handler handler) {
        return holder(path, new HttpServlet() {
            private static final long serialVersionUID = 1L;

            @Override
            protected void service(HttpServletRequest request, HttpServletResponse response)
                    throws ServletException, IOException {
                handler.handle(request, response);
            }
        });
    }

    private ServletHolder holder(String path, HttpServlet servlet) {
        ServletHolder holder = new ServletHolder(servlet);
        holder.setAsyncSupported(true);
        context.addServlet(holder, path);
        return holder;
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
