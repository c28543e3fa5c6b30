package io.counterpoint.idempotency.servlet;

import jakarta.servlet.Filter;
import jakarta.servlet.ServletException;
import jakarta.servlet.http.HttpServlet;
import jakarta.servlet.http.HttpServletRequest;
import jakarta.servlet.http.HttpServletResponse;
import java.io.IOException;
import java.net.URI;

/** A real server on a free port of this machine, with the filter before the handlers. Jetty unless set otherwise. */
final class TestServer implements AutoCloseable {

    private final Container container;

    TestServer() {
        this(Container.Kind.JETTY);
    }

    TestServer(Container.Kind kind) {
        this(kind.make());
    }

    TestServer(Container container) {
        this.container = container;
    }

    /** What a handler does. */
    @FunctionalInterface
    interface Handler {
        void handle(HttpServletRequest request, HttpServletResponse response) throws IOException, ServletException;
    }

    TestServer filter(Filter filter) {
        container.filter(filter);
        return this;
    }

    /** Lets a handler write the page for a status. */
    TestServer errorPage(int status, String path, Handler handler) {
        container.errorPage(status, path);
        return handle(path, handler);
    }

    TestServer handle(String path, Handler handler) {
        return add(path, handler, false);
    }

    TestServer handleMultipart(String path, Handler handler) {
        return add(path, handler, true);
    }

    TestServer servlet(String path, HttpServlet servlet) {
        container.servlet(path, servlet, false);
        return this;
    }

    private TestServer add(String path, Handler handler, boolean multipart) {
        HttpServlet servlet = new HttpServlet() {
            private static final long serialVersionUID = 1L;

            @Override
            protected void service(HttpServletRequest request, HttpServletResponse response)
                    throws ServletException, IOException {
                handler.handle(request, response);
            }
        };
        container.servlet(path, servlet, multipart);
        return this;
    }

    TestServer start() {
        try {
            container.start();
        } catch (Exception e) {
            throw new IllegalStateException(e);
        }
        return this;
    }

    int port() {
        return container.port();
    }

    URI uri(String path) {
        return URI.create("http://127.0.0.1:" + port() + path);
    }

    @Override
    public void close() {
        try {
            container.stop();
        } catch (Exception e) {
            throw new IllegalStateException(e);
        }
    }
}
