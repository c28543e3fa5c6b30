package io.counterpoint.idempotency.examples.appplatform.page;

import com.zaxxer.hikari.HikariDataSource;
import io.counterpoint.idempotency.examples.appplatform.http.Callers;
import io.counterpoint.idempotency.examples.appplatform.http.Client;
import io.counterpoint.idempotency.examples.appplatform.http.LocalServer;
import io.counterpoint.idempotency.programs.CannotRun;
import io.counterpoint.idempotency.programs.process.Repeated;
import jakarta.servlet.DispatcherType;
import java.security.SecureRandom;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Base64;
import java.util.EnumSet;
import java.util.List;
import java.util.function.Consumer;
import org.eclipse.jetty.ee11.servlet.FilterHolder;
import org.eclipse.jetty.ee11.servlet.ServletContextHandler;
import org.eclipse.jetty.ee11.servlet.ServletHolder;
import org.jdbi.v3.core.Jdbi;

/**
 * A page with buttons that break the platform, so that you can watch it heal. It listens on loopback only, and its
 * address contains a token, because its buttons kill processes and plant damage.
 */
public final class Page implements AutoCloseable {

    private static final int TOKEN_BYTES = 24;
    private static final int CONNECTIONS = 12;
    private static final int CALLERS = 64;
    private static final Duration LOOK_EVERY = Duration.ofMillis(250);

    /** Inspects the current state, and sends changes to the open pages. */
    private interface Look {
        void now() throws Exception;
    }

    private final String address;
    private final LocalServer server;
    private final EventStream stream = new EventStream();
    private final List<AutoCloseable> parts = new ArrayList<>();
    private final Consumer<String> log;

    /**
     * Serves the page.
     *
     * @param port on this machine; 0 for any free port
     * @throws CannotRun if it cannot listen, or cannot connect to the platform's database
     */
    public Page(ShownPlatform platform, int port, Consumer<String> log) throws CannotRun {
        this.log = log;
        String token = freshToken();
        server = new LocalServer(port, log);
        address = server.url() + "/?" + Gate.PARAMETER + "=" + token;
        try {
            open(platform, token);
        } catch (CannotRun | RuntimeException e) {
            close();
            throw e;
        }
    }

    private void open(ShownPlatform platform, String token) throws CannotRun {
        HikariDataSource pool = part(platform.database().connect(config -> {
            config.setMaximumPoolSize(CONNECTIONS);
            config.setMinimumIdle(1);
        }));
        Jdbi jdbi = Jdbi.create(pool);
        Service service = new Service(platform, part(new Client()));
        Callers callers = part(new Callers(CALLERS));
        Presses presses = new Presses(service, jdbi, stream, callers, server.url(), token);
        Asking asking = part(new Asking(platform.database(), callers));
        KeyLife life = part(new KeyLife(platform.database(), jdbi, stream, asking));
        Breakage breakage = new Breakage(service, jdbi);
        String claim = "protocol.md#claim-first";
        String arbitration = "protocol.md#arbitration";
        String checks = "consistency/checks.md#what-checks-and-repairs-promise";
        List<Action> actions = List.of(
                Action.of("press", "protocol.md#guarantees", "PagePressesTest", presses::press),
                Action.of(
                        "create-unprotected", "protocol.md#guarantees", "PagePressesTest", presses::createUnprotected),
                Action.of("lead", claim, "PageKeyLifeTest", life::lead),
                Action.of("go-on", claim, "PageKeyLifeTest", life::goOn),
                Action.of("kill", arbitration, "PageKeyLifeTest", life::kill),
                Action.of("pause", arbitration, "PageKeyLifeTest", life::pause),
                Action.of("cut", arbitration, "PageKeyLifeTest", life::cut),
                Action.of("cut-at-commit", arbitration, "PageKeyLifeTest", life::cutAtCommit),
                Action.of("ask-again", "protocol.md#what-a-follower-does", "PageKeyLifeTest", life::askAgain),
                Action.of("plant", checks, "PageBreakageTest", breakage::plant),
                Action.of("check", checks, "PageBreakageTest", breakage::check),
                Action.of("repair", checks, "PageBreakageTest", breakage::repair));
        serve(actions, token);
        List<Look> looks = List.of(life::look, () -> stream.show("audit", jdbi.withHandle(Breakage::audit)));
        part(new Repeated("page", () -> looks.forEach(this::look), log)).every(LOOK_EVERY);
    }

    private void serve(List<Action> actions, String token) throws CannotRun {
        ServletContextHandler context = new ServletContextHandler();
        context.addFilter(new FilterHolder(new Gate(token)), "/*", EnumSet.of(DispatcherType.REQUEST));
        context.addServlet(new ServletHolder(stream), "/events");
        context.addServlet(new ServletHolder(new PageServlet(actions, log)), "/");
        LocalServer unused = server.start(context);
    }

    private void look(Look look) {
        try {
            if (stream.isWatched()) {
                look.now();
            }
        } catch (Exception fault) {
            // Continue with the other parts of the page, which may still work.
            log.accept("page: " + fault);
        }
    }

    /** Registers a part to be closed with the page, in reverse order. */
    private <P extends AutoCloseable> P part(P part) {
        parts.add(0, part);
        return part;
    }

    /** The URL of the page. Anybody who knows it can use the page. */
    public String address() {
        return address;
    }

    private static String freshToken() {
        byte[] random = new byte[TOKEN_BYTES];
        new SecureRandom().nextBytes(random);
        return Base64.getUrlEncoder().withoutPadding().encodeToString(random);
    }

    /** Ends the streams, the processes that the page started, and the server. */
    @Override
    public void close() {
        stream.close();
        for (AutoCloseable part : parts) {
            try {
                part.close();
            } catch (Exception e) {
                log.accept("a part of the page did not shut down cleanly: " + e);
            }
        }
        server.close();
    }
}
