package io.counterpoint.idempotency.examples.appplatform.page;

import com.zaxxer.hikari.HikariDataSource;
import io.counterpoint.idempotency.examples.appplatform.page.Presses.Mode;
import io.counterpoint.idempotency.examples.groupcreation.Groups;
import io.counterpoint.idempotency.programs.CannotRun;
import java.net.URI;
import java.security.SecureRandom;
import java.util.ArrayList;
import java.util.Base64;
import java.util.List;
import java.util.Map;
import java.util.function.Consumer;
import java.util.stream.Stream;
import org.jdbi.v3.core.Jdbi;

/**
 * A page that people open to break the platform with buttons and to watch it heal. It listens on loopback only, and its
 * address carries a token, since its buttons kill processes and plant damage.
 */
public final class Page implements AutoCloseable {

    private static final int TOKEN_BYTES = 24;
    private static final int CONNECTIONS = 12;

    private final String address;
    private final PageServer server;
    private final EventStream stream = new EventStream();
    private final List<AutoCloseable> parts = new ArrayList<>();
    private final Consumer<String> log;

    /**
     * Serves the page.
     *
     * @param port on this machine; 0 for any
     * @throws CannotRun if it cannot listen there, or cannot connect to the platform's database
     */
    public Page(ShownPlatform platform, int port, Consumer<String> log) throws CannotRun {
        this.log = log;
        String token = freshToken();
        server = new PageServer(port, new Gate(token), log);
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
        KeyedGroups.createTables(jdbi);
        Map<Mode, URI> buttons = Map.of(
                Mode.PROTECTED, URI.create(platform.service() + "/apps"),
                Mode.UNPROTECTED, URI.create(server.url() + "/unprotected/apps"));
        Presses presses = part(new Presses(jdbi, stream, buttons, token));
        Asking asking = part(new Asking(platform.database(), new Groups()));
        KeyLife life = part(new KeyLife(platform.database(), jdbi, stream, asking));
        Machines machines = part(new Machines(platform, jdbi));
        Load load = part(new Load(platform.service(), stream, log));
        Workers workers = new Workers(platform, jdbi);
        Chats chats = part(new Chats(jdbi, stream, asking));
        Differences differences = new Differences(platform, jdbi);
        List<Action> actions = Stream.of(
                        presses.actions(),
                        life.actions(),
                        new Breakage(platform, jdbi).actions(),
                        machines.actions(),
                        load.actions(),
                        workers.actions(),
                        chats.actions(),
                        differences.actions())
                .flatMap(List::stream)
                .toList();
        List<Runnable> looks = List.of(
                life::look,
                () -> stream.show("audit", jdbi.withHandle(Breakage::audit)),
                () -> stream.show("machines", machines.view()),
                () -> stream.show("paths", differences.view()),
                () -> stream.show("workers", workers.view()),
                load::look);
        Watch watch = part(new Watch(stream, looks, log));
        server.at("/", new HtmlServlet())
                .at("/events", stream)
                .at("/actions/*", new ActionServlet(actions, log))
                .at("/unprotected/apps", new UnprotectedApps(name -> platform.createAppUnprotected(1, name)))
                .start();
        chats.start();
        watch.start();
    }

    /** What is closed with the page, the last first. */
    private <P extends AutoCloseable> P part(P part) {
        parts.add(part);
        return part;
    }

    /** Where to open the page; who knows it may use the page. */
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
        for (int i = parts.size() - 1; i >= 0; i--) {
            quietly(parts.get(i));
        }
        server.close();
    }

    private void quietly(AutoCloseable part) {
        try {
            part.close();
        } catch (Exception e) {
            log.accept("a part of the page did not close in good order: " + e);
        }
    }
}
