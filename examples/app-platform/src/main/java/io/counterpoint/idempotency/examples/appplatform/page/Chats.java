package io.counterpoint.idempotency.examples.appplatform.page;

import io.counterpoint.idempotency.consistency.outbox.OutboxEvent;
import io.counterpoint.idempotency.consistency.outbox.OutboxPublisher;
import io.counterpoint.idempotency.examples.appplatform.page.Action.Done;
import io.counterpoint.idempotency.examples.groupcreation.Groups;
import io.counterpoint.idempotency.examples.groupcreation.SessionHub;
import io.counterpoint.idempotency.jdbc.JdbiIdempotencyStore;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.UUID;
import java.util.function.Consumer;
import org.jdbi.v3.core.Jdbi;

/**
 * The members of new groups, each in a window of its own. Who is online gets the event from the hub; who was not reads the
 * table when coming back, and misses nothing.
 */
final class Chats implements AutoCloseable {

    private static final int SHOWN = 12;
    private static final String PAGE = "docs/consistency/outbox.md#promise";
    private static final String TEST =
            "examples/app-platform/src/test/java/io/counterpoint/idempotency/examples/appplatform/PagePartsTest.java";

    /** The members, all of whom are in every group of the page. */
    private enum Member {
        ADA,
        BEN,
        CLEO;

        String user() {
            return name().toLowerCase(Locale.ROOT);
        }
    }

    /** One window. A group is shown once, however often its event comes. Read and written under the lock of the chats. */
    private static final class Window {
        final List<String> lines = new ArrayList<>();
        final Set<UUID> groups = new LinkedHashSet<>();
        Consumer<OutboxEvent> session = event -> {};
        boolean online;
    }

    private final Jdbi jdbi;
    private final EventStream stream;
    private final Asking asking;
    private final Groups groups = new Groups();
    private final SessionHub hub = new SessionHub();
    private final OutboxPublisher publisher;
    private final Map<Member, Window> windows = new LinkedHashMap<>();

    Chats(Jdbi jdbi, EventStream stream, Asking asking) {
        this.jdbi = jdbi;
        this.stream = stream;
        this.asking = asking;
        publisher = hub.publisher(JdbiIdempotencyStore.on(jdbi), groups)
                .poll(Duration.ofMillis(100))
                .build();
        for (Member member : Member.values()) {
            windows.put(member, new Window());
            connect(member);
        }
    }

    void start() {
        OutboxPublisher unused = publisher.start();
    }

    List<Action> actions() {
        return List.of(
                new Action("new-group", PAGE, TEST, input -> create()), new Action("online", PAGE, TEST, this::online));
    }

    private Done create() throws InterruptedException {
        String key = "chat-" + UUID.randomUUID().toString().substring(0, 8);
        List<Asking.Answered> answers = asking.ask(key, true, 3, true, new TimeLine(), () -> {});
        return new Done(
                "Three presses with one key made one group, whose event is in the outbox by the same commit. The hub"
                        + " sends it to the members who are online.",
                Map.of("name", KeyedGroups.request(key).name(), "answers", answers));
    }

    private Done online(Input input) throws Refused {
        Member member = input.choice("member", Member.values());
        boolean online = input.flag("online");
        if (online) {
            connect(member);
            return new Done(
                    member.user()
                            + " is back, and read the groups from the table: events tell a member to look, and the"
                            + " table is the truth.",
                    view());
        }
        synchronized (this) {
            Window window = window(member);
            window.online = false;
            hub.disconnect(member.user(), window.session);
        }
        show();
        return new Done(
                "The hub sends " + member.user() + " nothing now, and keeps nothing. The groups stay in their table.",
                view());
    }

    private void connect(Member member) {
        Consumer<OutboxEvent> session = event -> received(member, UUID.fromString(event.payload()));
        synchronized (this) {
            Window window = window(member);
            hub.disconnect(member.user(), window.session);
            window.session = session;
            window.online = true;
        }
        hub.connect(member.user(), session);
        Set<UUID> all = jdbi.withHandle(handle -> groups.of(handle, member.user()));
        synchronized (this) {
            Window window = window(member);
            all.stream()
                    .filter(window.groups::add)
                    .forEach(group -> window.lines.add("found in the table: " + name(group)));
        }
        show();
    }

    private void received(Member member, UUID group) {
        String name = name(group);
        synchronized (this) {
            Window window = window(member);
            if (window.online && window.groups.add(group)) {
                window.lines.add("the hub says: " + name);
            }
        }
        show();
    }

    private String name(UUID group) {
        return jdbi.withHandle(handle -> handle.createQuery("SELECT name FROM chat_group WHERE id = ?")
                .bind(0, group)
                .mapTo(String.class)
                .one());
    }

    private Window window(Member member) {
        Window window = windows.get(member);
        if (window == null) {
            throw new IllegalStateException("There is no window of " + member + ".");
        }
        return window;
    }

    private synchronized Map<String, Object> view() {
        Map<String, Object> view = new LinkedHashMap<>();
        windows.forEach((member, window) -> view.put(
                member.user(),
                Map.of(
                        "online",
                        window.online,
                        "groups",
                        window.groups.size(),
                        "lines",
                        List.copyOf(
                                window.lines.subList(Math.max(0, window.lines.size() - SHOWN), window.lines.size())))));
        return view;
    }

    private void show() {
        stream.show("chats", view());
    }

    @Override
    public void close() {
        publisher.close();
    }
}
