package io.counterpoint.idempotency.servlet;

import jakarta.servlet.DispatcherType;
import jakarta.servlet.Filter;
import jakarta.servlet.MultipartConfigElement;
import jakarta.servlet.http.HttpServlet;
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

/** Jetty. */
final class JettyContainer implements Container {

    private final Server server;
    private final ServerConnector connector;
    private final ServletContextHandler context = new ServletContextHandler();

    /**
     * Without a pool of buffers: where some requests are malformed, Jetty 12.1.14 may hand one buffer to two connections,
     * with any filter or none, and one of them then reads or answers what belongs to the other.
     */
    JettyContainer() {
        this(new ByteBufferPool.NonPooling());
    }

    JettyContainer(ByteBufferPool buffers) {
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

    @Override
    public void filter(Filter filter) {
        FilterHolder holder = new FilterHolder(filter);
        holder.setAsyncSupported(true);
        // More dispatches than it needs, to see that it leaves those alone.
        context.addFilter(holder, "/*", EnumSet.allOf(DispatcherType.class));
    }

    @Override
    public void servlet(String path, HttpServlet servlet, boolean multipart) {
        ServletHolder holder = new ServletHolder(servlet);
        holder.setAsyncSupported(true);
        context.addServlet(holder, path);
        if (multipart) {
            holder.getRegistration()
                    .setMultipartConfig(new MultipartConfigElement(System.getProperty("java.io.tmpdir"), -1, -1, 1024));
        }
    }

    @Override
    public void errorPage(int status, String path) {
        ErrorPageErrorHandler pages = new ErrorPageErrorHandler();
        pages.addErrorPage(status, path);
        context.setErrorHandler(pages);
    }

    @Override
    public void start() throws Exception {
        server.start();
    }

    @Override
    public int port() {
        return connector.getLocalPort();
    }

    @Override
    public void stop() throws Exception {
        server.stop();
    }
}
