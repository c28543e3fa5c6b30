package io.counterpoint.idempotency.examples.appplatform.page;

import io.counterpoint.idempotency.examples.appplatform.http.LocalServer;
import io.counterpoint.idempotency.programs.CannotRun;
import jakarta.servlet.DispatcherType;
import jakarta.servlet.http.HttpServlet;
import java.util.EnumSet;
import java.util.function.Consumer;
import org.eclipse.jetty.ee11.servlet.FilterHolder;
import org.eclipse.jetty.ee11.servlet.ServletContextHandler;
import org.eclipse.jetty.ee11.servlet.ServletHolder;

/** The page's server, on loopback only, behind its gate. It outlives the nodes that the page kills. */
final class PageServer implements AutoCloseable {

    private final LocalServer server;
    private final ServletContextHandler context = new ServletContextHandler();

    /** Takes a port of this machine, 0 for any, and answers nothing before {@link #start}. */
    PageServer(int port, Gate gate, Consumer<String> log) throws CannotRun {
        server = new LocalServer(port, log);
        context.addFilter(new FilterHolder(gate), "/*", EnumSet.of(DispatcherType.REQUEST));
    }

    /** Where it listens, without a path. */
    String url() {
        return server.url();
    }

    PageServer at(String path, HttpServlet servlet) {
        context.addServlet(new ServletHolder(servlet), path);
        return this;
    }

    void start() throws CannotRun {
        server.start(context);
    }

    @Override
    public void close() {
        server.close();
    }
}
