package io.counterpoint.idempotency.servlet;

import jakarta.servlet.DispatcherType;
import jakarta.servlet.Filter;
import jakarta.servlet.MultipartConfigElement;
import jakarta.servlet.ServletException;
import jakarta.servlet.http.HttpServlet;
import jakarta.servlet.http.HttpServletRequest;
import jakarta.servlet.http.HttpServletResponse;
import java.io.File;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.concurrent.CountDownLatch;
import java.util.logging.Level;
import java.util.logging.Logger;
import org.apache.catalina.Context;
import org.apache.catalina.Wrapper;
import org.apache.catalina.connector.Request;
import org.apache.catalina.connector.Response;
import org.apache.catalina.startup.Tomcat;
import org.apache.catalina.valves.ValveBase;
import org.apache.catalina.webresources.TomcatURLStreamHandlerFactory;
import org.apache.coyote.http2.Http2Protocol;
import org.apache.tomcat.util.descriptor.web.ErrorPage;
import org.apache.tomcat.util.descriptor.web.FilterDef;
import org.apache.tomcat.util.descriptor.web.FilterMap;

/** Tomcat, with its own limits for forms: 1,000 parameters, 2 MiB, 50 parts. */
final class TomcatContainer implements Container {

    /** Attribute of a request: a latch that opens when the container's thread has left the request. */
    static final String LEFT = "left";

    /** Held, since a logger that nobody holds forgets its level. */
    private static final Logger LOG = Logger.getLogger("org.apache");

    /** Tomcat sets a level for each context. */
    private static final Logger CONTEXT =
            Logger.getLogger("org.apache.catalina.core.ContainerBase.[Tomcat].[localhost].[/]");

    private final Tomcat tomcat = new Tomcat();
    private final Context context;
    private int filters;
    private int servlets;

    TomcatContainer() {
        LOG.setLevel(Level.OFF);
        // The JVM takes one, and another version of Tomcat may be loaded beside this.
        TomcatURLStreamHandlerFactory.disable();
        try {
            File base = Files.createTempDirectory(
                            Files.createDirectories(Path.of("target", "tomcat").toAbsolutePath()), "base-")
                    .toFile();
            tomcat.setBaseDir(base.getPath());
            context = tomcat.addContext("", base.getPath());
            CONTEXT.setLevel(Level.OFF);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
        // Tomcat runs filters for paths of servlets only. A web application has a default servlet, as this one has.
        servlet("/", new NotFound(), false);
        tomcat.setHostname("127.0.0.1");
        tomcat.setPort(0);
        tomcat.getConnector().setProperty("address", "127.0.0.1");
        tomcat.getConnector().addUpgradeProtocol(new Http2Protocol());
        tomcat.getEngine().getPipeline().addValve(new LeavingValve());
    }

    @Override
    public void filter(Filter filter) {
        FilterDef definition = new FilterDef();
        definition.setFilterName("filter-" + ++filters);
        definition.setFilter(filter);
        definition.setAsyncSupported("true");
        context.addFilterDef(definition);
        FilterMap map = new FilterMap();
        map.setFilterName(definition.getFilterName());
        map.addURLPattern("/*");
        for (DispatcherType type : DispatcherType.values()) {
            map.setDispatcher(type.name());
        }
        context.addFilterMap(map);
    }

    /** Tomcat 10.1 has no mapping by the method that Tomcat 11 has instead. */
    @SuppressWarnings("deprecation")
    @Override
    public void servlet(String path, HttpServlet servlet, boolean multipart) {
        Wrapper wrapper = Tomcat.addServlet(context, "servlet-" + ++servlets, servlet);
        wrapper.setAsyncSupported(true);
        if (multipart) {
            wrapper.setMultipartConfigElement(
                    new MultipartConfigElement(System.getProperty("java.io.tmpdir"), -1, -1, 1024));
        }
        context.addServletMappingDecoded(path, wrapper.getName());
    }

    @Override
    public void errorPage(int status, String path) {
        ErrorPage page = new ErrorPage();
        page.setErrorCode(status);
        page.setLocation(path);
        context.addErrorPage(page);
    }

    @Override
    public void start() throws Exception {
        tomcat.start();
    }

    @Override
    public int port() {
        return tomcat.getConnector().getLocalPort();
    }

    @Override
    public void stop() throws Exception {
        tomcat.stop();
        tomcat.destroy();
    }

    /** Tells a request when its container's thread has left it. */
    private static final class LeavingValve extends ValveBase {

        LeavingValve() {
            super(true);
        }

        @Override
        public void invoke(Request request, Response response) throws IOException, ServletException {
            CountDownLatch left = new CountDownLatch(1);
            request.setAttribute(LEFT, left);
            try {
                getNext().invoke(request, response);
            } finally {
                left.countDown();
            }
        }
    }

    private static final class NotFound extends HttpServlet {
        private static final long serialVersionUID = 1L;

        @Override
        protected void service(HttpServletRequest request, HttpServletResponse response) throws IOException {
            response.sendError(404);
        }
    }
}
